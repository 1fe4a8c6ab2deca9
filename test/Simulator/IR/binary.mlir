// RUN: attn-sim %s --check-effects --kernel=add --arg=values:1,inf,-inf,nan,-0,0,1e38,3:8xf32 --arg=values:2,1,inf,1,-0,-0,3e38,-3:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=ADD
// RUN: attn-sim %s --check-effects --kernel=sub --arg=values:1,inf,inf,nan,-0,0,1,3:8xf32 --arg=values:2,1,inf,1,0,0,1,-3:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=SUB
// RUN: attn-sim %s --check-effects --kernel=mul --arg=values:2,inf,inf,nan,-0,0.5,1e20,3:8xf32 --arg=values:3,0,-2,1,1,0.5,1e20,-3:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=MUL
// RUN: attn-sim %s --check-effects --kernel=div --arg=values:1,0,1,nan,-1,3,inf,1:8xf32 --arg=values:4,0,0,1,0,-2,inf,inf:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=DIV
// RUN: attn-sim %s --check-effects --kernel=max --arg=values:1,nan,1,-inf,2,-1,5,0:8xf32 --arg=values:2,1,nan,-1,-2,-3,5,1:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=MAX
// RUN: attn-sim %s --check-effects --kernel=min --arg=values:1,nan,1,-inf,2,-1,5,0:8xf32 --arg=values:2,1,nan,-1,-2,-3,5,1:8xf32 --arg=undef:8xf32 --print=2 | FileCheck %s --check-prefix=MIN

// Functions of two operands; maximum and minimum hand on NaN.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// ADD: values of argument 2:
// ADD-NEXT: {{^}}  3 inf nan nan -0 0 inf 0{{$}}
func.func @add(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary add %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// SUB: values of argument 2:
// SUB-NEXT: {{^}}  -1 inf nan nan -0 0 0 6{{$}}
func.func @sub(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary sub %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MUL: values of argument 2:
// MUL-NEXT: {{^}}  6 nan -inf nan -0 0.25 inf -9{{$}}
func.func @mul(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary mul %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// DIV: values of argument 2:
// DIV-NEXT: {{^}}  0.25 nan inf nan -inf -1.5 nan 0{{$}}
func.func @div(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary div %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MAX: values of argument 2:
// MAX-NEXT: {{^}}  2 nan nan -1 2 -1 5 1{{$}}
func.func @max(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary max %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MIN: values of argument 2:
// MIN-NEXT: {{^}}  1 nan nan -inf -2 -3 5 0{{$}}
func.func @min(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %by = ascend.alloc "y" at 256 : !ub
  ascend.copy_in %by, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 512 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.binary min %d, %bx, %by count(%c8) : !ub, !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
