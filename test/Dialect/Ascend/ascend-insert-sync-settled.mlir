// RUN: attn-opt %s --ascend-insert-sync | FileCheck %s

!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// Each of the loops may not run. The pipes rest before the second, though flags would do, and no flag goes from one loop to the other.
// CHECK-LABEL: func.func @rest
// CHECK: scf.for
// CHECK: scf.for
// CHECK: }
// CHECK: ascend.barrier all
// CHECK: scf.for
// CHECK: } {ascend.settled}
func.func @rest(%x: !gm, %y: !gm, %n: index, %m: index, %b: index) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %in = ascend.alloc "in" at 0 : !ub
  scf.for %i = %c0 to %b step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      ascend.copy_in %in, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary mul %in, %in, %in count(%c64) : !ub, !ub, !ub
    }
    scf.for %j = %c0 to %m step %c1 {
      ascend.copy_in %in, %x rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm
      ascend.binary add %in, %in, %in count(%c64) : !ub, !ub, !ub
    } {ascend.settled}
  } {ascend.parallel}
  return
}
}
