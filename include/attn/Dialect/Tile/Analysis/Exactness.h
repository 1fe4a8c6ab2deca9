// Which values of a kernel have one right answer, bit for bit, whatever runs it.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_EXACTNESS_H
#define ATTN_DIALECT_TILE_ANALYSIS_EXACTNESS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace attn::tile {

/// Follows through a kernel what its stages may compute differently. Arithmetic is IEEE in every
/// stage and keeps the order of the source, so a value has one right answer unless it goes
/// through a sum, whose order each stage chooses, or through a function that no two libraries round
/// alike.
///
/// For kernels as the frontend writes them; every way down starts from that.
class Exactness {
public:
  explicit Exactness(mlir::func::FuncOp kernel);

  /// The op that `value` goes through and that stages may compute differently; of an array, one
  /// that something stored to it goes through. Null where there is none.
  mlir::Operation *getCause(mlir::Value value) const { return causes.lookup(value); }

private:
  bool visit(mlir::Operation *op);
  bool visitLoop(RangeOp loop);
  /// Gives `value` a cause, unless it has one; true where that is new.
  bool mark(mlir::Value value, mlir::Operation *cause);

  llvm::DenseMap<mlir::Value, mlir::Operation *> causes;
};

/// What reports call a cause: "tile.exp", "tile.reduce sum".
std::string describeCause(mlir::Operation *cause);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_EXACTNESS_H
