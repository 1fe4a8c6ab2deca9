// The passes of Dialect/Tile/Transforms.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_PASSES
#define ATTN_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def PrintBuffersPass : Pass<"tile-print-buffers", "::mlir::func::FuncOp"> {
  let summary = "Says in remarks which buffers the tiles of a kernel need";
  let description = [{
    One remark per buffer of the `BufferAssignment`, at the place of the tile that first lives there, and one with the
    bytes they take together. The IR is not changed.

    ```mlir
    // remark: buffer 'v' of 'bf16': 2 x 4096 elements, 16384 bytes, alive from 12 to 40
    %v = tile.load %V[%n, %t span, :] : (!tile.array<?x?x4096xbf16>, index, !tile.span<1>) -> !tile.tile<1 x 4096 x bf16>
    ```
  }];
}

#endif // ATTN_DIALECT_TILE_TRANSFORMS_PASSES
