// Loops whose number of iterations follows from that of a loop around: what they are in the trips that are traced is not what they are
// in the others.

// RUN: attn-opt %s --ascend-insert-sync | FileCheck %s
// RUN: attn-opt %s --ascend-insert-sync --ascend-assign-events -o %t.mlir
// RUN: attn-sim %t.mlir --kernel=last_trip --arg=random:1:8x64xf32 --arg=undef:8x64xf32
// RUN: attn-sim %t.mlir --kernel=last_place --arg=random:1:8x64xf32 --arg=undef:8x64xf32

// The inner loop runs in the last of eight trips only, and what it writes is read after it.
// CHECK-LABEL: func.func @last_trip(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: ascend.duplicate
// CHECK: }
// CHECK: ascend.barrier v
// CHECK: ascend.scalar muls
!gm = memref<?xf32, #ascend.space<gm>>
!array = memref<8x64xf32, strided<[?, 1]>, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
module attributes {machine.target = #machine.target<"Ascend910B4">} {
func.func @last_trip(%x: !array, %y: !array {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %s = ascend.alloc "s" at 0 : !ub
  scf.for %i = %c0 to %c8 step %c1 {
    %p = ascend.address %x[%i, %c0] : !array -> !gm
    %q = ascend.address %y[%i, %c0] : !array -> !gm
    ascend.copy_in %s, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    %after = arith.addi %i, %c1 : index
    scf.for %j = %c7 to %after step %c1 {
      ascend.duplicate %s, %zero count(%c64) : !ub, f32
    }
    ascend.scalar muls %s, %s, %two count(%c64) : !ub, !ub, f32
    ascend.copy_out %q, %s rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}

// What is left of the buffer is filled in the last trip only, and read after it.
// CHECK-LABEL: func.func @last_place(
// CHECK: scf.for
// CHECK: ascend.duplicate
// CHECK: ascend.barrier v
// CHECK: ascend.scalar muls
func.func @last_place(%x: !array, %y: !array {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c480 = arith.constant 480 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %s = ascend.alloc "s" at 0 : !ub
  scf.for %i = %c0 to %c8 step %c1 {
    %p = ascend.address %x[%i, %c0] : !array -> !gm
    %q = ascend.address %y[%i, %c0] : !array -> !gm
    ascend.copy_in %s, %p rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
    %before = arith.muli %i, %c64 : index
    %left = arith.subi %c480, %before : index
    %many = arith.minsi %left, %c64 : index
    %missing = arith.subi %c64, %many : index
    %part = ascend.slice %s[%many] : !ub -> memref<?xf32, #ascend.space<ub>>
    ascend.duplicate %part, %zero count(%missing) : memref<?xf32, #ascend.space<ub>>, f32
    ascend.scalar muls %s, %s, %two count(%c64) : !ub, !ub, f32
    ascend.copy_out %q, %s rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub
  }
  return
}
}
