// Gets by with the ids that a pair of pipes has: flags that run through outer loops restart
// inside of them, two flags become one, or a barrier of all pipes replaces one.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H

#include "OrderedTraces.h"

namespace attn::ascend {

/// How many loops are around an operation.
int getLoopDepth(mlir::Operation *op);

/// Tries to start a flag around an inner loop such that all traces are ordered. Returns the sync
/// that replaces it, or none and leaves the set as it was.
std::optional<int32_t> restartInside(OrderedTraces &traces, SyncSet &syncs, int32_t flag);

/// Where the events of a pair of pipes need more than `eventIds` ids, lets them restart inside
/// of outer loops, so that events of different loops can share ids. Returns whether anything
/// changed.
bool relieveCrowding(OrderedTraces &traces, SyncSet &syncs, int64_t eventIds);

/// Lets events of slots that are awaited side by side be one: a pipe that waits starts again, and
/// with slots it does not matter that the source was ready for some of them earlier. Returns
/// whether there were such events.
bool joinNeighbours(OrderedTraces &traces, SyncSet &syncs);

/// Takes one event from every pair of pipes that still needs more ids, with a remark: two become
/// one, or else barriers of all pipes replace one. Returns whether anything changed.
bool giveUpEvents(OrderedTraces &traces, SyncSet &syncs, int64_t eventIds);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCSHARING_H
