// Reductions that start at what changes nothing, whatever their outputs hold. CPU stage, on
// buffers.
#ifndef ATTN_CPU_COMPILER_NEUTRALSTARTS_H
#define ATTN_CPU_COMPILER_NEUTRALSTARTS_H

#include "RowSweep.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::jit {

using Sweeps = llvm::SmallVectorImpl<std::pair<mlir::linalg::GenericOp, RowSweep>>;

/// Sums that start at nothing are written as they are; what would set them to nothing before goes
/// away. Returns the outputs.
llvm::DenseSet<mlir::OpOperand *> dropNeutralStarts(mlir::RewriterBase &rewriter, Sweeps &sweeps);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_NEUTRALSTARTS_H
