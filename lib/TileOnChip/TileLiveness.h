// When each tile of a kernel is written and last read, in the order of the ops: what
// `BufferAssignment` decides by.
#ifndef ATTN_LIB_TILEONCHIP_TILELIVENESS_H
#define ATTN_LIB_TILEONCHIP_TILELIVENESS_H

#include "attn/TileOnChip/Placement.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn::onchip {

/// A tile's life, on a scale with two points per op: an op with index i reads at 2i what it may
/// write over, reads everything else at 2i + 1, and writes at 2i + 1.
struct Life {
  int64_t begin = 0;
  int64_t end = 0;
};

class TileLiveness {
public:
  TileLiveness(mlir::func::FuncOp kernel, const ChipModel &model, const Placement &placement);

  const ChipModel &getModel() const { return model; }
  const Placement &getPlacement() const { return placement; }

  /// The op's index in the order of writing, and that of the last op inside it.
  int64_t getIndex(mlir::Operation *op) const { return spans.lookup(op).first; }
  int64_t getLastIndex(mlir::Operation *op) const { return spans.lookup(op).second; }

  /// Whether the value is the part of a tile that its readers can reach inside the whole, or what
  /// they make of its input themselves.
  bool isView(mlir::Value value) const;
  /// Whether the value is a product that an addition or a sum along rows absorbs.
  bool isFused(mlir::Value value) const { return fusedInto.contains(value.getDefiningOp()); }
  const llvm::DenseMap<mlir::Operation *, tile::MulOp> &getFusedProducts() const {
    return fusedProducts;
  }

  /// Calls `visit` for every op that reads the memory of `value`, through views and absorbed
  /// products as well, with whether it may write over what it reads.
  void
  forEachReader(mlir::Value value,
                llvm::function_ref<void(mlir::Operation *reader, bool mayOverwrite)> visit) const;

  /// When `reader` reads `value`. What is read inside a loop that the value was not made in is
  /// read until the loop ends.
  int64_t getReadPosition(mlir::Value value, mlir::Operation *reader, bool mayOverwrite) const;

  int64_t getBegin(mlir::Value value) const;
  Life getLife(mlir::Value value) const;

private:
  void number(mlir::Operation *op);
  void fuse(tile::AddOp add);
  void fuse(tile::ReduceOp sum);
  bool canFuse(tile::AddOp add, mlir::Value product, mlir::Value other) const;

  const ChipModel &model;
  const Placement &placement;
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> spans;
  llvm::DenseMap<mlir::Operation *, tile::MulOp> fusedProducts;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> fusedInto;
  int64_t next = 0;
};

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_TILELIVENESS_H
