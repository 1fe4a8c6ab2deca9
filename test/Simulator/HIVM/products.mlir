// A product of cube cores, with the values it gives, and what its template cannot do.
// RUN: attn-sim %s --kernel=product --arg=iota:2x3xf16 --arg=iota:4x3xf16 --arg=undef:2x4xf32 --print=2 | FileCheck %s
// RUN: not attn-sim %s --kernel=bias 2>&1 | FileCheck %s --check-prefix=BIAS
// RUN: not attn-sim %s --kernel=small --arg=iota:2x3xf16 --arg=iota:4x3xf16 --arg=undef:2x4xf32 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not attn-sim %s --kernel=event --arg=undef:2x4xf32 2>&1 | FileCheck %s --check-prefix=EVENT
// RUN: not attn-sim %s --kernel=parts --arg=i64:200 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not attn-sim %s --kernel=wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not attn-sim %s --kernel=fill 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: not attn-sim %s --kernel=negative --arg=i64:-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
#gm = #hivm.address_space<gm>
#cbuf = #hivm.address_space<cbuf>
#cc = #hivm.address_space<cc>
!matrix = memref<1x1x16x16xf16, #cbuf>
!sums = memref<1x1x16x16xf32, #cc>
module attributes {hivm.module_core_type = #hivm.module_core_type<AIC>} {

// [0 1 2; 3 4 5] times the transpose of [0 1 2; 3 4 5; 6 7 8; 9 10 11].
// CHECK:      hazards: 0
// CHECK:      values of argument 2:
// CHECK-NEXT: {{^}}  5 14 23 32
// CHECK-NEXT: {{^}}  14 50 86 122
func.func @product(%x: memref<?xf16, #gm>, %y: memref<?xf16, #gm>, %o: memref<?xf32, #gm>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 512 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %gx = memref.reinterpret_cast %x to offset: [%c0], sizes: [2, 3], strides: [3, 1] : memref<?xf16, #gm> to memref<2x3xf16, strided<[3, 1], offset: ?>, #gm>
  %gy = memref.reinterpret_cast %y to offset: [%c0], sizes: [4, 3], strides: [3, 1] : memref<?xf16, #gm> to memref<4x3xf16, strided<[3, 1], offset: ?>, #gm>
  %go = memref.reinterpret_cast %o to offset: [%c0], sizes: [2, 4], strides: [4, 1] : memref<?xf32, #gm> to memref<2x4xf32, strided<[4, 1], offset: ?>, #gm>
  %a = hivm.hir.pointer_cast(%p0) : !matrix
  %b = hivm.hir.pointer_cast(%p1) : !matrix
  %c = hivm.hir.pointer_cast(%p0) : !sums
  hivm.hir.nd2nz {dst_continuous} ins(%gx : memref<2x3xf16, strided<[3, 1], offset: ?>, #gm>) outs(%a : !matrix) init_out_buffer = false
  hivm.hir.nd2nz {dst_continuous} ins(%gy : memref<4x3xf16, strided<[3, 1], offset: ?>, #gm>) outs(%b : !matrix) init_out_buffer = false
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
  hivm.hir.mmadL1 {b_transpose} ins(%a, %b, %true, %c2, %c3, %c4 : !matrix, !matrix, i1, index, index, index) outs(%c : !sums)
  hivm.hir.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
  hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins(%c : !sums) outs(%go : memref<2x4xf32, strided<[4, 1], offset: ?>, #gm>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// SMALL: error: out of bounds: mmadL1 multiplies 16 by 3 by 20 (m, k, n) of matrices that have 16 by 16 by 16
func.func @small(%x: memref<?xf16, #gm>, %y: memref<?xf16, #gm>, %o: memref<?xf32, #gm>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  %p0 = arith.constant 0 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %a = hivm.hir.pointer_cast(%p0) : !matrix
  %c = hivm.hir.pointer_cast(%p0) : !sums
  hivm.hir.mmadL1 ins(%a, %a, %true, %c2, %c3, %c20 : !matrix, !matrix, i1, index, index, index) outs(%c : !sums)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// BIAS: error: out of bounds: mmadL1 loads a bias of 16 columns, of which its row has 8, and the bias table takes 256
func.func @bias()
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c3 = arith.constant 3 : index
  %p0 = arith.constant 0 : i64
  %p1 = arith.constant 512 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %a = hivm.hir.pointer_cast(%p0) : !matrix
  %c = hivm.hir.pointer_cast(%p0) : !sums
  %row = hivm.hir.pointer_cast(%p1) : memref<1x1x1x8xf32, #cbuf>
  hivm.hir.mmadL1 ins(%a, %a, %true, %c3, %c3, %c3, %row : !matrix, !matrix, i1, index, index, index, memref<1x1x1x8xf32, #cbuf>) outs(%c : !sums)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// EVENT: set_flag uses an event that mmadL1 keeps for its own flags
func.func @event(%o: memref<?xf32, #gm>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  hivm.hir.set_mask_norm
  hivm.hir.set_flag[<PIPE_MTE1>, <PIPE_M>, <EVENT_ID3>]
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// PARTS: mmadL1 takes several parts of a transposed operand that is not full of rows
func.func @parts(%n: i64)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %columns = arith.index_cast %n : i64 to index
  %p0 = arith.constant 0 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %a = hivm.hir.pointer_cast(%p0) : memref<8x1x16x16xf16, #cbuf>
  %b = hivm.hir.pointer_cast(%p0) : memref<8x16x16x16xf16, #cbuf>
  %c = hivm.hir.pointer_cast(%p0) : memref<16x1x16x16xf32, #cc>
  hivm.hir.mmadL1 {b_transpose} ins(%a, %b, %true, %c16, %c128, %columns : memref<8x1x16x16xf16, #cbuf>, memref<8x16x16x16xf16, #cbuf>, i1, index, index, index) outs(%c : memref<16x1x16x16xf32, #cc>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// WIDE: mmadL1 has operands of which no part fits l0a and l0b
func.func @wide()
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %c16 = arith.constant 16 : index
  %p0 = arith.constant 0 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %a = hivm.hir.pointer_cast(%p0) : memref<2x1x16x8xf32, #cbuf>
  %b = hivm.hir.pointer_cast(%p0) : memref<256x1x16x8xf32, #cbuf>
  %c = hivm.hir.pointer_cast(%p0) : memref<1x1x16x16xf32, #cc>
  hivm.hir.mmadL1 ins(%a, %b, %true, %c16, %c16, %c16 : memref<2x1x16x8xf32, #cbuf>, memref<256x1x16x8xf32, #cbuf>, i1, index, index, index) outs(%c : memref<1x1x16x16xf32, #cc>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// FILL: vbrc fills cbuf with something other than zero in elements that are not of 16 bits
func.func @fill()
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %p0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f32
  hivm.hir.set_mask_norm
  %run = hivm.hir.pointer_cast(%p0) : memref<64xf32, #cbuf>
  hivm.hir.vbrc ins(%one : f32) outs(%run : memref<64xf32, #cbuf>)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

// NEGATIVE: mmadL1 has the sizes -1, -1 and -1
func.func @negative(%n: i64)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIC>} {
  %size = arith.index_cast %n : i64 to index
  %p0 = arith.constant 0 : i64
  %true = arith.constant true
  hivm.hir.set_mask_norm
  %a = hivm.hir.pointer_cast(%p0) : !matrix
  %c = hivm.hir.pointer_cast(%p0) : !sums
  hivm.hir.mmadL1 ins(%a, %a, %true, %size, %size, %size : !matrix, !matrix, i1, index, index, index) outs(%c : !sums)
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  return
}

}
