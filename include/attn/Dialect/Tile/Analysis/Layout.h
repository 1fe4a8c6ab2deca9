// How a tile lies in a core's local memory: the rule that accounting and lowering share.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H
#define ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace attn::tile {

/// A column (m x 1) holds its values one behind the other; any other tile has rows at a pitch.
inline bool isColumn(TileType type) { return type.getColCount() == 1; }

/// Elements from one row to the next: 16 is a whole number of 32-byte blocks for every element type, so a
/// row keeps its pitch when it is cast.
inline int64_t getPitch(TileType type) {
  return isColumn(type) ? 1 : llvm::alignTo(type.getColCount(), 16);
}

inline int64_t getElementBytes(TileType type) {
  return type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// Elements of the buffer that holds a tile, whole 32-byte blocks.
inline int64_t getBufferElements(TileType type) {
  return llvm::alignTo(type.getRowCount() * getPitch(type), 32 / getElementBytes(type));
}

inline int64_t getBufferBytes(TileType type) {
  return getBufferElements(type) * getElementBytes(type);
}

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H
