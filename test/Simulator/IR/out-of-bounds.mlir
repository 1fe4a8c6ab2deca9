// RUN: not attn-sim %s --kernel=buffer --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not attn-sim %s --kernel=slot --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=SLOT
// RUN: not attn-sim %s --kernel=slot_end --arg=iota:64xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=SLOT-END
// RUN: not attn-sim %s --kernel=array_read --arg=iota:63xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=ARRAY-READ
// RUN: not attn-sim %s --kernel=array_write --arg=iota:64xf32 --arg=undef:63xf32 2>&1 | FileCheck %s --check-prefix=ARRAY-WRITE
// RUN: not attn-sim %s --kernel=row_of_matrix --arg=iota:4x32xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=ROW-OF-MATRIX
// RUN: not attn-sim %s --kernel=rows_of_matrix --arg=iota:2x4x8xf32 --arg=undef:64xf32 2>&1 | FileCheck %s --check-prefix=ROWS-OF-MATRIX
// RUN: attn-sim %s --kernel=inside --arg=iota:64xf32 --arg=undef:64xf32 | FileCheck %s --check-prefix=CLEAN

// CLEAN: hazards: 0

// Accesses outside a buffer, a slot, an array or a table.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// BUFFER: error: out of bounds: duplicate writes bytes 0 to 259 of buffer "d", which has 256 [block 0, pipe v]
func.func @buffer(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %c65 = arith.constant 65 : index
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %d, %zero count(%c65) : !ub, f32
  ascend.barrier all
  return
}

// SLOT: error: out of bounds: slot takes slot 64 of buffer "v", which has 2 [block 0, pipe s]
func.func @slot(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %v = ascend.alloc "v" at 0 : memref<2x64xf32, #ascend.space<ub>>
  %s = ascend.slot %v[%c64] : memref<2x64xf32, #ascend.space<ub>> -> !ub
  ascend.barrier all
  return
}

// SLOT-END: error: out of bounds: duplicate writes bytes 0 to 259 of buffer "v", which has 256
// A slot ends where the next begins.
func.func @slot_end(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %v = ascend.alloc "v" at 0 : memref<2x64xf32, #ascend.space<ub>>
  %s = ascend.slot %v[%c0] : memref<2x64xf32, #ascend.space<ub>> -> !ub
  %c65 = arith.constant 65 : index
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %s, %zero count(%c65) : !ub, f32
  ascend.barrier all
  return
}

// ARRAY-READ: error: out of bounds: copy_in moves 1 rows of 64 elements, 64 apart, at [0] of array "argument 0" of shape 63
func.func @array_read(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// ARRAY-WRITE: error: out of bounds: copy_out moves 1 rows of 64 elements
func.func @array_write(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  %zero = arith.constant 0.0 : f32
  ascend.duplicate %d, %zero count(%c64) : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}

// ROW-OF-MATRIX: error: out of bounds: copy_in moves 1 rows of 32 elements, 32 apart, at [1, 1] of array "argument 0" of shape 4x32
func.func @row_of_matrix(%x: memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %a = ascend.alloc "a" at 0 : !ub
  %p = ascend.address %x[%c1, %c1] : memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>> -> !gm
  ascend.copy_in %a, %p rows(%c1) length(%c32) src_pitch(%c32) dst_pitch 32 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

// ROWS-OF-MATRIX: error: out of bounds: copy_in moves 3 rows of 8 elements, 8 apart, at [0, 2, 0] of array "argument 0" of shape 2x4x8
// The bytes are there, but belong to the next matrix.
func.func @rows_of_matrix(%x: memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>>, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %a = ascend.alloc "a" at 0 : !ub
  %p = ascend.address %x[%c0, %c2, %c0] : memref<?x?x?xf32, strided<[?, ?, 1]>, #ascend.space<gm>> -> !gm
  ascend.copy_in %a, %p rows(%c3) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  return
}

func.func @inside(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 256 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
  ascend.set_flag mte2 to v event 0
  ascend.wait_flag mte2 to v event 0
  ascend.unary exp %d, %a count(%c64) : !ub, !ub
  ascend.set_flag v to mte3 event 0
  ascend.wait_flag v to mte3 event 0
  ascend.copy_out %op, %d rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  ascend.barrier all
  return
}
}
