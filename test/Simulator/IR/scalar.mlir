// RUN: attn-sim %s --check-effects --kernel=adds --arg=values:1,-0.5,nan,inf:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=ADDS
// RUN: attn-sim %s --check-effects --kernel=muls --arg=values:1,-0.5,nan,inf:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=MULS
// RUN: attn-sim %s --check-effects --kernel=maxs --arg=values:1,-0.5,nan,inf:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=MAXS
// RUN: attn-sim %s --check-effects --kernel=mins --arg=values:1,-0.5,nan,inf:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=MINS
// RUN: attn-sim %s --check-effects --kernel=leaky_relu --arg=values:1,-0.5,nan,-inf,inf,0,-3,-0:8xf32 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=LEAKY

// Functions of a buffer and a scalar.
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// ADDS: values of argument 1:
// ADDS-NEXT: {{^}}  3 1.5 nan inf 3 1.5 nan inf{{$}}
func.func @adds(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar adds %d, %bx, %two count(%c8) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MULS: values of argument 1:
// MULS-NEXT: {{^}}  2 -1 nan inf 2 -1 nan inf{{$}}
func.func @muls(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar muls %d, %bx, %two count(%c8) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MAXS: values of argument 1:
// MAXS-NEXT: {{^}}  2 2 nan inf 2 2 nan inf{{$}}
func.func @maxs(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar maxs %d, %bx, %two count(%c8) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// MINS: values of argument 1:
// MINS-NEXT: {{^}}  1 -0.5 nan 2 1 -0.5 nan 2{{$}}
func.func @mins(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar mins %d, %bx, %two count(%c8) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}

// LEAKY: values of argument 1:
// LEAKY-NEXT: {{^}}  1 -1 nan -inf inf 0 -6 -0{{$}}
func.func @leaky_relu(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %bx = ascend.alloc "x" at 0 : !ub
  ascend.copy_in %bx, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !ub, !gm
  %d = ascend.alloc "d" at 256 : !ub
  %op = ascend.address %o[%c0] : !gm -> !gm
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar leaky_relu %d, %bx, %two count(%c8) : !ub, !ub, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 8 : !gm, !ub
  ascend.barrier all
  return
}
}
