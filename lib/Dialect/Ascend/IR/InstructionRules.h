// Rules that the instructions of both kinds of cores share.
#ifndef ATTN_LIB_DIALECT_ASCEND_IR_INSTRUCTIONRULES_H
#define ATTN_LIB_DIALECT_ASCEND_IR_INSTRUCTIONRULES_H

#include "ElementSizes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// Far beyond any local memory; keeps products of rows, pitches and element sizes from overflowing.
constexpr int64_t maxRows = int64_t(1) << 28;
constexpr int64_t maxPitch = int64_t(1) << 28;

/// Checks that `memory` is a one-dimensional memref in `space`.
mlir::LogicalResult verifyBuffer(mlir::Operation *op, llvm::StringRef what, mlir::Value memory,
                                 Space space);

/// Checks that all memories hold the same element type.
mlir::LogicalResult verifySameType(mlir::Operation *op, mlir::ValueRange memories);

/// Checks a number of repeats that is known: the instruction holds it in eight bits.
mlir::LogicalResult verifyRepeats(mlir::Operation *op, mlir::Value amount);

/// Checks numbers of rows and of elements in a row that are known.
mlir::LogicalResult verifyExtent(mlir::Operation *op, llvm::StringRef what, mlir::Value amount,
                                 int64_t most = maxRows);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_IR_INSTRUCTIONRULES_H
