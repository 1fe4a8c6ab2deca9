// RUN: attn-sim %s --check-effects --kernel=padded --arg=iota:2x5xf32@7,1 --arg=undef:16xf32 --print=1 | FileCheck %s --check-prefix=PADDED
// RUN: attn-sim %s --check-effects --kernel=plain --arg=values:3,4,5,6,7:2x5xf32 --arg=undef:16xf32 --print=1 | FileCheck %s --check-prefix=PLAIN
// RUN: attn-sim %s --check-effects --kernel=empty --arg=iota:2x5xf32 --arg=undef:16xf32 --print=1 | FileCheck %s --check-prefix=EMPTY

// GM to UB: rows at a pitch; zeros for the padding asked for and the rest of its block; without padding the
// rest of a row repeats its first element; no rows, no length: nothing.
!gm2 = memref<?x?xf32, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<16xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// PADDED: values of argument 1:
// PADDED-NEXT: {{^}}  0 1 2 3 4 0 0 0 5 6 7 8 9 0 0 0{{$}}
func.func @padded(%x: !gm2, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1.0 : f32
  %pitch = ascend.stride %x, 0 : !gm2
  %xp = ascend.address %x[%c0, %c0] : !gm2 -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  ascend.duplicate %a, %minus count(%c16) : !ub, f32
  ascend.barrier all
  ascend.copy_in %a, %xp rows(%c2) length(%c5) src_pitch(%pitch) dst_pitch 8 right_pad 1 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}

// PLAIN: values of argument 1:
// PLAIN-NEXT: {{^}}  3 4 5 6 7 3 3 3 3 4 5 6 7 3 3 3{{$}}
func.func @plain(%x: !gm2, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1.0 : f32
  %pitch = ascend.stride %x, 0 : !gm2
  %xp = ascend.address %x[%c0, %c0] : !gm2 -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  ascend.duplicate %a, %minus count(%c16) : !ub, f32
  ascend.barrier all
  ascend.copy_in %a, %xp rows(%c2) length(%c5) src_pitch(%pitch) dst_pitch 8 right_pad 0 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}

// EMPTY: values of argument 1:
// EMPTY-NEXT: {{^}}  -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1{{$}}
func.func @empty(%x: !gm2, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1.0 : f32
  %pitch = ascend.stride %x, 0 : !gm2
  %xp = ascend.address %x[%c0, %c0] : !gm2 -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !ub
  ascend.duplicate %a, %minus count(%c16) : !ub, f32
  ascend.barrier all
  ascend.copy_in %a, %xp rows(%c0) length(%c5) src_pitch(%pitch) dst_pitch 8 right_pad 1 : !ub, !gm
  ascend.barrier all
  ascend.copy_out %op, %a rows(%c1) length(%c16) dst_pitch(%c16) src_pitch 16 : !gm, !ub
  ascend.barrier all
  return
}
}
