// What the accesses of instructions are put together from.
#ifndef ATTN_LIB_DIALECT_ASCEND_IR_ACCESSBUILDING_H
#define ATTN_LIB_DIALECT_ASCEND_IR_ACCESSBUILDING_H

#include "ElementSizes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

using Accesses = llvm::SmallVectorImpl<Access>;

/// The most that an amount can be, or none without a bound that fits any memory.
std::optional<int64_t> getMostOf(mlir::Value amount, const IndexRanges &ranges);

/// Everything from the first element to the end of the buffer.
void addToEnd(Accesses &accesses, mlir::Value memory, bool isWrite);

/// Rows of `rowBytes` bytes; to the end of the buffer where their number has no bound.
void addRows(Accesses &accesses, mlir::Value memory, bool isWrite, std::optional<int64_t> rows,
             int64_t rowBytes, int64_t pitchBytes);

/// The first `count` elements; to the end of the buffer where there is no bound.
void addCount(Accesses &accesses, mlir::Value memory, bool isWrite, std::optional<int64_t> count);

/// The GM side of a copy: the place where it begins is known, how far it reaches is not.
void addGlobalRows(Accesses &accesses, mlir::Value global, bool isWrite, mlir::Value rows,
                   mlir::Value length, mlir::Value pitch);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_IR_ACCESSBUILDING_H
