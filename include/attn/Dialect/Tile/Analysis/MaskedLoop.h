// Where the masks of a loop hold for whole tiles, and where for none of their elements.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_MASKEDLOOP_H
#define ATTN_DIALECT_TILE_ANALYSIS_MASKEDLOOP_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::tile {

/// `number`, and multiples of integers.
struct IndexSum {
  int64_t number = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;

  void add(const IndexSum &other, int64_t factor);
};

/// One comparison of positions: it holds where `rowFactor * row + colFactor * column +
/// baseFactor * base + rest` is at least 1, for the base of the loop's span, or the index of a loop
/// that goes one by one. `rest` does not change in the loop.
struct PositionCondition {
  int64_t rowFactor = 0;
  int64_t colFactor = 0;
  int64_t baseFactor = 0;
  IndexSum rest;
};

/// A mask of a loop's body that chooses: it holds where all conditions do, and what else there is.
struct LoopMask {
  mlir::Value mask;
  llvm::SmallVector<PositionCondition> conditions;
  /// Whether the conditions are all that the mask is made of.
  bool isWhole = true;
  /// Whether an iteration changes nothing where the mask holds nowhere.
  bool mayBeSkipped = false;
};

/// The masks of the body of `loop` that depend on how far the loop is. None where it is one of the
/// grid.
llvm::SmallVector<LoopMask> findLoopMasks(RangeOp loop);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_MASKEDLOOP_H
