// How tiles lie in a core's local memory and what the units of its instructions are: the rules that
// accounting, estimates and lowering share.
#ifndef ATTN_TILEONCHIP_CHIPMODEL_H
#define ATTN_TILEONCHIP_CHIPMODEL_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Machine/Chip.h"

namespace attn::onchip {

/// A column (m x 1) holds its values contiguously; any other tile has rows at a pitch.
inline bool isColumn(tile::TileType type) { return type.getColCount() == 1; }

/// The type of a tile value.
inline tile::TileType getTileType(mlir::Value value) {
  return llvm::cast<tile::TileType>(value.getType());
}

inline int64_t getElementBytes(tile::TileType type) {
  return type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// What the chip means for the tiles of one kernel. It is small and handed to everything that
/// counts or lowers.
class ChipModel {
public:
  /// The geometry of `chip`, for a kernel that keeps its composites or not.
  ChipModel(const Chip &chip, mlir::func::FuncOp kernel);

  const Chip &getChip() const { return chip; }

  /// Whether composites stay to the end (see `tile-keep-composites`).
  bool keepsComposites() const { return keepsKernelComposites; }

  //===--------------------------------------------------------------------===//
  // Units
  //===--------------------------------------------------------------------===//

  /// Elements of a type in one data block, the unit of local addresses.
  int64_t getBlockElements(mlir::Type elementType) const {
    return chip.blockBytes * 8 / elementType.getIntOrFloatBitWidth();
  }
  /// f32 elements of one data block.
  int64_t getBlockLanes() const { return chip.blockBytes / f32Bytes; }
  /// f32 elements of one repeat of a vector instruction.
  int64_t getLanes() const { return chip.repeatBytes / f32Bytes; }
  /// Data blocks of one repeat.
  int64_t getRepeatBlocks() const { return chip.repeatBytes / chip.blockBytes; }
  /// Elements that are whole data blocks in every element type, so that a row keeps its pitch when
  /// it is cast.
  int64_t getRowUnit() const { return chip.blockBytes / narrowestBytes; }
  /// Rows of one data block each that an instruction gathers, one a repeat, or spreads, several a
  /// repeat, at most: whole data blocks of a column in every type.
  int64_t getMaxGatherRows() const;
  int64_t getMaxSpreadRows() const;

  //===--------------------------------------------------------------------===//
  // Layout
  //===--------------------------------------------------------------------===//

  /// Elements from one row of a tile to the next.
  int64_t getPitch(tile::TileType type) const;
  /// Elements of the buffer that holds a tile, whole data blocks.
  int64_t getBufferElements(tile::TileType type) const;
  int64_t getBufferBytes(tile::TileType type) const {
    return getBufferElements(type) * getElementBytes(type);
  }

  /// Repeats of f32 that go over a tile once.
  int64_t getRepeats(tile::TileType type) const;

  //===--------------------------------------------------------------------===//
  // Scratch of composites
  //===--------------------------------------------------------------------===//

  /// f32 elements of scratch for the reduction of `rows` rows of `cols` elements.
  int64_t getReduceScratch(int64_t rows, int64_t cols) const;
  /// f32 elements of scratch for arithmetic of `rows` rows with a column: one data block per row,
  /// in whole repeats.
  int64_t getBroadcastScratch(int64_t rows) const;

private:
  static constexpr int64_t f32Bytes = 4;
  static constexpr int64_t narrowestBytes = 2;

  Chip chip;
  bool keepsKernelComposites;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_CHIPMODEL_H
