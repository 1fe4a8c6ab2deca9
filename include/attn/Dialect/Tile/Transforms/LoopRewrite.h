// Changes what a tile.range carries, for the passes that split or drop carried values.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_LOOPREWRITE_H
#define ATTN_DIALECT_TILE_TRANSFORMS_LOOPREWRITE_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::tile {

/// Per carried value: what takes its place, possibly nothing, or none to leave it as it is.
using CarriedReplacements = llvm::SmallVector<std::optional<llvm::SmallVector<mlir::Value>>>;

/// Makes a loop that carries what `replacements` says and moves the body of `loop` into it. Uses of
/// what was replaced still refer to `loop`, which is left to the caller with an empty body.
RangeOp rebuildLoop(RangeOp loop, const CarriedReplacements &replacements);

/// Replaces the values that `loop` yields in the same way.
void rebuildYield(RangeOp loop, const CarriedReplacements &replacements);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_LOOPREWRITE_H
