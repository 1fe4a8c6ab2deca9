// Views of an array, written as casts of the flat one.
#ifndef ATTN_TARGET_LINALG_FLATVIEWS_H
#define ATTN_TARGET_LINALG_FLATVIEWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {

/// What a view selects of a flat array.
struct Selection {
  mlir::Value offset;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};

/// Writes views of an array, and views of these, as casts of the flat array `base`.
class FlatViews {
public:
  explicit FlatViews(mlir::Value base) : base(base), builder(base.getContext()) {}

  /// Replaces each user of `view` that selects a part or adds dimensions of size 1.
  void replaceUsers(mlir::Value view, const Selection &selection);

  /// Replaces `op`, which gives what `selection` says, and what selects parts of it.
  void replace(mlir::Operation *op, const Selection &selection);

private:
  mlir::Value createView(const Selection &selection, mlir::Location loc);
  mlir::Value getValue(mlir::OpFoldResult number, mlir::Location loc);
  mlir::OpFoldResult multiply(mlir::OpFoldResult lhs, mlir::OpFoldResult rhs, mlir::Location loc);
  Selection select(const Selection &from, mlir::memref::SubViewOp view);
  Selection addUnits(const Selection &from, mlir::memref::ExpandShapeOp expand);

  mlir::Value base;
  mlir::OpBuilder builder;
};

} // namespace attn

#endif // ATTN_TARGET_LINALG_FLATVIEWS_H
