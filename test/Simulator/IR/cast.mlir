// RUN: attn-sim %s --check-effects --kernel=integers_rint --arg=values:16777217,16777219,-16777217,-16777219,33554435,-33554435,7,0:8xi32 --arg=undef:8xi32 --print=1 | FileCheck %s --check-prefix=INTEGERS-RINT
// RUN: attn-sim %s --check-effects --kernel=integers_round --arg=values:16777217,16777219,-16777217,-16777219,33554435,-33554435,7,0:8xi32 --arg=undef:8xi32 --print=1 | FileCheck %s --check-prefix=INTEGERS-ROUND
// RUN: attn-sim %s --check-effects --kernel=integers_floor --arg=values:16777217,16777219,-16777217,-16777219,33554435,-33554435,7,0:8xi32 --arg=undef:8xi32 --print=1 | FileCheck %s --check-prefix=INTEGERS-FLOOR
// RUN: attn-sim %s --check-effects --kernel=integers_ceil --arg=values:16777217,16777219,-16777217,-16777219,33554435,-33554435,7,0:8xi32 --arg=undef:8xi32 --print=1 | FileCheck %s --check-prefix=INTEGERS-CEIL
// RUN: attn-sim %s --check-effects --kernel=integers_trunc --arg=values:16777217,16777219,-16777217,-16777219,33554435,-33554435,7,0:8xi32 --arg=undef:8xi32 --print=1 | FileCheck %s --check-prefix=INTEGERS-TRUNC
// RUN: attn-sim %s --check-effects --kernel=rint_bf16 --arg=values:1.00390625,1.01171875,-1.00390625,3e38,3.4e38,-0,nan,1e-40:8xf32 --arg=undef:8xbf16 --print=1 | FileCheck %s --check-prefix=RINT-BF16
// RUN: attn-sim %s --check-effects --kernel=round_bf16 --arg=values:1.00390625,1.01171875,-1.00390625,3e38,3.4e38,-0,nan,1e-40:8xf32 --arg=undef:8xbf16 --print=1 | FileCheck %s --check-prefix=ROUND-BF16
// RUN: attn-sim %s --check-effects --kernel=floor_bf16 --arg=values:1.00390625,1.01171875,-1.00390625,3e38,3.4e38,-0,nan,1e-40:8xf32 --arg=undef:8xbf16 --print=1 | FileCheck %s --check-prefix=FLOOR-BF16
// RUN: attn-sim %s --check-effects --kernel=rint_f16 --arg=values:1.00048828125,1.00146484375,65519,65520,-65520,6e-8,1e-9,-0:8xf32 --arg=undef:8xf16 --print=1 | FileCheck %s --check-prefix=RINT-F16
// RUN: attn-sim %s --check-effects --kernel=ceil_f16 --arg=values:1.00048828125,1.00146484375,65519,65520,-65520,6e-8,1e-9,-0:8xf32 --arg=undef:8xf16 --print=1 | FileCheck %s --check-prefix=CEIL-F16
// RUN: attn-sim %s --check-effects --kernel=trunc_f16 --arg=values:1.00048828125,1.00146484375,65519,65520,-65520,6e-8,1e-9,-1e-9:8xf32 --arg=undef:8xf16 --print=1 | FileCheck %s --check-prefix=TRUNC-F16
// RUN: attn-sim %s --check-effects --kernel=widen --arg=values:1.5,-0,nan,inf,5.9604645e-08,65504,-2,0:8xf16 --arg=undef:8xf32 --print=1 | FileCheck %s --check-prefix=WIDEN

// Casts round as named, overflow to infinity and drop the sign of zero; widening is exact.
module attributes {machine.target = #machine.target<"Ascend910B4">} {

// RINT-BF16: values of argument 1:
// RINT-BF16-NEXT: {{^}}  1 1.015625 -1 3.004055e+38 inf 0 nan 9.18355e-41{{$}}
func.func @rint_bf16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xbf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xbf16, #ascend.space<gm>> -> memref<?xbf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xbf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast rint %d, %a count(%c8) : memref<16xbf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xbf16, #ascend.space<gm>>, memref<16xbf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// ROUND-BF16: values of argument 1:
// ROUND-BF16-NEXT: {{^}}  1.007812 1.015625 -1.007812 3.004055e+38 inf 0 nan 9.18355e-41{{$}}
func.func @round_bf16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xbf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xbf16, #ascend.space<gm>> -> memref<?xbf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xbf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast round %d, %a count(%c8) : memref<16xbf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xbf16, #ascend.space<gm>>, memref<16xbf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// FLOOR-BF16: values of argument 1:
// FLOOR-BF16-NEXT: {{^}}  1 1.007812 -1.007812 2.990763e+38 3.389531e+38 0 nan 9.18355e-41{{$}}
func.func @floor_bf16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xbf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xbf16, #ascend.space<gm>> -> memref<?xbf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xbf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast floor %d, %a count(%c8) : memref<16xbf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xbf16, #ascend.space<gm>>, memref<16xbf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// RINT-F16: values of argument 1:
// RINT-F16-NEXT: {{^}}  1 1.001953 65504 inf -inf 5.960464e-08 0 0{{$}}
func.func @rint_f16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast rint %d, %a count(%c8) : memref<16xf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xf16, #ascend.space<gm>>, memref<16xf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// CEIL-F16: values of argument 1:
// CEIL-F16-NEXT: {{^}}  1.000977 1.001953 inf inf -65504 1.192093e-07 5.960464e-08 0{{$}}
func.func @ceil_f16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast ceil %d, %a count(%c8) : memref<16xf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xf16, #ascend.space<gm>>, memref<16xf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// TRUNC-F16: values of argument 1:
// TRUNC-F16-NEXT: {{^}}  1 1.000977 65504 65504 -65504 5.960464e-08 0 0{{$}}
func.func @trunc_f16(%x: memref<?xf32, #ascend.space<gm>>, %o: memref<?xf16, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf16, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf32, #ascend.space<ub>>, memref<?xf32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast trunc %d, %a count(%c8) : memref<16xf16, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xf16, #ascend.space<gm>>, memref<16xf16, #ascend.space<ub>>
  ascend.barrier all
  return
}

// WIDEN: values of argument 1:
// WIDEN-NEXT: {{^}}  1.5 -0 nan inf 5.960464e-08 65504 -2 0{{$}}
func.func @widen(%x: memref<?xf16, #ascend.space<gm>>, %o: memref<?xf32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xf16, #ascend.space<gm>> -> memref<?xf16, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xf32, #ascend.space<gm>> -> memref<?xf32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xf16, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xf16, #ascend.space<ub>>, memref<?xf16, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast none %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xf16, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xf32, #ascend.space<gm>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  return
}

// 2^24 + 1 and 2^24 + 3 lie half-way between two floats; back to integers nothing is rounded.
// INTEGERS-RINT: values of argument 1:
// INTEGERS-RINT-NEXT: {{^}}  16777216 16777220 -16777216 -16777220 33554436 -33554436 7 0{{$}}
func.func @integers_rint(%x: memref<?xi32, #ascend.space<gm>>, %o: memref<?xi32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xi32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xi32, #ascend.space<ub>>, memref<?xi32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast rint %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  ascend.cast rint %a, %d count(%c8) : memref<16xi32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xi32, #ascend.space<gm>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  return
}
// INTEGERS-ROUND: values of argument 1:
// INTEGERS-ROUND-NEXT: {{^}}  16777218 16777220 -16777218 -16777220 33554436 -33554436 7 0{{$}}
func.func @integers_round(%x: memref<?xi32, #ascend.space<gm>>, %o: memref<?xi32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xi32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xi32, #ascend.space<ub>>, memref<?xi32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast round %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  ascend.cast rint %a, %d count(%c8) : memref<16xi32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xi32, #ascend.space<gm>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  return
}
// INTEGERS-FLOOR: values of argument 1:
// INTEGERS-FLOOR-NEXT: {{^}}  16777216 16777218 -16777218 -16777220 33554432 -33554436 7 0{{$}}
func.func @integers_floor(%x: memref<?xi32, #ascend.space<gm>>, %o: memref<?xi32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xi32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xi32, #ascend.space<ub>>, memref<?xi32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast floor %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  ascend.cast rint %a, %d count(%c8) : memref<16xi32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xi32, #ascend.space<gm>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  return
}
// INTEGERS-CEIL: values of argument 1:
// INTEGERS-CEIL-NEXT: {{^}}  16777218 16777220 -16777216 -16777218 33554436 -33554432 7 0{{$}}
func.func @integers_ceil(%x: memref<?xi32, #ascend.space<gm>>, %o: memref<?xi32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xi32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xi32, #ascend.space<ub>>, memref<?xi32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast ceil %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  ascend.cast rint %a, %d count(%c8) : memref<16xi32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xi32, #ascend.space<gm>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  return
}
// INTEGERS-TRUNC: values of argument 1:
// INTEGERS-TRUNC-NEXT: {{^}}  16777216 16777218 -16777216 -16777218 33554432 -33554432 7 0{{$}}
func.func @integers_trunc(%x: memref<?xi32, #ascend.space<gm>>, %o: memref<?xi32, #ascend.space<gm>> {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %xp = ascend.address %x[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %op = ascend.address %o[%c0] : memref<?xi32, #ascend.space<gm>> -> memref<?xi32, #ascend.space<gm>>
  %a = ascend.alloc "a" at 0 : memref<16xi32, #ascend.space<ub>>
  %d = ascend.alloc "d" at 64 : memref<16xf32, #ascend.space<ub>>
  ascend.copy_in %a, %xp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 16 right_pad 0 : memref<16xi32, #ascend.space<ub>>, memref<?xi32, #ascend.space<gm>>
  ascend.barrier all
  ascend.cast trunc %d, %a count(%c8) : memref<16xf32, #ascend.space<ub>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  ascend.cast rint %a, %d count(%c8) : memref<16xi32, #ascend.space<ub>>, memref<16xf32, #ascend.space<ub>>
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c8) dst_pitch(%c8) src_pitch 16 : memref<?xi32, #ascend.space<gm>>, memref<16xi32, #ascend.space<ub>>
  ascend.barrier all
  return
}
}
