// Which loops of a kernel run as often as numbers from memory or arguments say, with nothing else
// to end them.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_LOOPCOUNTS_H
#define ATTN_DIALECT_TILE_ANALYSIS_LOOPCOUNTS_H

#include "attn/Dialect/Tile/Analysis/MemoryIndices.h"

namespace attn::tile {

/// A loop is open where its ends depend on integers from memory or arguments, no size limits them,
/// and no iteration takes something of an array at the loop's own index: that ends it in every
/// stage.
class LoopCounts {
public:
  explicit LoopCounts(mlir::func::FuncOp kernel);

  bool isOpen(RangeOp range) const;
  /// The array or argument that the end of an open loop comes from.
  mlir::Value getSource(RangeOp range) const;

private:
  enum class Side { Above, Below };
  static Side opposite(Side side) { return side == Side::Above ? Side::Below : Side::Above; }

  bool isLimited(mlir::Value value, Side side, int64_t depth = 0) const;
  bool isLimitedBothWays(mlir::Value value, int64_t depth) const {
    return isLimited(value, Side::Above, depth) && isLimited(value, Side::Below, depth);
  }
  bool isBoundLimited(BoundIndexOp bound, Side side, int64_t depth) const;
  bool isResultLimited(mlir::Operation *op, Side side, int64_t depth) const;
  mlir::Value findSource(mlir::Value value) const;

  MemoryIndices indices;
};

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_LOOPCOUNTS_H
