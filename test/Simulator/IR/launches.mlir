// RUN: attn-sim %s --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 --print=1 --trace=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// RUN: not attn-sim %s --kernel=alone_phase1 --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 2>&1 | FileCheck %s --check-prefix=ALONE

// A kernel and its later phase: one launch after the other, on the same arrays and workspaces; times are added up.
!rows = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CHECK: blocks: 4 on 4 cores
// CHECK-NEXT: instructions: 16
// CHECK-NEXT: ub: 512 of 196352 bytes
// CHECK: gm argument 2: read 1024, written 1024 bytes
// CHECK: pipe mte2: busy
// A load of 6 + 70 + 150 + 21, a barrier of 1, a store of 6 + 165 + 21 and a barrier of 1 by block 2, which starts after 80; the
// line of block 3 is its own. Then the same without the 150, as L2 has what the first launch wrote, by block 3, which starts after 120.
// CHECK: device: 932.0 cycles
// CHECK: predicted time: 12.62 us
// CHECK: hazards: 0
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  192 193
// CHECK-NEXT: {{^}}  0 1
// TRACE: "name":"copy_in","cat":"mte2","ph":"X","ts":0.004
// TRACE-SAME: "name":"copy_in","cat":"mte2","ph":"X","ts":6.3
// Alone, the second has nothing to read.
// ALONE: error: read of uninitialised memory
func.func @alone(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %id = ascend.block_id
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%id, %c0] : !rows -> !gm
  %wp = ascend.address %w[%id, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %wp, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
func.func @alone_phase1(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]})
    attributes {ascend.kernel, launch.after = @alone} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %id = ascend.block_id
  %blocks = ascend.block_count
  %before = arith.addi %id, %blocks : index
  %other = arith.subi %before, %c1 : index
  %from = arith.remui %other, %blocks : index
  %a = ascend.alloc "a" at 256 : !ub
  %fp = ascend.address %w[%from, %c0] : !rows -> !gm
  %op = ascend.address %o[%id, %c0] : !rows -> !gm
  ascend.copy_in %a, %fp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
}
