// RUN: attn-sim %s --check-effects --kernel=sum --arg=iota:128xf32 --arg=undef:3xf32 --print=1 | FileCheck %s --check-prefix=SUM
// RUN: attn-sim %s --check-effects --kernel=sum_mask --arg=iota:128xf32 --arg=undef:4xf32 --print=1 | FileCheck %s --check-prefix=SUM_MASK
// RUN: attn-sim %s --check-effects --kernel=sum_tree --arg=values:1e8,1,-1e8,1,0,0,0,0:64xf32 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=SUM_TREE
// RUN: attn-sim %s --check-effects --kernel=max --arg=values:1,5,-3,2,0,0,0,-1:64xf32 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=MAX
// RUN: attn-sim %s --check-effects --kernel=max_nan --arg=values:1,nan,3,4:64xf32 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=MAX_NAN
// RUN: attn-sim %s --check-effects --kernel=min --arg=values:1,5,-3,2,-9,-9,-9,-9:64xf32 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=MIN
// RUN: attn-sim %s --check-effects --kernel=sum_blocks --arg=iota:128xf32 --arg=undef:1xf32 --print=1 | FileCheck %s --check-prefix=SUM_BLOCKS

// One value per repeat by a tree over neighbours; lanes beyond the mask take no part.
!gm = memref<?xf32, #ascend.space<gm>>
!in = memref<512xf32, #ascend.space<ub>>
!out = memref<64xf32, #ascend.space<ub>>

module attributes {machine.target = #machine.target<"Ascend910B4">} {

// SUM: values of argument 1:
// SUM-NEXT: {{^}}  2016 6112 -7{{$}}
func.func @sum(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
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
  ascend.whole_reduce sum %d, %a mask 64 repeat(%c2) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c3) dst_pitch(%c3) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// SUM_MASK: values of argument 1:
// SUM_MASK-NEXT: {{^}}  10 -7 330 -7{{$}}
func.func @sum_mask(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
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
  ascend.whole_reduce sum %d, %a mask 5 repeat(%c2) strides [2, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c4) dst_pitch(%c4) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// SUM_TREE: values of argument 1:
// SUM_TREE-NEXT: {{^}}  0{{$}}
func.func @sum_tree(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.whole_reduce sum %d, %a mask 4 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// MAX: values of argument 1:
// MAX-NEXT: {{^}}  5{{$}}
func.func @max(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.whole_reduce max %d, %a mask 4 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// MAX_NAN: values of argument 1:
// MAX_NAN-NEXT: {{^}}  nan{{$}}
func.func @max_nan(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.whole_reduce max %d, %a mask 64 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// MIN: values of argument 1:
// MIN-NEXT: {{^}}  -3{{$}}
func.func @min(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %old = arith.constant -7.0 : f32
  %xp = ascend.address %x[%c0] : !gm -> !gm
  %op = ascend.address %o[%c0] : !gm -> !gm
  %a = ascend.alloc "a" at 0 : !in
  %d = ascend.alloc "d" at 2048 : !out
  ascend.copy_in %a, %xp rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !in, !gm
  ascend.duplicate %d, %old count(%c64) : !out, f32
  ascend.barrier all
  ascend.whole_reduce min %d, %a mask 4 repeat(%c1) strides [1, 1, 8] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}

// SUM_BLOCKS: values of argument 1:
// SUM_BLOCKS-NEXT: {{^}}  184{{$}}
func.func @sum_blocks(%x: !gm, %o: !gm {launch.output}) attributes {ascend.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
  ascend.whole_reduce sum %d, %a mask 16 repeat(%c1) strides [1, 2, 0] : !out, !in
  ascend.barrier all
  ascend.copy_out %op, %d rows(%c1) length(%c1) dst_pitch(%c1) src_pitch 64 : !gm, !out
  ascend.barrier all
  return
}
}
