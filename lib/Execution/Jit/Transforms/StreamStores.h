// Which stores of a sweep may go past the caches, and when. CPU stage, on buffers.
#ifndef ATTN_EXECUTION_JIT_STREAMSTORES_H
#define ATTN_EXECUTION_JIT_STREAMSTORES_H

#include "RowSweep.h"

namespace attn::jit {

/// Bytes that streamed rows start at multiples of: a cache line.
constexpr int64_t streamAlignmentBytes = 64;

/// Whether the sweep only writes the output, an array of the caller, in whole vectors.
bool mayStream(mlir::linalg::GenericOp op, const RowSweep &sweep, mlir::OpOperand &output);

/// Whether it pays and is allowed to stream the output: its array has at least `leastBytes`, and
/// all rows start at whole cache lines.
mlir::Value createStreamCondition(mlir::ImplicitLocOpBuilder &builder, mlir::OpOperand &output,
                                  int64_t leastBytes);

} // namespace attn::jit

#endif // ATTN_EXECUTION_JIT_STREAMSTORES_H
