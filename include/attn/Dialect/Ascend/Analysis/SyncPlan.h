// Which flags and barriers a kernel needs: every dependence between pipes, and within one, is
// ordered in every trace, and nothing that could go without a race is kept.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPLAN_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPLAN_H

#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"
#include "attn/Dialect/Ascend/Analysis/PipeClocks.h"

namespace attn::ascend {

/// A barrier before `consumer`, or a flag that `source` raises after `producer` and `target` awaits
/// before `consumer`.
struct Sync {
  Pipe source;
  /// As `source` for a barrier.
  Pipe target;
  /// None for a barrier.
  mlir::Operation *producer;
  mlir::Operation *consumer;
  /// A flag that goes from one iteration to a later one is raised before this loop, once per slot,
  /// and awaited once more after it, so that any number of trips leaves it balanced.
  mlir::Operation *around = nullptr;
  /// The last operation that it goes around, where that is not the loop alone: one after it in the
  /// same block.
  mlir::Operation *until = nullptr;
  /// Where it is drained, if not right after these: before an operation that follows it.
  mlir::Operation *drainBefore = nullptr;
  /// The index that tells the slots apart, or none.
  mlir::Value slot = {};
  int64_t slots = 1;

  /// One of several places that use the slots of a buffer in turn.
  struct Turn {
    mlir::Operation *producer;
    mlir::Operation *consumer;
    mlir::Value slot;
  };
  /// A flag of slots that several places use in turn is raised and awaited at each of them; the
  /// fields above are those of the first.
  llvm::SmallVector<Turn, 0> turns = {};

  bool isBarrier() const { return producer == nullptr; }
  /// The operation after which a flag that goes around some is drained, unless `drainBefore` says
  /// otherwise.
  mlir::Operation *getLastAround() const { return until ? until : around; }
  /// All places where it is awaited, apart from where it is drained.
  llvm::SmallVector<mlir::Operation *> getConsumers() const;
  /// The index of the slot that is awaited before `op`, or raised after it.
  mlir::Value getSlotAwaitedBefore(mlir::Operation *op) const;
  mlir::Value getSlotRaisedAfter(mlir::Operation *op) const;
};

class SyncPlan {
public:
  /// Plans the synchronisation of a kernel that has none and whose buffers have addresses, with an
  /// eye on the number of event ids that a pair of pipes has.
  static mlir::FailureOr<SyncPlan> make(mlir::func::FuncOp kernel, const IndexRanges &ranges,
                                        int64_t eventIds);

  llvm::ArrayRef<Sync> getSyncs() const { return syncs; }

private:
  friend class SyncPlanner;
  std::vector<Sync> syncs;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPLAN_H
