// RUN: attn-sim %s --check-effects --kernel=count --arg=values:1.00000012,2,3,inf:8xf32 --arg=values:1.00000012,3,-1,0:8xf32 --arg=values:-1.00000024,1,1,1:8xf32 --arg=undef:8xf32 --print=3 | FileCheck %s --check-prefix=CHECK

// dst += lhs * rhs: the product is rounded before it is added.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// 1.0000001 squared is 1.0000002 in f32; a fused product would leave 1.42e-14.
// CHECK: values of argument 3:
// CHECK-NEXT: {{^}}  0 7 -2 nan 0 7 -2 nan{{$}}
func.func @count(%x: !gm, %y: !gm, %z: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %zp = ascend.address %z[%c0] : !gm -> !gm
  %bz = ascend.alloc "z" at 512 : !ub
  ascend.copy_in %bz, %zp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 768 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.copy %d, %bz count(%c8) : !ub, !ub
  ascend.barrier v
  ascend.mul_add %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
