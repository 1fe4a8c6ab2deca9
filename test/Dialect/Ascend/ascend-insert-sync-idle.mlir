// RUN: attn-opt %s --ascend-insert-sync --ascend-assign-events -o %t.mlir
// RUN: attn-sim %t.mlir --arg=random:1:1x64xf32 --arg=values:1,0,0,0,0,0,0,1:8xi32 --arg=undef:1x64xf32
// RUN: attn-sim %t.mlir --arg=random:1:1x64xf32 --arg=values:0,2,0,0,0,1,0,0:8xi32 --arg=undef:1x64xf32
// RUN: attn-sim %t.mlir --arg=random:1:1x64xf32 --arg=values:0,0,0,0,0,0,0,0:8xi32 --arg=undef:1x64xf32
// RUN: attn-sim %t.mlir --arg=random:1:1x64xf32 --arg=values:1,1,1,1,1,1,1,1:8xi32 --arg=undef:1x64xf32

// However many loops lie beside each other, any two of them may be the only ones that run: the last one loads to the buffer of the
// first.
!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!list = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !array, %counts: !list, %y: !array {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %s = ascend.alloc "s" at 0 : !ub
  %p = ascend.address %x[%c0, %c0] : !array -> !gm
  ascend.duplicate %s, %zero count(%c64) : !ub, f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %i4 = arith.constant 4 : index
  %i5 = arith.constant 5 : index
  %i6 = arith.constant 6 : index
  %i7 = arith.constant 7 : index
  %b0 = ascend.alloc "b0" at 256 : !ub
  %b1 = ascend.alloc "b1" at 512 : !ub
  %b2 = ascend.alloc "b2" at 768 : !ub
  %b3 = ascend.alloc "b3" at 1024 : !ub
  %b4 = ascend.alloc "b4" at 1280 : !ub
  %b5 = ascend.alloc "b5" at 1536 : !ub
  %b6 = ascend.alloc "b6" at 1792 : !ub
  %n0 = ascend.load_index %counts[%i0] : !list
  scf.for %t = %c0 to %n0 step %c1 {
    ascend.copy_in %b0, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b0 count(%c64) : !ub, !ub, !ub
  }
  %n1 = ascend.load_index %counts[%i1] : !list
  scf.for %t = %c0 to %n1 step %c1 {
    ascend.copy_in %b1, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b1 count(%c64) : !ub, !ub, !ub
  }
  %n2 = ascend.load_index %counts[%i2] : !list
  scf.for %t = %c0 to %n2 step %c1 {
    ascend.copy_in %b2, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b2 count(%c64) : !ub, !ub, !ub
  }
  %n3 = ascend.load_index %counts[%i3] : !list
  scf.for %t = %c0 to %n3 step %c1 {
    ascend.copy_in %b3, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b3 count(%c64) : !ub, !ub, !ub
  }
  %n4 = ascend.load_index %counts[%i4] : !list
  scf.for %t = %c0 to %n4 step %c1 {
    ascend.copy_in %b4, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b4 count(%c64) : !ub, !ub, !ub
  }
  %n5 = ascend.load_index %counts[%i5] : !list
  scf.for %t = %c0 to %n5 step %c1 {
    ascend.copy_in %b5, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b5 count(%c64) : !ub, !ub, !ub
  }
  %n6 = ascend.load_index %counts[%i6] : !list
  scf.for %t = %c0 to %n6 step %c1 {
    ascend.copy_in %b6, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b6 count(%c64) : !ub, !ub, !ub
  }
  %n7 = ascend.load_index %counts[%i7] : !list
  scf.for %t = %c0 to %n7 step %c1 {
    ascend.copy_in %b0, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    ascend.binary add %s, %s, %b0 count(%c64) : !ub, !ub, !ub
  }
  %o = ascend.address %y[%c0, %c0] : !array -> !gm
  ascend.copy_out %o, %s rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}
}
