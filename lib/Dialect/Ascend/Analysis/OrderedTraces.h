// The traces of a kernel that are ordered by a set of syncs, and whether they stay so when the set
// changes.
#ifndef ATTN_LIB_DIALECT_ASCEND_ANALYSIS_ORDEREDTRACES_H
#define ATTN_LIB_DIALECT_ASCEND_ANALYSIS_ORDEREDTRACES_H

#include "SyncRun.h"

namespace attn::ascend {

/// A change of syncs is felt only from the first place on where one of them acts: a check begins
/// there, from a state kept of the last check that succeeded, and leaves out the traces that come
/// to no such place.
class OrderedTraces {
public:
  explicit OrderedTraces(std::vector<ExecutionTrace> traces);

  llvm::ArrayRef<ExecutionTrace> get() const { return traces; }

  /// Runs one of the traces, without the steps at which nothing may happen.
  void run(size_t trace, const SyncSet &syncs, SyncListener &listener);

  /// Whether every order of all traces holds under the syncs.
  bool areOrdered(const SyncSet &syncs);
  /// The same for the first trace alone.
  bool isFirstOrdered(const SyncSet &syncs) { return check(0, syncs, findChanged(syncs)); }

private:
  struct Memory {
    /// Where each operation first comes in the trace; its length for those that do not.
    std::vector<int32_t> firstSteps;
    /// The steps at which something may happen, as of a version of the syncs.
    std::vector<int32_t> eventful;
    int32_t version = -1;
    /// States on the way, of the syncs that `enabled` counts.
    std::vector<RunState> states;
    /// The same of a check that is under way, and the step where that began.
    std::vector<RunState> newStates;
    int32_t begin = 0;
  };

  /// The syncs that count now and did not at the last check that succeeded, or the reverse.
  llvm::SmallVector<int32_t> findChanged(const SyncSet &syncs) const;
  llvm::ArrayRef<int32_t> getEventful(size_t trace, const SyncSet &syncs);
  bool check(size_t trace, const SyncSet &syncs, llvm::ArrayRef<int32_t> changed);
  int32_t getFirstStep(size_t trace, const SyncSet &syncs, llvm::ArrayRef<int32_t> changed) const;

  std::vector<ExecutionTrace> traces;
  std::vector<Memory> memories;
  /// The traces in the order of checks: what failed last is likely to fail next.
  llvm::SmallVector<size_t> order;
  /// For a sync the trace that was not ordered when it alone did not count any more.
  llvm::DenseMap<int32_t, size_t> failedWithout;
  /// The syncs that counted when all traces were ordered last.
  std::vector<bool> enabled;
};

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_ANALYSIS_ORDEREDTRACES_H
