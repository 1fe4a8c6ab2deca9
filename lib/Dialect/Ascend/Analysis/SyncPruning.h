// Takes out of a set of syncs what the rest implies.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPRUNING_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPRUNING_H

#include "OrderedTraces.h"

namespace attn::ascend {

/// The dependence that a sync was made for: steps of a trace.
struct Witness {
  int32_t trace;
  int32_t producer;
  int32_t consumer;
};

/// Disables every sync without which all traces are still ordered. The first trace is the one in
/// which all loops run several times: what only shorter runs need is first sought from a flag that
/// the long run needs as well. `eventIds` is the number of ids that a pair of pipes has; what is
/// left gets by with them.
void pruneSyncs(OrderedTraces &traces, SyncSet &syncs,
                llvm::ArrayRef<std::optional<Witness>> witnesses, int64_t eventIds);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCPRUNING_H
