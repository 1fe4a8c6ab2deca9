// RUN: attn-sim %s --check-effects --kernel=exp --arg=values:0,1,-1,inf,-inf,nan,0.5,2:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=EXP
// RUN: attn-sim %s --check-effects --kernel=ln --arg=values:1,2,0,-1,inf,nan,0.5,4:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=LN
// RUN: attn-sim %s --check-effects --kernel=sqrt --arg=values:4,2,0,-0,-1,inf,nan,0.25:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=SQRT
// RUN: attn-sim %s --check-effects --kernel=abs --arg=values:1,-1,-0,0,-inf,nan,2.5,-2.5:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=ABS
// RUN: attn-sim %s --check-effects --kernel=relu --arg=values:1,-1,-0,0,-inf,nan,inf,-2.5:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=RELU

// Functions of one operand; NaN and infinities as IEEE says.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// EXP: values of argument 1:
// EXP-NEXT: {{^}}  1 2.718282 0.3678795 inf 0 nan 1.648721 7.389056{{$}}
func.func @exp(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.unary exp %d, %bx count(%c8) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// LN: values of argument 1:
// LN-NEXT: {{^}}  0 0.6931472 -inf nan inf nan -0.6931472 1.386294{{$}}
func.func @ln(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.unary ln %d, %bx count(%c8) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// SQRT: values of argument 1:
// SQRT-NEXT: {{^}}  2 1.414214 0 -0 nan inf nan 0.5{{$}}
func.func @sqrt(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.unary sqrt %d, %bx count(%c8) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// ABS: values of argument 1:
// ABS-NEXT: {{^}}  1 1 0 0 inf nan 2.5 2.5{{$}}
func.func @abs(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.unary abs %d, %bx count(%c8) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// RELU: values of argument 1:
// RELU-NEXT: {{^}}  1 0 0 0 0 nan inf 0{{$}}
func.func @relu(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  ascend.unary relu %d, %bx count(%c8) : !ub, !ub
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
