// The online form of softmax states (tile stage).
#ifndef ATTN_LIB_DIALECT_TILE_TRANSFORMS_ONLINESOFTMAX_H
#define ATTN_LIB_DIALECT_TILE_TRANSFORMS_ONLINESOFTMAX_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// Makes three carried tiles of every softmax state of a kernel: maximum, sum and accumulator,
/// which is rescaled whenever the maximum grows.
void rewriteOnline(mlir::func::FuncOp kernel);

} // namespace attn::tile

#endif // ATTN_LIB_DIALECT_TILE_TRANSFORMS_ONLINESOFTMAX_H
