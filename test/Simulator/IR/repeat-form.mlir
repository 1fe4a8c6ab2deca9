// RUN: attn-sim %s --check-effects --kernel=broadcast --arg=iota:128xf32 --arg=values:10,20,30,40,50,60,70,80:8xf32 --arg=undef:128xf32 --print=2 | FileCheck %s --check-prefix=BROADCAST
// RUN: attn-sim %s --check-effects --kernel=accumulate --arg=iota:128xf32 --arg=zeros:8xf32 --arg=undef:128xf32 --print=2 | FileCheck %s --check-prefix=ACCUMULATE
// RUN: attn-sim %s --check-effects --kernel=masked --arg=iota:128xf32 --arg=ones:8xf32 --arg=undef:128xf32 --print=2 | FileCheck %s --check-prefix=MASKED
// RUN: attn-sim %s --check-effects --kernel=narrow --arg=iota:128xf32 --arg=ones:8xf32 --arg=undef:128xf32 --print=2 | FileCheck %s --check-prefix=NARROW

// The repeat form: masks, strides of blocks and repeats, strides of 0.
!gm = memref<?xf32, #ascend.space<gm>>
!in = memref<128xf32, #ascend.space<ub>>
!col = memref<8xf32, #ascend.space<ub>>
!half = memref<128xf16, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// One block against all eight of a repeat, the same in each repeat.
// BROADCAST: values of argument 2:
// BROADCAST-NEXT: {{^}}  10 21 32 43 54 65 76 87 18 29 {{.*}} 196 207{{$}}
func.func @broadcast(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %b = ascend.alloc "b" at 512 : !col
  %d = ascend.alloc "d" at 1024 : !in
  %h = ascend.alloc "h" at 2048 : !half
  %zero = arith.constant 0.0 : f32
  ascend.copy_in %a, %xp rows(%c1) length(%c128) src_pitch(%c128) dst_pitch 128 right_pad 0 : !in, !gm
  ascend.copy_in %b, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !col, !gm
  ascend.duplicate %d, %zero count(%c128) : !in, f32
  ascend.barrier all
  ascend.binary add %d, %a, %b mask 64 repeat(%c2) strides [1, 1, 0, 8, 8, 0] : !in, !in, !col
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !in
  ascend.barrier all
  return
}

// Repeat stride 0 on destination and second source adds up.
// ACCUMULATE: values of argument 2:
// ACCUMULATE-NEXT: {{^}}  64 66 68 {{.*}} 190 0 0
func.func @accumulate(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %b = ascend.alloc "b" at 512 : !col
  %d = ascend.alloc "d" at 1024 : !in
  %h = ascend.alloc "h" at 2048 : !half
  %zero = arith.constant 0.0 : f32
  ascend.copy_in %a, %xp rows(%c1) length(%c128) src_pitch(%c128) dst_pitch 128 right_pad 0 : !in, !gm
  ascend.copy_in %b, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !col, !gm
  ascend.duplicate %d, %zero count(%c128) : !in, f32
  ascend.barrier all
  ascend.binary add %d, %a, %d mask 64 repeat(%c2) strides [1, 1, 1, 0, 8, 0] : !in, !in, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !in
  ascend.barrier all
  return
}

// Lanes beyond the mask keep what they held; blocks two apart.
// MASKED: values of argument 2:
// MASKED-NEXT: {{^}}  2 3 4 5 6 7 8 9 0 0 0 0 0 0 0 0 10 11 12 13 0 0 0 {{.*}} 0 0{{$}}
func.func @masked(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %b = ascend.alloc "b" at 512 : !col
  %d = ascend.alloc "d" at 1024 : !in
  %h = ascend.alloc "h" at 2048 : !half
  %zero = arith.constant 0.0 : f32
  ascend.copy_in %a, %xp rows(%c1) length(%c128) src_pitch(%c128) dst_pitch 128 right_pad 0 : !in, !gm
  ascend.copy_in %b, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !col, !gm
  ascend.duplicate %d, %zero count(%c128) : !in, f32
  ascend.barrier all
  %two = arith.constant 2.0 : f32
  ascend.scalar adds %d, %a, %two mask 12 repeat(%c1) strides [2, 1, 8, 8] : !in, !in, f32
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !in
  ascend.barrier all
  return
}

// Repeats count by the wide side: 64 lanes are eight blocks of f32 and four of f16.
// NARROW: values of argument 2:
// NARROW-NEXT: {{^}}  0 1 2 {{.*}} 63 64 {{.*}} 127{{$}}
func.func @narrow(%x: !gm, %y: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %yp = ascend.address %y[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %b = ascend.alloc "b" at 512 : !col
  %d = ascend.alloc "d" at 1024 : !in
  %h = ascend.alloc "h" at 2048 : !half
  %zero = arith.constant 0.0 : f32
  ascend.copy_in %a, %xp rows(%c1) length(%c128) src_pitch(%c128) dst_pitch 128 right_pad 0 : !in, !gm
  ascend.copy_in %b, %yp rows(%c1) length(%c8) src_pitch(%c8) dst_pitch 8 right_pad 0 : !col, !gm
  ascend.duplicate %d, %zero count(%c128) : !in, f32
  ascend.barrier all
  ascend.cast rint %h, %a mask 64 repeat(%c2) strides [1, 1, 4, 8] : !half, !in
  ascend.barrier v
  ascend.cast none %d, %h mask 64 repeat(%c2) strides [1, 1, 8, 4] : !in, !half
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c128) dst_pitch(%c128) src_pitch 128 : !gm, !in
  ascend.barrier all
  return
}
}
