// What reductions start from.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_REDUCTION_H
#define ATTN_DIALECT_TILE_ANALYSIS_REDUCTION_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// The number that does not change a reduction.
float getNeutral(ReduceKind kind);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_REDUCTION_H
