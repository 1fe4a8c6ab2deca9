// RUN: attn-sim %s --check-effects --kernel=sum --arg=iota:64xf32 --arg=undef:9xf32 --print=1 | FileCheck %s --check-prefix=SUM
// RUN: attn-sim %s --check-effects --kernel=sum_mask --arg=iota:64xf32 --arg=undef:4xf32 --print=1 | FileCheck %s --check-prefix=SUM_MASK
// RUN: attn-sim %s --check-effects --kernel=sum_two --arg=ones:128xf32 --arg=undef:17xf32 --print=1 | FileCheck %s --check-prefix=SUM_TWO
// RUN: attn-sim %s --check-effects --kernel=max --arg=iota:64xf32 --arg=undef:3xf32 --print=1 | FileCheck %s --check-prefix=MAX
// RUN: attn-sim %s --check-effects --kernel=min --arg=iota:64xf32 --arg=undef:3xf32 --print=1 | FileCheck %s --check-prefix=MIN

// One value per block; a block without active lanes leaves its result as it was.
!gm = memref<?xf32, #ascend.space<gm>>
!in = memref<512xf32, #ascend.space<ub>>
!out = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// SUM: values of argument 1:
// SUM-NEXT: {{^}}  28 92 156 220 284 348 412 476 -7{{$}}
func.func @sum(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.block_reduce sum %d, %a mask 64 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c9) dst_pitch(%c9) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// SUM_MASK: values of argument 1:
// SUM_MASK-NEXT: {{^}}  28 92 70 -7{{$}}
func.func @sum_mask(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.block_reduce sum %d, %a mask 20 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c4) dst_pitch(%c4) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// SUM_TWO: values of argument 1:
// SUM_TWO-NEXT: {{^}}  8 8 8 8 8 8 8 8 -7 -7 -7 -7 -7 -7 -7 -7 8{{$}}
func.func @sum_two(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c17 = arith.constant 17 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c128) src_pitch(%c128) dst_pitch 128 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.block_reduce sum %d, %a mask 64 repeat(%c2) strides [2, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c17) dst_pitch(%c17) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// MAX: values of argument 1:
// MAX-NEXT: {{^}}  7 11 -7{{$}}
func.func @max(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.block_reduce max %d, %a mask 12 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c3) dst_pitch(%c3) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// MIN: values of argument 1:
// MIN-NEXT: {{^}}  0 8 -7{{$}}
func.func @min(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.block_reduce min %d, %a mask 12 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c3) dst_pitch(%c3) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}
}
