// Loops that a mask has made of one.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_CUTLOOPS_H
#define ATTN_DIALECT_TILE_ANALYSIS_CUTLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace attn::tile {

/// On a loop over the tiles that a mask cuts through, beside one over those that it takes whole:
/// how many elements of the loop the edge of the mask goes through in a tile, its rows where each
/// row has an edge of its own. They say how many iterations there are.
constexpr llvm::StringLiteral cutName = "tile.cut";

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_CUTLOOPS_H
