// RUN: attn-sim %s --kernel=handed_over --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 --print=1 | FileCheck %s
// RUN: not attn-sim %s --kernel=not_awaited --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not attn-sim %s --kernel=too_late --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not attn-sim %s --kernel=handed_over --arg=iota:64x64xf32 --arg=undef:64x64xf32 --arg=workspace --blocks=50 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not attn-sim %s --kernel=missing --arg=iota:4x64xf32 --arg=undef:4x64xf32 --arg=workspace --blocks=4 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: attn-sim %s --kernel=empty --blocks=4 --arg=i64:0 | FileCheck %s --check-prefix=TIME
// RUN: attn-sim %s --kernel=twice --blocks=4 --arg=i64:0 | FileCheck %s --check-prefix=TWICE

// All blocks meet: stores before are seen by loads of any block after.
!rows = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// Each block reads the row of the one before it.
// CHECK: blocks: 4 on 4 cores
// CHECK: hazards: 0
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  192 193
// CHECK-NEXT: {{^}}  0 1
// CHECK-NEXT: {{^}}  64 65
// CHECK-NEXT: {{^}}  128 129
// MANY: error: deadlock: nothing can go on: s waits for all 50 blocks to meet, and 40 have come: only 40 run at a time [block 0]
func.func @handed_over(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %id = ascend.block_id
  %blocks = ascend.block_count
  %before = arith.addi %id, %blocks : index
  %other = arith.subi %before, %c1 : index
  %from = arith.remui %other, %blocks : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%id, %c0] : !rows -> !gm
  %wp = ascend.address %w[%id, %c0] : !rows -> !gm
  %fp = ascend.address %w[%from, %c0] : !rows -> !gm
  %op = ascend.address %o[%id, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %wp, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.sync_all
  ascend.copy_in %a, %fp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// The same with a barrier of the core alone.
// RACE: error: race: {{.*}} array "argument 2" {{.*}} of block {{.*}} it: nothing orders them
func.func @not_awaited(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %id = ascend.block_id
  %blocks = ascend.block_count
  %before = arith.addi %id, %blocks : index
  %other = arith.subi %before, %c1 : index
  %from = arith.remui %other, %blocks : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%id, %c0] : !rows -> !gm
  %wp = ascend.address %w[%id, %c0] : !rows -> !gm
  %fp = ascend.address %w[%from, %c0] : !rows -> !gm
  %op = ascend.address %o[%id, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %wp, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  ascend.copy_in %a, %fp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// Two stores of different blocks to one row after the meeting: it orders only what lies on both sides of it.
// LATE: error: race: copy_out writes array "argument 2" (bytes 0 to 255) while copy_out on mte3 of block {{[0-9]}} writes it: nothing orders them
func.func @too_late(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" at 0 : !ub
  %xp = ascend.address %x[%c0, %c0] : !rows -> !gm
  %wp = ascend.address %w[%c0, %c0] : !rows -> !gm
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.sync_all
  ascend.copy_out %wp, %a rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// Block 2 does not come.
// MISSING: error: deadlock: nothing can go on: s waits for all 4 blocks to meet, and 3 have come [block 0]
func.func @missing(%x: !rows, %o: !rows {launch.output}, %w: !rows {launch.workspace, launch.dims = ["@blocks", 64]}) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  %c2 = arith.constant 2 : index
  %id = ascend.block_id
  %comes = arith.cmpi ne, %id, %c2 : index
  scf.if %comes {
    ascend.sync_all
  }
  ascend.barrier all
  return
}

// 1.5 us from the last arrival on: blocks start 40 cycles apart, and the chip runs at 1500 MHz.
// TIME: device: 2371.0 cycles
func.func @empty(%n: i64) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  ascend.sync_all
  ascend.barrier all
  return
}

// Meetings can follow each other.
// TWICE: device: 4621.0 cycles
func.func @twice(%n: i64) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  ascend.sync_all
  ascend.sync_all
  ascend.barrier all
  return
}
}
