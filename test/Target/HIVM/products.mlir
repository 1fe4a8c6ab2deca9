// RUN: attn-opt %s --emit=hivm --no-line-directives | FileCheck %s
// RUN: attn-opt %s --emit=hivm | attn-opt -o /dev/null

// Products on cube cores: sizes of arrays are those of the run, fractals have room for a number of rows that is known.
!array = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!result = memref<?x?xf16, strided<[?, 1]>, #ascend.space<gm>>
!gm = memref<?xf16, #ascend.space<gm>>
!a = memref<4096xf16, #ascend.space<l1>>
!b = memref<8192xf16, #ascend.space<l1>>
!l0a = memref<32768xf16, #ascend.space<l0a>>
!l0b = memref<32768xf16, #ascend.space<l0b>>
!c = memref<8192xf32, #ascend.space<l0c>>

// CHECK:       module attributes {hivm.module_core_type = #hivm.module_core_type<AIC>}
// CHECK:       func.func @product_infer_task_type_function() -> i8
// CHECK-NEXT:    %c20_i8 = arith.constant 20 : i8
// CHECK-LABEL: func.func @product(
// CHECK-SAME:  hivm.func_core_type = #hivm.func_core_type<AIC>
func.func @product(%A: !array {launch.dims = ["M", "K"]}, %B: !array {launch.dims = ["N", "K"]}, %C: !result {launch.dims = ["M", "N"], launch.output})
    attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  %M = ascend.dim %A, 0 : !array
  %N = ascend.dim %B, 0 : !array
  %K = ascend.dim %A, 1 : !array
  %sa = ascend.stride %A, 0 : !array
  %sb = ascend.stride %B, 0 : !array
  %sc = ascend.stride %C, 0 : !result
  %a = ascend.alloc "a" at 0 : !a
  %b = ascend.alloc "b" at 8192 : !b
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !c
  %pa = ascend.address %A[%c0, %c0] : !array -> !gm
  %pb = ascend.address %B[%c0, %c0] : !array -> !gm
  %pc = ascend.address %C[%c0, %c0] : !result -> !gm
  // What L1 lacks is filled run by run.
  // CHECK:      scf.for %[[BLOCK:.*]] = %c0 to %c4 step %c1
  // CHECK:        %[[DISTANCE:.*]] = arith.muli %{{.*}}, %c2048_i64 : i64
  // CHECK:        %[[FILLED:.*]] = hivm.hir.pointer_cast(%{{.*}}) [%{{.*}}] : memref<?xf16, #cbuf>
  // CHECK-NEXT:   hivm.hir.vbrc ins(%{{.*}} : f16) outs(%[[FILLED]] : memref<?xf16, #cbuf>)
  %c4 = arith.constant 4 : index
  %missing = arith.subi %c64, %M : index
  ascend.fill %a, %zero repeat(%c4) blocks(%missing) pitch 64 : !a, f16
  ascend.barrier mte2
  // CHECK:      %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: {{.*}} sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, 1]
  // CHECK-NEXT: %[[LEFT:.*]] = hivm.hir.pointer_cast(%c0_i64) : memref<4x4x16x16xf16, #cbuf>
  // CHECK-NEXT: hivm.hir.nd2nz {dst_continuous} ins(%[[A]] : memref<?x?xf16, strided<[?, 1], offset: ?>, #gm>) outs(%[[LEFT]] : memref<4x4x16x16xf16, #cbuf>) init_out_buffer = false
  ascend.nd_to_nz %a, %pa rows(%M) cols(%K) src_pitch(%sa) dst_rows 64 : !a, !gm
  // CHECK:      %[[RIGHT:.*]] = hivm.hir.pointer_cast(%c8192_i64) : memref<4x8x16x16xf16, #cbuf>
  // CHECK-NEXT: hivm.hir.nd2nz
  ascend.nd_to_nz %b, %pb rows(%N) cols(%K) src_pitch(%sb) dst_rows 128 : !b, !gm
  // CHECK-NEXT: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
  ascend.set_flag mte2 to mte1 event 0
  // CHECK-NEXT: hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
  ascend.wait_flag mte2 to mte1 event 0
  // The sizes are m, k, n. Sums lie as m has room, which is known here.
  // CHECK:      %[[SUMS:.*]] = hivm.hir.pointer_cast(%c0_i64) : memref<8x4x16x16xf32, #cc>
  // CHECK-NEXT: hivm.hir.mmadL1 {b_transpose} ins(%[[LEFT]], %[[RIGHT]], %true, %c64, %[[K:.*]], %[[N:.*]] : memref<4x4x16x16xf16, #cbuf>, memref<4x8x16x16xf16, #cbuf>, i1, index, index, index) outs(%[[SUMS]]
  ascend.matmul %c, %a, %b, %l0a, %l0b m(%c64) n(%N) k(%K) init(%true) rows [64, 128] transpose_b : !c, !a, !b, !l0a, !l0b
  // CHECK-NEXT: hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
  ascend.set_flag m to fix event 0
  // CHECK-NEXT: hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
  ascend.wait_flag m to fix event 0
  // CHECK:      hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>, pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>} ins(%[[SUMS]] : memref<8x4x16x16xf32, #cc>) outs(%{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>, #gm>)
  ascend.fix_out %pc, %c rows(%M) cols(%N) dst_pitch(%sc) src_rows 64 relu : !gm, !c
  ascend.barrier all
  return
}

// Of a transposed right operand that is not full of rows the template takes one part at a time: 64 of k fit here.
!wide_a = memref<16384xf16, #ascend.space<l1>>
!wide_b = memref<65536xf16, #ascend.space<l1>>
!wide_c = memref<16384xf32, #ascend.space<l0c>>
// CHECK-LABEL: func.func @parts(
func.func @parts(%n: index, %k: index) attributes {ascend.kernel, ascend.keep_composites, ascend.kind = #ascend.kernel_kind<cube>} {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %first = arith.cmpi eq, %n, %k : index
  %a = ascend.alloc "a" at 0 : !wide_a
  %b = ascend.alloc "b" at 32768 : !wide_b
  %l0a = ascend.alloc "l0a" at 0 : !l0a
  %l0b = ascend.alloc "l0b" at 0 : !l0b
  %c = ascend.alloc "c" at 0 : !wide_c
  // CHECK:      scf.for %[[FIRST:.*]] = %c0 to %[[K:.*]] step %c64
  // CHECK:        %[[REST:.*]] = arith.subi %[[K]], %[[FIRST]] : index
  // CHECK-NEXT:   %[[PART:.*]] = arith.minsi %[[REST]], %c64 : index
  // CHECK-NEXT:   %[[IS_FIRST:.*]] = arith.cmpi eq, %[[FIRST]], %c0 : index
  // CHECK-NEXT:   %[[INIT:.*]] = arith.andi %{{.*}}, %[[IS_FIRST]] : i1
  // CHECK:        hivm.hir.pointer_cast(%{{.*}}) : memref<4x4x16x16xf16, #cbuf>
  // CHECK:        hivm.hir.pointer_cast(%{{.*}}) : memref<4x16x16x16xf16, #cbuf>
  // CHECK:        hivm.hir.mmadL1 {b_transpose} ins(%{{.*}}, %{{.*}}, %[[INIT]], %c64, %[[PART]], %{{.*}} :
  ascend.matmul %c, %a, %b, %l0a, %l0b m(%c64) n(%n) k(%k) init(%first) rows [64, 256] transpose_b : !wide_c, !wide_a, !wide_b, !l0a, !l0b
  ascend.barrier m
  // Full of rows, it takes all parts at once.
  // CHECK:      hivm.hir.mmadL1 {b_transpose} ins(%{{.*}}, %{{.*}}, %[[ALL:.*]], %c64, %[[K]], %c256 : memref<16x4x16x16xf16, #cbuf>, memref<16x16x16x16xf16, #cbuf>
  ascend.matmul %c, %a, %b, %l0a, %l0b m(%c64) n(%c256) k(%k) init(%first) rows [64, 256] transpose_b : !wide_c, !wide_a, !wide_b, !l0a, !l0b
  ascend.barrier all
  return
}
