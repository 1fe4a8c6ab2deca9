// From where to where each buffer holds something that is still needed.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H

#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Support/IntervalPacking.h"

namespace attn::ascend {

/// How far the life of a buffer that a transfer touches is stretched, so that no other buffer takes
/// its bytes while transfers of other iterations are under way.
enum class TransferLife { OutermostLoop, CommonLoop, Exact };

/// Positions count the operations of the kernel in program order; a loop has one at its head and
/// one at its end. A loop stretches the life of what it uses but did not begin in the same
/// iteration, and of buffers with slots, whose transfers run ahead.
class BufferLiveness {
public:
  BufferLiveness(mlir::func::FuncOp kernel, const BufferUses &uses);

  LiveInterval getInterval(AllocOp buffer, TransferLife life = TransferLife::Exact) const;

private:
  /// Position of an operation and of its end.
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> positions;
  const BufferUses &uses;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H
