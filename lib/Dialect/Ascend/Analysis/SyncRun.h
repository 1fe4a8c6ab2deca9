// A trace run under a set of flags and barriers: tells the first place where an order is missing.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H

#include "attn/Dialect/Ascend/Analysis/SyncPlan.h"

namespace attn::ascend {

/// The syncs of a plan in the making, by the places where they act. At a place, waits and barriers
/// come before sets, so that a set passes on what was awaited there.
class SyncSet {
public:
  struct Place {
    llvm::SmallVector<int32_t, 2> drains; // waits for all slots
    llvm::SmallVector<int32_t, 2> holds;  // waits and barriers
    llvm::SmallVector<int32_t, 2> sets;
  };

  /// Adds a sync, or enables it again, and returns its number; none where the set has it already.
  std::optional<int32_t> add(const Sync &sync);
  void disable(int32_t index) { enabled[index] = false; }
  void enable(int32_t index) { enabled[index] = true; }
  bool isEnabled(int32_t index) const { return enabled[index]; }

  int32_t size() const { return syncs.size(); }
  const Sync &operator[](int32_t index) const { return syncs[index]; }
  /// What acts just before and just after an operation.
  const Place *getBefore(mlir::Operation *op) const { return find(before, op); }
  const Place *getAfter(mlir::Operation *op) const { return find(after, op); }

private:
  using Places = llvm::DenseMap<mlir::Operation *, Place>;
  static const Place *find(const Places &places, mlir::Operation *op) {
    auto found = places.find(op);
    return found == places.end() ? nullptr : &found->second;
  }

  std::vector<Sync> syncs;
  std::vector<bool> enabled;
  Places before, after;
  using Key = std::tuple<int, int, mlir::Operation *, mlir::Operation *, mlir::Operation *,
                         mlir::Operation *, void *>;
  std::map<Key, int32_t> known;
};

/// What is wrong at a step, and where it was found.
enum class SyncAnswer { GoOn, Stop };

/// Hears of missing orders while a trace runs.
class SyncListener {
public:
  virtual ~SyncListener() = default;
  /// An instruction may overtake others.
  virtual SyncAnswer missesOrder(int32_t step, PipeClocks &clocks) = 0;
  /// A flag is raised while it may still be up.
  virtual SyncAnswer raisesTwice(int32_t sync) = 0;
  /// A flag is awaited that is never raised, or is still up in the end.
  virtual SyncAnswer isUnbalanced(int32_t sync) = 0;
  /// A wait or barrier acts.
  virtual void holds(int32_t sync, int32_t step) {}
};

/// Runs a trace; returns whether it came to its end without being stopped.
bool runTrace(const ExecutionTrace &trace, const SyncSet &syncs, SyncListener &listener);

/// Whether every order of the trace holds under the syncs.
bool isOrdered(const ExecutionTrace &trace, const SyncSet &syncs);

/// Whether the clocks know all that an instruction needs.
bool knowsNeeds(const ExecutionTrace &trace, const ExecutionTrace::Step &step,
                const PipeClocks &clocks);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_SYNCRUN_H
