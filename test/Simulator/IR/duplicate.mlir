// RUN: attn-sim %s --check-effects --kernel=count --arg=undef:8xf32 --print=0 | FileCheck %s --check-prefix=COUNT
// RUN: attn-sim %s --check-effects --kernel=mask --arg=undef:8xf32 --print=0 | FileCheck %s --check-prefix=MASK

// One scalar in every lane; in the repeat form lanes beyond the mask keep what they held.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// COUNT: values of argument 0:
// COUNT-NEXT: {{^}}  1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5{{$}}
func.func @count(%o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = ascend.alloc "d" at 0 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %x = arith.constant 1.5 : f32
  ascend.duplicate %d, %x count(%c8) : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MASK: values of argument 0:
// MASK-NEXT: {{^}}  1.5 1.5 1.5 2.5 2.5 2.5 2.5 2.5{{$}}
func.func @mask(%o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = ascend.alloc "d" at 0 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %x = arith.constant 1.5 : f32
  %y = arith.constant 2.5 : f32
  ascend.duplicate %d, %y count(%c8) : !ub, f32
  ascend.barrier v
  ascend.duplicate %d, %x mask 3 repeat(%c1) strides [1, 8] : !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
