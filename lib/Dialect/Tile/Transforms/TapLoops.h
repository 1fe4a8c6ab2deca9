// Loops over the taps of bands, made one by tile-lower-band-gather where they do not need each
// other.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_TAPLOOPS_H
#define ATTN_DIALECT_TILE_TRANSFORMS_TAPLOOPS_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// Joins those of `loops`, which are in the order of the program, that run over the same taps: the
/// later ones move to the first, and what they need with them. Loads of several windows are then
/// under way at a time, and what is computed for a tap is computed once.
void joinTapLoops(llvm::ArrayRef<RangeOp> loops);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_TAPLOOPS_H
