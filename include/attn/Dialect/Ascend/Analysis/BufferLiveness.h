// From where to where each buffer holds something that is still needed.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H

#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Support/IntervalPacking.h"

namespace attn::ascend {

/// How far the life of a buffer between two pipes is stretched, so that no other buffer takes its
/// bytes while one of them works for another iteration: of all loops, of the loop around the one
/// that has its uses (strips, parts) but for the outermost, or of that one.
enum class SharedLife { OutermostLoop, LoopAround, CommonLoop, Exact };

/// Positions count the operations of the kernel in program order; a loop has one at its head and
/// one at its end. A loop stretches the life of what it uses but did not begin in the same
/// iteration, and of buffers with slots, whose writers run ahead.
class BufferLiveness {
public:
  BufferLiveness(mlir::func::FuncOp kernel, const BufferUses &uses);

  LiveInterval getInterval(AllocOp buffer, SharedLife life = SharedLife::Exact) const;

private:
  /// Position of an operation and of its end.
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> positions;
  const BufferUses &uses;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERLIVENESS_H
