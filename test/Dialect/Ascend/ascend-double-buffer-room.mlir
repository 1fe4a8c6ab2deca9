// RUN: attn-opt %s --soc=Ascend910B2 --ascend-double-buffer | FileCheck %s
// Loops share the slots of what they move as far as there is room: what they share lives on from loop to loop.

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<8192xf32, #ascend.space<ub>>
!wide = memref<40000xf32, #ascend.space<ub>>

// The first two loops have one buffer. The others keep their own: what lies between them takes the room.
// CHECK-LABEL: func.func @room_for_some
// CHECK: ascend.alloc "x" : memref<2x8192xf32, #ascend.space<ub>>
// CHECK-NOT: ascend.alloc "x_again"
// CHECK: ascend.alloc "y" : memref<2x8192xf32, #ascend.space<ub>>
// CHECK: ascend.alloc "y_again" : memref<2x8192xf32, #ascend.space<ub>>
// CHECK: ascend.alloc "wide" : memref<40000xf32, #ascend.space<ub>>
func.func @room_for_some(%a: !gm, %b: !gm, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<mixed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = ascend.alloc "x" : !ub
  %x_again = ascend.alloc "x_again" : !ub
  %y = ascend.alloc "y" : !ub
  %y_again = ascend.alloc "y_again" : !ub
  %wide = ascend.alloc "wide" : !wide
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %x, %a rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.scalar adds %x, %x, %zero count(%c64) : !ub, !ub, f32
    } {ascend.stages = 2 : i64}
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %x_again, %a rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.scalar adds %x_again, %x_again, %zero count(%c64) : !ub, !ub, f32
    } {ascend.stages = 2 : i64}
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %y, %b rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.scalar adds %y, %y, %zero count(%c64) : !ub, !ub, f32
    } {ascend.settled, ascend.stages = 2 : i64}
    ascend.duplicate %wide, %zero count(%c64) : !wide, f32
    ascend.scalar adds %wide, %wide, %zero count(%c64) : !wide, !wide, f32
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %y_again, %b rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.scalar adds %y_again, %y_again, %zero count(%c64) : !ub, !ub, f32
    } {ascend.stages = 2 : i64}
  } {ascend.parallel}
  return
}
