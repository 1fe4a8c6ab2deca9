// RUN: attn-opt %s | attn-opt | FileCheck %s

!gm = memref<?xbf16, #ascend.space<gm>>
!row16 = memref<8192xbf16, #ascend.space<ub>>
!row = memref<8192xf32, #ascend.space<ub>>
!any = memref<?xf32, #ascend.space<ub>>
!col = memref<8xf32, #ascend.space<ub>>

// CHECK-LABEL: func.func @ops
func.func @ops(%V: memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>, %eps: f32, %n: index) attributes {ascend.kernel, ascend.kind = #ascend.kernel_kind<meeting_vector>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %id = ascend.block_id
  // CHECK: ascend.core_id
  %core = ascend.core_id
  // CHECK: ascend.sub_block_id
  %sub = ascend.sub_block_id
  %s = ascend.stride %V, 1 : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
  %p = ascend.address %V[%n, %id, %c0] : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>> -> !gm
  // CHECK: ascend.alloc "v" at 0 : memref<2x8192xbf16, #ascend.space<ub>>
  %v = ascend.alloc "v" at 0 : memref<2x8192xbf16, #ascend.space<ub>>
  // CHECK: ascend.alloc "v32" counted 16384 : memref<8192xf32, #ascend.space<ub>>
  %v32 = ascend.alloc "v32" counted 16384 : !row
  // CHECK: ascend.alloc "a" : memref<2x64xf16, #ascend.space<l0a>>
  %a = ascend.alloc "a" : memref<2x64xf16, #ascend.space<l0a>>
  %c = ascend.alloc "c" : !col
  %t = ascend.alloc "scratch" : memref<1152xf32, #ascend.space<ub>>
  %slot = ascend.slot %v[%c1] : memref<2x8192xbf16, #ascend.space<ub>> -> !row16
  // CHECK: ascend.copy_in
  ascend.copy_in %slot, %p rows(%n) length(%c4096) src_pitch(%s) dst_pitch 4096 right_pad 0 : !row16, !gm
  // CHECK: ascend.copy_in {{.*}} right_pad 0 bypass_l2 :
  ascend.copy_in %slot, %p rows(%n) length(%c4096) src_pitch(%s) dst_pitch 4096 right_pad 0 bypass_l2 : !row16, !gm
  // CHECK: ascend.copy_out {{.*}} src_pitch 4096 bypass_l2 :
  ascend.copy_out %p, %slot rows(%n) length(%c4096) dst_pitch(%s) src_pitch 4096 bypass_l2 : !gm, !row16
  // CHECK: ascend.set_flag mte2 to v event 0 slot(%{{.*}}) of 2
  ascend.set_flag mte2 to v event 0 slot(%c1) of 2
  ascend.wait_flag mte2 to v event 0 slot(%c1) of 2
  // CHECK: ascend.cast none %{{.*}}, %{{.*}} count(%{{.*}})
  ascend.cast none %v32, %slot count(%c4096) : !row, !row16
  // CHECK: ascend.transpose %{{.*}}, %{{.*}} repeat(%{{.*}}) strides [1, 4, 16, 1] : memref<1024xf16, #ascend.space<ub>>, memref<1024xf16, #ascend.space<ub>>
  %x16 = ascend.alloc "x16" : memref<1024xf16, #ascend.space<ub>>
  %y16 = ascend.alloc "y16" : memref<1024xf16, #ascend.space<ub>>
  ascend.transpose %y16, %x16 repeat(%c1) strides [1, 4, 16, 1] : memref<1024xf16, #ascend.space<ub>>, memref<1024xf16, #ascend.space<ub>>
  ascend.barrier v
  %half = ascend.slice %v32[%c4096] : !row -> !any
  // CHECK: ascend.binary mul {{.*}} mask 64 repeat(%{{.*}}) strides [1, 1, 0, 8, 8, 0]
  ascend.binary mul %half, %half, %c mask 64 repeat(%n) strides [1, 1, 0, 8, 8, 0] : !any, !any, !col
  ascend.scalar adds %v32, %v32, %eps count(%n) : !row, !row, f32
  ascend.row_reduce sum %c, %v32, %t rows(%n) cols 4096 pitch 4096 : !col, !row, memref<1152xf32, #ascend.space<ub>>
  // CHECK: ascend.sync_all
  ascend.sync_all
  // CHECK: ascend.cross_set mte3 flag 0
  ascend.cross_set mte3 flag 0
  // CHECK: ascend.cross_wait flag 10
  ascend.cross_wait flag 10
  // CHECK: ascend.cross_wait flag 2 heard [1, 1, 4, -1]
  ascend.cross_wait flag 2 heard [1, 1, 4, -1]
  ascend.barrier all
  return
}
