// Finds buffers whose slots are used in turn, and the flags by which the last reader of a slot
// tells the next writer, and each pipe the one that goes on with the slot.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCTURNS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCTURNS_H

#include "attn/Dialect/Ascend/Analysis/SyncPlan.h"

namespace attn::ascend {

/// Flags for buffers whose slots are used at several places, or in an inner loop that comes back to
/// a slot only when it is entered again. Planned pair by pair, such a loop would wait for all of
/// the one before it, whatever slots the two use, and would need a barrier where it may not run at
/// all; and each place would need ids of its own. All places of a buffer must use it with the same
/// pipes.
std::vector<Sync> findTurns(mlir::func::FuncOp kernel, const IndexRanges &ranges);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCTURNS_H
