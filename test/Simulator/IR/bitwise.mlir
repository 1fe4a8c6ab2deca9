// RUN: attn-sim %s --check-effects --kernel=count --arg=values:1,-2,nan,inf:8xf32 --arg=values:1,0,1,0:8xf32 --arg=undef:16xf32 --print=2 | FileCheck %s

// All bits of an element or none, as casts of -1 and 0 give them: nothing of what is dropped shows.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!word = memref<64xi32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// CHECK: values of argument 2:
// CHECK-NEXT: {{^}}  1 0 nan 0 1 0 nan 0 1 -2 nan inf 1 -2 nan inf{{$}}
func.func @count(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %m = ascend.alloc "m" at 512 : !word
  %d = ascend.alloc "d" at 768 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.scalar muls %by, %by, %minus count(%c8) : !ub, !ub, f32
  ascend.barrier v
  ascend.cast rint %m, %by count(%c8) : !word, !ub
  ascend.barrier v
  ascend.bitwise and %d, %bx, %m count(%c8) : !ub, !ub, !word
  ascend.barrier v
  // The kept bits and those of the number itself are the number.
  %second = ascend.slice %d[%c8] : !ub -> memref<?xf32, #ascend.space<ub>>
  ascend.bitwise or %second, %d, %bx mask 8 repeat(%c1) strides [1, 1, 1, 8, 8, 8] : memref<?xf32, #ascend.space<ub>>, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}
}
