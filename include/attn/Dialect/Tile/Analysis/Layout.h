// How a tile lies in a core's local memory: the rule that accounting and lowering share.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H
#define ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace attn::tile {

/// A column (m x 1) holds its values one behind the other; any other tile has rows at a pitch.
inline bool isColumn(TileType type) { return type.getColCount() == 1; }

/// Elements from one row to the next: 16 is a whole number of 32-byte blocks for every element
/// type, so a row keeps its pitch when it is cast.
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

/// f32 elements of scratch for the reduction of `rows` rows of `cols` elements: one value per
/// 32-byte block, then one per block of those. The chip dialect states the same rule for its own
/// op.
inline int64_t getRowReduceScratchElements(int64_t rows, int64_t cols) {
  constexpr int64_t lanes = 64, perBlock = 8;
  int64_t repeats = llvm::divideCeil(cols, lanes);
  return rows * (repeats * perBlock + llvm::alignTo(repeats, perBlock));
}

/// The same where the reduction is kept as a composite, for a template of the vendor: that folds
/// rows of more than 64 elements by halves (bishengir.md §6, `vreduce`).
inline int64_t getKeptReduceScratchElements(int64_t rows, int64_t cols) {
  constexpr int64_t lanes = 64, perBlock = 8;
  int64_t halves = std::max<int64_t>(lanes, llvm::alignTo(cols, perBlock) / 2);
  return std::max(getRowReduceScratchElements(rows, cols), cols > lanes ? rows * halves : 0);
}

/// f32 elements of scratch for arithmetic of `rows` rows with a column: one 32-byte block per row,
/// rounded up to eight rows.
inline int64_t getRowBroadcastScratchElements(int64_t rows) {
  constexpr int64_t perBlock = 8;
  return llvm::alignTo(rows, perBlock) * perBlock;
}

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_LAYOUT_H
