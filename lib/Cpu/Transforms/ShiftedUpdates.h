// Shifted additions to a tile: one per tap of a band that is spread over a window. CPU stage, on
// tensors.
#ifndef ATTN_CPU_COMPILER_SHIFTEDUPDATES_H
#define ATTN_CPU_COMPILER_SHIFTEDUPDATES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn::jit {

/// One addition: `rows[r, :] * weights[weightRow, r]` is added to row `offset + r` of `whole`.
struct Update {
  mlir::tensor::InsertSliceOp insert;
  mlir::Value whole, rows, weights;
  int64_t offset = 0, weightRow = 0;
};

/// The offset of a part that takes all columns of some rows of its whole, or nothing.
std::optional<int64_t> getRowOffset(llvm::ArrayRef<int64_t> offsets,
                                    llvm::ArrayRef<int64_t> strides, mlir::RankedTensorType part,
                                    mlir::RankedTensorType whole);

/// The updates that follow each other on one tile with the same rows and weights, up to `last`.
llvm::SmallVector<Update> collectUpdates(mlir::tensor::InsertSliceOp last);

/// The rows of updates as f32, widened where they are made: once, not by everything that reads
/// them.
mlir::Value createWideRows(mlir::OpBuilder &builder, mlir::Value rows);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_SHIFTEDUPDATES_H
