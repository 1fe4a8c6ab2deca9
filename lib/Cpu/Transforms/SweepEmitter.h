// One operation as loops over rows and vectors. CPU stage, on buffers, used by
// `jit-vectorize-rows`.
#ifndef ATTN_CPU_TRANSFORMS_SWEEPEMITTER_H
#define ATTN_CPU_TRANSFORMS_SWEEPEMITTER_H

#include "ArrayAccess.h"

namespace attn::jit {

/// What holds for all sweeps of a function.
struct SweepContext {
  /// Vectors of a row that are computed side by side, at most.
  int64_t unroll;
  /// Outputs of so many bytes are written past the caches.
  int64_t streamBytes;
  const ReadAhead &readAhead;
  /// Reductions that start at what changes nothing, whatever the buffer holds.
  const llvm::DenseSet<mlir::OpOperand *> &neutral;
};

/// Emits `op` as loops; twice where it writes arrays, which are streamed if they are large. Returns
/// whether anything is streamed.
bool emitSweep(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::GenericOp op,
               const RowSweep &sweep, const SweepContext &context);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_SWEEPEMITTER_H
