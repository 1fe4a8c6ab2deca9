// RUN: split-file %s %t
// RUN: attn-opt %t/then.mlir --ascend-insert-sync --ascend-assign-events -o %t/then-ordered.mlir
// RUN: FileCheck %s --input-file=%t/then-ordered.mlir
// RUN: attn-sim %t/then-ordered.mlir --arg=random:1:4x64xf32 --arg=values:1,0,0,1:4xi32 --arg=undef:1x64xf32 --arg=i64:4
// RUN: attn-opt %t/else.mlir --ascend-insert-sync --ascend-assign-events -o %t/else-ordered.mlir
// RUN: FileCheck %s --input-file=%t/else-ordered.mlir
// RUN: attn-sim %t/else-ordered.mlir --arg=random:1:4x64xf32 --arg=values:0,1,0,1:4xi32 --arg=undef:1x64xf32 --arg=i64:4

// Where a condition holds in all trips, what it loads to a slot waits for the last use of that slot: the load of "h" has waited for
// the vector unit in a trip between. It has not where the condition does not hold there, so that an order is needed in each trip.
// CHECK: scf.for
// CHECK: ascend.barrier all
// CHECK-NEXT: scf.if

//--- then.mlir
!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!list = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!slots = memref<3x64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !array, %flags: !list, %y: !array {launch.output}, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %b = ascend.alloc "b" at 0 : !slots
  %h = ascend.alloc "h" at 4096 : !ub
  %s = ascend.alloc "s" at 8192 : !ub
  ascend.duplicate %s, %zero count(%c64) : !ub, f32
  ascend.duplicate %h, %zero count(%c64) : !ub, f32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
    %f = ascend.load_index %flags[%i] : !list
    %is = arith.cmpi sgt, %f, %c0 : index
    %p = ascend.address %x[%i, %c0] : !array -> !gm
    scf.if %is {
      %now = ascend.slot %b[%turn] : !slots -> !ub
      ascend.copy_in %now, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %s, %s, %h count(%c64) : !ub, !ub, !ub
      ascend.copy_in %h, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %s, %s, %h count(%c64) : !ub, !ub, !ub
      ascend.binary add %s, %s, %now count(%c64) : !ub, !ub, !ub
    }
    %next = arith.addi %turn, %c1 : index
    %other = arith.remui %next, %c3 : index
    scf.yield %other : index
  }
  %o = ascend.address %y[%c0, %c0] : !array -> !gm
  ascend.copy_out %o, %s rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}
}

//--- else.mlir
!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!list = memref<?xi32, strided<[1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!slots = memref<2x64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @kernel(%x: !array, %flags: !list, %y: !array {launch.output}, %n: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %b = ascend.alloc "b" at 0 : !slots
  %h = ascend.alloc "h" at 4096 : !ub
  %s = ascend.alloc "s" at 8192 : !ub
  ascend.duplicate %s, %zero count(%c64) : !ub, f32
  ascend.duplicate %h, %zero count(%c64) : !ub, f32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%turn = %c0) -> (index) {
    %f = ascend.load_index %flags[%i] : !list
    %is = arith.cmpi sgt, %f, %c0 : index
    %p = ascend.address %x[%i, %c0] : !array -> !gm
    scf.if %is {
    } else {
      %now = ascend.slot %b[%turn] : !slots -> !ub
      ascend.copy_in %now, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %s, %s, %h count(%c64) : !ub, !ub, !ub
      ascend.copy_in %h, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %s, %s, %h count(%c64) : !ub, !ub, !ub
      ascend.binary add %s, %s, %now count(%c64) : !ub, !ub, !ub
    }
    %next = arith.addi %turn, %c1 : index
    %other = arith.remui %next, %c2 : index
    scf.yield %other : index
  }
  %o = ascend.address %y[%c0, %c0] : !array -> !gm
  ascend.copy_out %o, %s rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  return
}
}
