// RUN: attn-opt %s --emit=hivm --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=hivm | attn-opt | FileCheck %s --check-prefix=AGAIN

// One spelling per family. A view is a cast at its own address; a run-time amount is a subview of the most that fits.
!gm = memref<?xf32, #ascend.space<gm>>
!x = memref<?x128xf32, strided<[?, 1]>, #ascend.space<gm>>
!u = memref<512xf32, #ascend.space<ub>>
!h = memref<512xbf16, #ascend.space<ub>>
!w = memref<512xi32, #ascend.space<ub>>
!c = memref<8xf32, #ascend.space<ub>>
!t = memref<64xf32, #ascend.space<ub>>

// CHECK:       // instructions
// CHECK-NEXT:  //   unified buffer: 9504 bytes
// CHECK-NEXT:  //   arguments:
// CHECK-NEXT:  //     x: [T, 128] of float
// CHECK-NEXT:  //     T: int64_t
// CHECK-NEXT:  //     x_stride0: int64_t, in elements
// CHECK-NEXT:  //     n: int64_t
// CHECK-NEXT:  //     s: float
// CHECK-DAG:   #gm = #hivm.address_space<gm>
// CHECK-DAG:   #ub = #hivm.address_space<ub>
// CHECK:       module attributes {hivm.module_core_type = #hivm.module_core_type<AIV>}
// CHECK-LABEL: func.func @instructions(%x: memref<?xf32, #gm>, %T: i64, %x_stride0: i64, %n: i64, %s: f32)
// CHECK-SAME:  func_dyn_memref_args = dense<[true, false, false, false, false]> : vector<5xi1>, hacc.entry
// CHECK-SAME:  hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>
// AGAIN-LABEL: func.func @instructions
func.func @instructions(%x: !x {launch.dims = ["T", 128]} loc("x"), %n: index loc("n"), %s: f32 loc("s"))
    attributes {ascend.kernel, ascend.keep_composites} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c123 = arith.constant 123 : index
  %c500 = arith.constant 500 : index
  %pitch = ascend.stride %x, 0 : !x
  %u = ascend.alloc "u" at 0 : !u loc("u")
  %v = ascend.alloc "v" at 2048 : !u loc("v")
  %h = ascend.alloc "h" at 4096 : !h loc("h")
  %c = ascend.alloc "c" at 5120 : !c loc("c")
  %g = ascend.alloc "g" at 6432 : !h loc("g")
  %w = ascend.alloc "w" at 7456 : !w loc("w")
  %t = ascend.alloc "t" at 6176 : !t loc("t")
  %p = ascend.address %x[%n, %c0] : !x -> !gm
  // CHECK:      hivm.hir.set_mask_norm
  // CHECK:      %[[PITCH:.*]] = arith.index_cast %x_stride0 : i64 to index
  // CHECK:      %[[N:.*]] = arith.index_cast %n : i64 to index
  // CHECK:      %[[OFFSET:.*]] = arith.muli %[[N]], %[[PITCH]] : index
  // CHECK:      %[[G:.*]] = memref.reinterpret_cast %x to offset: [%[[OFFSET]]], sizes: [4, 123], strides: [%[[PITCH]], 1] : memref<?xf32, #gm> to memref<4x123xf32, strided<[?, 1], offset: ?>, #gm>
  // CHECK:      %[[U:.*]] = hivm.hir.pointer_cast(%c0_i64) : memref<4x123xf32, strided<[128, 1]>, #ub>
  // CHECK-NEXT: hivm.hir.load ins(%[[G]] : memref<4x123xf32, strided<[?, 1], offset: ?>, #gm>) outs(%[[U]] : memref<4x123xf32, strided<[128, 1]>, #ub>)
  ascend.copy_in %u, %p rows(%c4) length(%c123) src_pitch(%pitch) dst_pitch 128 right_pad 5 : !u, !gm
  // CHECK:      memref.subview %{{.*}}[0, 0] [%[[N]], 123] [1, 1] : memref<4x123xf32, strided<[128, 1]>, #ub> to memref<?x123xf32, strided<[128, 1]>, #ub>
  // CHECK:      hivm.hir.store ins(%{{.*}} : memref<?x123xf32, strided<[128, 1]>, #ub>) outs(%{{.*}} : memref<?x123xf32, strided<[?, 1], offset: ?>, #gm>)
  ascend.copy_out %p, %u rows(%n) length(%c123) dst_pitch(%pitch) src_pitch 128 : !gm, !u
  // CHECK:      hivm.hir.vexp ins(%{{.*}} : memref<500xf32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.unary exp %v, %u count(%c500) : !u, !u
  // CHECK:      hivm.hir.vln
  ascend.unary ln %v, %u count(%c500) : !u, !u
  // CHECK:      hivm.hir.vsqrt
  ascend.unary sqrt %v, %u count(%c500) : !u, !u
  // CHECK:      hivm.hir.vabs
  ascend.unary abs %v, %u count(%c500) : !u, !u
  // CHECK:      hivm.hir.vrelu
  ascend.unary relu %v, %u count(%c500) : !u, !u
  // CHECK:      %[[MOST:.*]] = hivm.hir.pointer_cast(%c2048_i64) : memref<512xf32, #ub>
  // CHECK-NEXT: %[[PART:.*]] = memref.subview %[[MOST]][0] [%[[N]]] [1] : memref<512xf32, #ub> to memref<?xf32, strided<[1]>, #ub>
  // CHECK:      hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<?xf32, strided<[1]>, #ub>, memref<?xf32, strided<[1]>, #ub>) outs(%[[PART]] : memref<?xf32, strided<[1]>, #ub>)
  ascend.binary div %v, %u, %v count(%n) : !u, !u, !u
  // CHECK:      hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<500xf32, #ub>, memref<500xf32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.binary add %v, %u, %v count(%c500) : !u, !u, !u
  // CHECK:      hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<500xf32, #ub>, memref<500xf32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.binary sub %v, %u, %v count(%c500) : !u, !u, !u
  // CHECK:      hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<500xf32, #ub>, memref<500xf32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.binary mul %v, %u, %v count(%c500) : !u, !u, !u
  // CHECK:      hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<500xf32, #ub>, memref<500xf32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.binary min %v, %u, %v count(%c500) : !u, !u, !u
  // In repeat form a repeat is a row; a source that stays is one row.
  // CHECK:      hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x64xf32, strided<[128, 1]>, #ub>, memref<1x64xf32, #ub>) outs(%{{.*}} : memref<4x64xf32, #ub>) broadcast = [0]
  ascend.binary max %v, %u, %t mask 64 repeat(%c4) strides [1, 1, 1, 8, 16, 0] : !u, !u, !t
  // CHECK:      hivm.hir.vmul ins(%{{.*}}, %s : memref<500xf32, #ub>, f32) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.scalar muls %v, %u, %s count(%c500) : !u, !u, f32
  // CHECK:      hivm.hir.vadd ins(%{{.*}}, %s : memref<500xf32, #ub>, f32) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.scalar adds %v, %u, %s count(%c500) : !u, !u, f32
  // CHECK:      hivm.hir.vmax ins(%{{.*}}, %s : memref<500xf32, #ub>, f32) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.scalar maxs %v, %u, %s count(%c500) : !u, !u, f32
  // CHECK:      hivm.hir.vmin ins(%{{.*}}, %s : memref<500xf32, #ub>, f32) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.scalar mins %v, %u, %s count(%c500) : !u, !u, f32
  // CHECK:      hivm.hir.vcast ins(%{{.*}} : memref<500xf32, #ub>) outs(%{{.*}} : memref<500xbf16, #ub>) round_mode = <rint>
  ascend.cast rint %h, %u count(%c500) : !h, !u
  // CHECK:      hivm.hir.vcast ins(%{{.*}} : memref<500xbf16, #ub>) outs(%{{.*}} : memref<500xf32, #ub>) round_mode = <rint>
  ascend.cast none %u, %h count(%c500) : !u, !h
  // CHECK:      hivm.hir.vcast ins(%{{.*}} : memref<500xi32, #ub>) outs(%{{.*}} : memref<500xf32, #ub>) round_mode = <rint>
  ascend.cast rint %u, %w count(%c500) : !u, !w
  // CHECK:      hivm.hir.vcast ins(%{{.*}} : memref<500xf32, #ub>) outs(%{{.*}} : memref<500xi32, #ub>) round_mode = <rint>
  ascend.cast rint %w, %u count(%c500) : !w, !u
  // CHECK:      hivm.hir.vtranspose ins(%{{.*}} : memref<16x32xbf16, #ub>) outs(%{{.*}} : memref<32x16xbf16, #ub>) permutation = [1, 0]
  ascend.transpose %g, %h repeat(%c2) strides [1, 2, 16, 1] : !h, !h
  // CHECK:      hivm.hir.vtranspose ins(%{{.*}} : memref<32x16xbf16, #ub>) outs(%{{.*}} : memref<16x32xbf16, #ub>) permutation = [1, 0]
  ascend.transpose %g, %h repeat(%c2) strides [2, 1, 1, 16] : !h, !h
  // CHECK:      hivm.hir.vcast {{.*}} round_mode = <trunc>
  ascend.cast trunc %h, %u count(%c500) : !h, !u
  // In repeat form rows are so many blocks apart, which are not as many elements in both types.
  // CHECK:      hivm.hir.vcast ins(%{{.*}} : memref<4x64xbf16, strided<[80, 1]>, #ub>) outs(%{{.*}} : memref<4x64xf32, strided<[128, 1]>, #ub>) round_mode = <rint>
  ascend.cast none %u, %h mask 64 repeat(%c4) strides [1, 1, 16, 5] : !u, !h
  // CHECK:      hivm.hir.vbrc ins(%s : f32) outs(%{{.*}} : memref<500xf32, #ub>)
  ascend.duplicate %v, %s count(%c500) : !u, f32
  // CHECK:      hivm.hir.vbrc ins(%s : f32) outs(%{{.*}} : memref<4x8xf32, strided<[128, 1]>, #ub>)
  ascend.duplicate %v, %s mask 8 repeat(%c4) strides [1, 16] : !u, f32
  // CHECK:      hivm.hir.copy ins(%{{.*}} : memref<8xf32, #ub>) outs(%{{.*}} : memref<8xf32, #ub>)
  ascend.copy %v, %u count(%c8) : !u, !u
  // CHECK:      %[[SCRATCH:.*]] = hivm.hir.pointer_cast(%c6176_i64) : memref<64xf32, #ub>
  // CHECK:      hivm.hir.vreduce <max> ins(%{{.*}} : memref<4x123xf32, strided<[128, 1]>, #ub>) outs(%{{.*}} : memref<4x1xf32, #ub>) temp_buffer(%[[SCRATCH]] : memref<64xf32, #ub>) reduce_dims = [1]
  ascend.row_reduce max %c, %u, %t rows(%c4) cols 123 pitch 128 : !c, !u, !t
  // CHECK:      hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x128xf32, #ub>, memref<4x1xf32, #ub>) outs(%{{.*}} : memref<4x128xf32, #ub>) temp_buffer(%[[SCRATCH]] : memref<64xf32, #ub>) broadcast = [1]
  ascend.row_binary sub %v, %u, %c, %t rows(%c4) cols 123 pitch 128 : !u, !u, !c, !t
  // CHECK:      hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x64xf32, #ub>, memref<1x64xf32, #ub>) outs(%{{.*}} : memref<4x64xf32, #ub>) broadcast = [0]
  ascend.col_binary add %v, %u, %t rows(%c4) cols 64 pitch 64 : !u, !u, !t
  // CHECK:      hivm.hir.pipe_barrier[<PIPE_ALL>]
  // CHECK-NEXT: return
  ascend.barrier all
  return
}
