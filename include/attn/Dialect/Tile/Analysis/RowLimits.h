// How many rows and columns of each tile of a kernel exist: the rule that both ways down follow.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_ROWLIMITS_H
#define ATTN_DIALECT_TILE_ANALYSIS_ROWLIMITS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace attn::tile {

/// The spans that limit the rows and columns of tiles. A tile loaded by a span has the rows (or
/// columns) that the span has, which may be none; what is computed from tiles has the rows that all
/// of them have; a carried tile those that its initial and its next value have. A product has the
/// rows of its left and the columns of its right operand. Rows that lie in the columns of a tile
/// (`transposed` parts) are followed there.
///
/// For bound kernels without softmax states and bands.
class RowLimits {
public:
  explicit RowLimits(mlir::func::FuncOp kernel);

  /// The spans whose valid lengths limit the rows of a tile, the smallest of them counting. None
  /// where all rows exist. They are defined where the tile is, or around it.
  llvm::ArrayRef<mlir::Value> getSpans(mlir::Value tile) const;

  /// The same for the columns of a tile.
  llvm::ArrayRef<mlir::Value> getColumnSpans(mlir::Value tile) const;

  /// For a product, the spans that limit its rows, its columns, and the k that it sums over: those
  /// that both operands have.
  llvm::ArrayRef<mlir::Value> getLeftRowSpans(DotOp dot) const;
  llvm::ArrayRef<mlir::Value> getRightColumnSpans(DotOp dot) const;
  llvm::SmallVector<mlir::Value> getInnerSpans(DotOp dot) const;

  /// Whether at least one row of a tile is known to exist.
  bool hasRows(mlir::Value tile) const;

private:
  using Spans = llvm::SmallSetVector<mlir::Value, 2>;
  struct Limits {
    Spans rows;
    Spans cols;
  };

  bool visit(mlir::Operation *op);
  bool visitLoop(RangeOp loop);
  bool visitLoad(LoadOp load);
  bool visitDot(DotOp dot);
  /// Hands limits on to the rows and columns of `to`, where there are as many; true for new ones.
  bool hand(mlir::Value from, mlir::Value to, bool transposed = false,
            mlir::Operation *outOf = nullptr);

  llvm::DenseMap<mlir::Value, Limits> limits;
};

/// Whether two spans are known to have as many rows: one of them counts from 0 on what the other
/// has, as the places of tiles that are exchanged do.
bool haveAsManyRows(mlir::Value span, mlir::Value other);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_ROWLIMITS_H
