// Lets flags that run through outer loops start anew inside of them, where that says more or takes
// fewer ids.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H

#include "SyncRun.h"

namespace attn::ascend {

/// Whether every order of all traces holds under the syncs.
bool areOrdered(llvm::ArrayRef<ExecutionTrace> traces, const SyncSet &syncs);

/// Tries to start a flag around an inner loop such that all traces are ordered. Returns the sync
/// that replaces it, or none and leaves the set as it was.
std::optional<int32_t> restartInside(llvm::ArrayRef<ExecutionTrace> traces, SyncSet &syncs,
                                     int32_t flag);

/// Where the events of a pair of pipes need more than `eventIds` ids, lets them start anew inside
/// of outer loops, so that events of different loops can share ids. Returns whether anything
/// changed.
bool relieveCrowding(llvm::ArrayRef<ExecutionTrace> traces, SyncSet &syncs, int64_t eventIds);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H
