// The passes of Conversion/TileToAscend.
#ifndef ATTN_CONVERSION_TILETOASCEND_PASSES
#define ATTN_CONVERSION_TILETOASCEND_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToAscendPass : Pass<"convert-tile-to-ascend", "::mlir::ModuleOp"> {
  let summary = "Lowers bound tile kernels to buffers and instructions of the chip";
  let description = [{
    Takes kernels after `tile-clamp-grid` and gives every tile the buffer that `BufferAssignment` chose for it: the
    buffers that `tile-fit-tiles` counted are the ones that are made, with the names of the source. Each op becomes the
    instructions of its shape: whole tiles, a tile with a column, with a row or with a scalar. Arrays become memrefs in
    gm with strides known when the kernel runs; spans become a first index and a number of valid rows, and only
    valid rows are touched. A tile that a loop carries stays in its buffer; the loop carries scalars only. The
    function that counts the tiles of a kernel's grid is lowered along with it.

    What has no instruction is an error at its line.

    ```mlir
    %v = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<2>) -> !tile.tile<2 x 4096 x bf16>
    %v32 = tile.cast %v : !tile.tile<2 x 4096 x bf16> -> !tile.tile<2 x 4096 x f32>
    ```
    becomes
    ```mlir
    %v = ascend.alloc "v" : memref<8192xbf16, #ascend.space<ub>>
    %v32 = ascend.alloc "v32" : memref<8192xf32, #ascend.space<ub>>
    %from = ascend.address %V[%n, %base, %c0] : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>> -> memref<?xbf16, #ascend.space<gm>>
    %pitch = ascend.stride %V, 1 : memref<?x?x4096xbf16, strided<[?, ?, 1]>, #ascend.space<gm>>
    ascend.copy_in %v, %from rows(%valid) length(%c4096) src_pitch(%pitch) dst_pitch 4096 right_pad 0 : ...
    %count = arith.muli %valid, %c4096 : index
    ascend.cast none %v32, %v count(%count) : ...
    ```
  }];
  let statistics = [Statistic<"buffers", "buffers", "Buffers that were made">];
  let dependentDialects = ["::attn::ascend::AscendDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // ATTN_CONVERSION_TILETOASCEND_PASSES
