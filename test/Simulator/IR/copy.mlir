// RUN: attn-sim %s --arg=iota:16xf32 --arg=undef:16xf32 --print=1 | FileCheck %s

// Whole 32-byte blocks within UB: what is left of a count is not copied.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<16xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {
// CHECK: values of argument 1:
// CHECK-NEXT: {{^}}  0 1 2 3 4 5 6 7 -1 -1 -1 -1 -1 -1 -1 -1{{$}}
func.func @kernel(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  %d = ascend.alloc "d" at 64 : !ub
  ascend.copy_in %a, %xp rows(%c1) length(%c16) src_pitch(%c16) dst_pitch 16 right_pad 0 : !ub, !gm
  ascend.duplicate %d, %minus count(%c16) : !ub, f32
  ascend.barrier all
  ascend.copy %d, %a count(%c12) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}
}
