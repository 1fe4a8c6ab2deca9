// How a sweep reads and writes arrays of the caller, which come from memory and not from the
// caches: what is read ahead, and what is written past the caches. CPU stage, on buffers.
#ifndef ATTN_CPU_COMPILER_ARRAYACCESS_H
#define ATTN_CPU_COMPILER_ARRAYACCESS_H

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

/// Whether elements from `inner` on may be the first of a cache line: short vectors share one.
bool mayStartLine(mlir::OpOperand &input, mlir::Value inner);

/// Chooses what is read ahead: in each block, the rows of every tile of an array once, as many rows
/// after those that are read as a sweep has: the next tile is often there. The tiles are spread
/// over the sweeps of a block, so that memory is never idle while others wait for it.
class ReadAhead {
public:
  using Sweeps = llvm::ArrayRef<std::pair<mlir::linalg::GenericOp, RowSweep>>;
  /// An input, and the sweep that reads it.
  struct Claim {
    mlir::OpOperand *input;
    RowSweep sweep;
  };

  explicit ReadAhead(Sweeps sweeps);

  /// The inputs, its own or of sweeps before it, whose next rows a sweep asks for.
  llvm::ArrayRef<Claim> getClaims(mlir::Operation *op) const;

private:
  /// The sweep that asks for rows which sweep `reader` is the first to read.
  mlir::Operation *chooseHost(Sweeps sweeps, size_t reader) const;

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Claim>> claims;
};

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_ARRAYACCESS_H
