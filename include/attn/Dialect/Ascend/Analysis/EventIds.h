// Which events of a kernel may use the same flag of the chip, and a choice of ids.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_EVENTIDS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_EVENTIDS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// All flag ops of one event: those of one iteration, and those that start and drain it around a
/// loop.
struct EventGroup {
  Pipe source;
  Pipe target;
  int64_t event;
  int64_t slots;
  llvm::SmallVector<SetFlagOp, 3> sets;
  llvm::SmallVector<WaitFlagOp, 3> waits;
};

/// The events of a kernel, in program order. Fails with an error at an op that disagrees with its
/// event.
mlir::FailureOr<std::vector<EventGroup>> collectEvents(mlir::func::FuncOp kernel);

/// Gives every event ids from 0 to `limit` - 1, one per slot, and returns the first of each. Two
/// events of a pipe pair share ids only where the source knows, whenever it raises one, that the
/// target has passed its wait for the other. Fails with an error where the ids are not enough.
mlir::FailureOr<llvm::SmallVector<int64_t>> chooseEventIds(mlir::func::FuncOp kernel,
                                                           const IndexRanges &ranges,
                                                           llvm::ArrayRef<EventGroup> events,
                                                           int64_t limit);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_EVENTIDS_H
