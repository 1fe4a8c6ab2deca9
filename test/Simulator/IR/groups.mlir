// RUN: attn-sim %s --kernel=both --arg=iota:8x64xf32 --arg=undef:8x64xf32 --arg=workspace --blocks=2 --print=1 --check-effects --record=%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=RECORD < %t
// RUN: attn-sim %s --kernel=both --arg=iota:64x64xf32 --arg=undef:64x64xf32 --arg=workspace --blocks=30 --timing-only | FileCheck %s --check-prefix=WAVES
// RUN: attn-sim %s --kernel=alone --arg=iota:8x64xf32 --blocks=2 | FileCheck %s --check-prefix=ALONE
// RUN: not attn-sim %s --kernel=shared --arg=iota:8x64xf32 --arg=undef:8x64xf32 --blocks=2 2>&1 | FileCheck %s --check-prefix=SHARED

// Blocks of a mixed kernel are groups of one cube core and two vector cores.
!rows = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!l1 = memref<64xf32, #ascend.space<l1>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// The vector cores double a row each: the one of their core id, which they also find by block and sub-block. The cube core
// loads into l1, and its next pipe waits for that.
// CHECK: blocks: 2 on 6 cores
// CHECK: ub: 512 of 196352 bytes
// CHECK: l1: 768 of 524032 bytes
// CHECK: l0a: 0 of 65536 bytes
// CHECK: gm argument 0: read 1536, written 0 bytes
// CHECK: pipe vector v: busy
// CHECK: pipe vector mte2: busy
// CHECK: pipe cube mte2: busy
// CHECK: hazards: 0
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  0 2
// CHECK-NEXT: {{^}}  128 130
// CHECK-NEXT: {{^}}  256 258
// CHECK-NEXT: {{^}}  384 386
// RECORD: kernel 0, block 0, cube core, pipe mte1
// RECORD-NEXT: wait_flag mte2 to mte1 event(0)
// RECORD: kernel 0, block 0, cube core, pipe mte2
// RECORD-NEXT: copy_in f32 f32 rows(1, 64) pad(0) reads argument 0[0, 256) writes l1[512, 768)
// RECORD: kernel 0, block 0, vector core 0, pipe
// RECORD: kernel 0, block 0, vector core 1, pipe
// RECORD: kernel 0, block 1, cube core, pipe
// WAVES: blocks: 30 on 60 cores
func.func @both(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@cores", 64]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  %block = ascend.block_id
  %core = ascend.core_id
  %sub = ascend.sub_block_id
  %first = arith.muli %block, %c2 : index
  %row = arith.addi %first, %sub : index
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %xp = ascend.address %x[%core, %c0] : !rows -> !gm
  %wp = ascend.address %w[%core, %c0] : !rows -> !gm
  %op = ascend.address %o[%row, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.scalar muls %d, %a, %two count(%c64) : !ub, !ub, f32
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %wp, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

func.func @both_cube(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@cores", 64]})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @both} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %block = ascend.core_id
  %q = ascend.alloc "q" at 512 : !l1
  %xp = ascend.address %x[%block, %c0] : !rows -> !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.set_flag mte2 to mte1 event 0
  ascend.wait_flag mte2 to mte1 event 0
  ascend.barrier all
  return
}

// ALONE: blocks: 2 on 2 cores
// ALONE: pipe mte2: busy
// ALONE: hazards: 0
func.func @alone(%x: !rows) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %block = ascend.block_id
  %q = ascend.alloc "q" at 0 : !l1
  %xp = ascend.address %x[%block, %c0] : !rows -> !gm
  ascend.copy_in %q, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.barrier all
  return
}

// Both vector cores of a group store to one row, which the cube core reads: no flag between cores orders them.
// SHARED-DAG: error: race: copy_out writes array "argument 1" {{.*}} while copy_out on mte3 of vector core {{[01]}} writes it: nothing orders them [block {{[01]}}, vector core {{[01]}}, pipe mte3]
// SHARED-DAG: error: race: {{.*}} of {{cube core|vector core [01]}} {{reads|writes}} it: nothing orders them
func.func @shared(%x: !rows, %o: !rows {launch.output}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %block = ascend.block_id
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%block, %c0] : !rows -> !gm
  %op = ascend.address %o[%block, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
func.func @shared_cube(%x: !rows, %o: !rows {launch.output})
    attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>, ascend.half_of = @shared} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %block = ascend.block_id
  %q = ascend.alloc "q" at 0 : !l1
  %op = ascend.address %o[%block, %c0] : !rows -> !gm
  ascend.copy_in %q, %op rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !l1, !gm
  ascend.barrier all
  return
}
}
