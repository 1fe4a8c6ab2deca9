// The passes of Dialect/Tile/Transforms.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_PASSES
#define ATTN_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

#endif // ATTN_DIALECT_TILE_TRANSFORMS_PASSES
