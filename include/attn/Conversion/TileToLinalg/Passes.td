// The passes of Conversion/TileToLinalg.
#ifndef ATTN_CONVERSION_TILETOLINALG_PASSES
#define ATTN_CONVERSION_TILETOLINALG_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToLinalgPass : Pass<"convert-tile-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers tile kernels to linalg on tensors, with memrefs as arguments";
  let description = [{
    Takes kernels whose symbols are bound, whose softmax is decomposed and whose grid is clamped; what remains of
    these gives an error that names the missing pass.

    | tile | upstream |
    |---|---|
    | array | `memref` with runtime strides, the last one 1 |
    | `table` array | a `memref<?xi64>` of addresses, and one `memref` with base address 0 that carries the sizes and strides of every entry |
    | tile | static `tensor` of rank 2 |
    | span | `index` values: base and number of rows that exist; how many are missing before them where it is `filled`; offset and step where it is `mapped` |
    | `load` | `memref.subview`, copied into an `alloc` that becomes a tensor; rows that a `filled` span lacks are set to zero |
    | `store` | `tensor.extract_slice` of the rows that exist, `bufferization.materialize_in_destination` |
    | rows of a `table` by a span | an `scf.for` over them, since each has an address of its own |
    | arithmetic, `reduce` | `linalg.generic` |
    | `band_mask` | `linalg.generic` with `linalg.index` |
    | `extract`, `insert` | `tensor.extract_slice`, `tensor.insert_slice`; `transposed` by way of a tensor of rank 1 |
    | `range` | `scf.for` |
    | `bound_index`, `bound_count` | the nearest number that does no harm; for the CPU (`check-counts`), a `cpu.check_count` of the end of a list or loop |
    | `block_id`, `block_count` | two more `index` arguments at the end of every kernel |

    Before:
    ```mlir
    func.func @double(%x: !tile.array<?x64xf32>, %y: !tile.array<?x64xf32>) attributes {tile.kernel} {
      %id = tile.block_id
      %t = tile.make_span %id to %T : !tile.span<4>
      %v = tile.load %x[%t span, :] : (!tile.array<?x64xf32>, !tile.span<4>) -> !tile.tile<4 x 64 x f32>
      %w = tile.add %v, %v : !tile.tile<4 x 64 x f32>, !tile.tile<4 x 64 x f32> -> !tile.tile<4 x 64 x f32>
      tile.store %w, %y[%t span, :] : (!tile.tile<4 x 64 x f32>, !tile.array<?x64xf32>, !tile.span<4>) -> ()
      return
    }
    ```
    After:
    ```mlir
    func.func @double(%x: memref<?x64xf32, strided<[?, 1]>>, %y: memref<?x64xf32, strided<[?, 1]>>,
                      %id: index, %count: index) {
      %valid = ... // min(4, %T - %id), at least 0
      %from = memref.subview %x[%id, 0] [%valid, 64] [1, 1]
      %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x64xf32>
      %rows = memref.subview %buffer[0, 0] [%valid, 64] [1, 1]
      memref.copy %from, %rows
      %v = bufferization.to_tensor %buffer restrict writable : memref<4x64xf32> to tensor<4x64xf32>
      %empty = tensor.empty() : tensor<4x64xf32>
      %w = linalg.generic {...} ins(%v, %v) outs(%empty) { arith.addf }
      %to = memref.subview %y[%id, 0] [%valid, 64] [1, 1]
      %part = tensor.extract_slice %w[0, 0] [%valid, 64] [1, 1]
      bufferization.materialize_in_destination %part in restrict writable %to
      return
    }
    ```
  }];
  let options = [Option<"checkCounts", "check-counts", "bool", "false",
                        "check ends of lists and loops, and stop, where they would be bounded">];
  let dependentDialects = [
    "::attn::cpu::CpuDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // ATTN_CONVERSION_TILETOLINALG_PASSES
