// RUN: not attn-sim %s --kernel=repeats --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=REPEATS
// RUN: not attn-sim %s --kernel=rows --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not attn-sim %s --kernel=length --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not attn-sim %s --kernel=gap --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not attn-sim %s --kernel=pitch --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=PITCH
// RUN: not attn-sim %s --kernel=negative --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not attn-sim %s --kernel=grid --arg=iota:64xf32 --arg=undef:64xf32 --blocks=65536 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: attn-sim %s --kernel=waves --arg=iota:64xf32 --arg=undef:64xf32 --blocks=100 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// More than the machine can do at once.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// REPEATS: error: limit: duplicate has 256 repeats; at most 255 are possible
func.func @repeats(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c256 = arith.constant 256 : index
  %n = arith.addi %c256, %c0 : index
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %d, %zero mask 8 repeat(%n) strides [1, 0] : !ub, f32
  ascend.barrier all
  return
}

// ROWS: error: limit: copy_in moves 4096 rows of 1 elements; at most 4095 rows of 2097151 bytes are possible
func.func @rows(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c4096 = arith.constant 4096 : index
  ascend.copy_in %a, %xp rows(%c4096) length(%c1) src_pitch(%c1) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// LENGTH: error: limit: copy_in moves 1 rows of 524288 elements; at most 4095 rows of 2097151 bytes are possible
func.func @length(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c524288 = arith.constant 524288 : index
  ascend.copy_in %a, %xp rows(%c1) length(%c524288) src_pitch(%c1) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// GAP: error: limit: copy_in has a gap of -4 bytes between rows in gm
func.func @gap(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c2 = arith.constant 2 : index
  ascend.copy_in %a, %xp rows(%c2) length(%c2) src_pitch(%c1) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// PITCH: error: limit: copy_in has rows of 64 bytes, with padding, at a pitch of 32 in ub
func.func @pitch(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c2 = arith.constant 2 : index
  ascend.copy_in %a, %xp rows(%c2) length(%c2) src_pitch(%c64) dst_pitch 8 right_pad 7 : !ub, !gm
  ascend.barrier all
  return
}

// NEGATIVE: error: limit: unary exp has a negative count, -1
func.func @negative(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %n = arith.subi %c0, %c1 : index
  ascend.unary exp %d, %a count(%n) : !ub, !ub
  ascend.barrier all
  return
}

// GRID: error: limit: the grid has 65536 blocks; 1 to 65535 are possible
func.func @grid(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.barrier all
  return
}

func.func @waves(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.barrier all
  return
}
}
