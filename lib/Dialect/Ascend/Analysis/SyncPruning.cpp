// Finds syncs that are not needed, those that most often run first.
#include "SyncPruning.h"

using namespace mlir;
using namespace attn::ascend;

namespace {

/// Writes down where waits and barriers act.
class HoldLog : public SyncListener {
public:
  struct Entry {
    int32_t step;
    int32_t sync;
  };
  std::vector<Entry> entries;

private:
  SyncAnswer missesOrder(int32_t, PipeClocks &) override { return SyncAnswer::GoOn; }
  SyncAnswer raisesTwice(int32_t) override { return SyncAnswer::GoOn; }
  SyncAnswer isUnbalanced(int32_t) override { return SyncAnswer::GoOn; }
  void holds(int32_t sync, int32_t step) override { entries.push_back({step, sync}); }
};

class Pruner {
public:
  Pruner(ArrayRef<ExecutionTrace> traces, SyncSet &syncs,
         ArrayRef<std::optional<Witness>> witnesses)
      : traces(traces), syncs(syncs), witnesses(witnesses) {}

  void run() {
    SmallVector<int32_t> candidates;
    for (int32_t index = 0; index < syncs.size(); ++index)
      if (syncs.isEnabled(index) && !isNeededByWitness(index))
        candidates.push_back(index);
    tryWithout(candidates);
    if (!replaceRare())
      return;
    candidates.clear();
    for (int32_t index = 0; index < syncs.size(); ++index)
      if (syncs.isEnabled(index))
        candidates.push_back(index);
    tryWithout(candidates);
  }

private:
  bool areOrdered() const {
    return llvm::all_of(traces,
                        [&](const ExecutionTrace &trace) { return isOrdered(trace, syncs); });
  }

  static int getLoopDepth(Operation *op) {
    int depth = 0;
    while ((op = op->getParentOp()))
      depth += isa<scf::ForOp>(op);
    return depth;
  }

  void tryWithout(MutableArrayRef<int32_t> candidates) {
    llvm::sort(candidates, [&](int32_t a, int32_t b) {
      return std::tuple(-getLoopDepth(syncs[a].consumer), !syncs[a].isBarrier(), a) <
             std::tuple(-getLoopDepth(syncs[b].consumer), !syncs[b].isBarrier(), b);
    });
    for (int32_t index : candidates) {
      syncs.disable(index);
      if (!areOrdered())
        syncs.enable(index);
    }
  }

  bool isNeededByWitness(int32_t index);
  bool replaceRare();
  bool restartInside(int32_t flag);
  SmallVector<Operation *> findDrainPlaces(const Sync &flag) const;

  ArrayRef<ExecutionTrace> traces;
  SyncSet &syncs;
  ArrayRef<std::optional<Witness>> witnesses;
  DenseMap<int32_t, HoldLog> logs;
};

/// Only a wait or barrier of the consuming pipe between the two ends of a dependence can order it:
/// where no other sync acts there, this one is needed. That spares long straight code the full
/// check.
bool Pruner::isNeededByWitness(int32_t index) {
  const std::optional<Witness> &witness = witnesses[index];
  if (!witness)
    return false;
  auto [log, isNew] = logs.try_emplace(witness->trace);
  if (isNew)
    runTrace(traces[witness->trace], syncs, log->second);
  ArrayRef<HoldLog::Entry> entries = log->second.entries;
  const auto *entry = llvm::partition_point(
      entries, [&](const HoldLog::Entry &entry) { return entry.step <= witness->producer; });
  for (; entry != entries.end() && entry->step <= witness->consumer; ++entry) {
    Pipe target = syncs[entry->sync].target;
    if (entry->sync != index && (target == syncs[index].target || target == Pipe::ALL))
      return false;
  }
  return true;
}

/// A flag that only short runs need costs every run. Where another flag of the same pipes runs
/// through more loops than it must, starting it anew inside of them may say the same.
bool Pruner::replaceRare() {
  bool hasReplaced = false;
  for (int32_t rare = 0, end = syncs.size(); rare < end; ++rare) {
    if (!syncs.isEnabled(rare) || syncs[rare].isBarrier())
      continue;
    syncs.disable(rare);
    if (!isOrdered(traces.front(), syncs)) {
      syncs.enable(rare);
      continue;
    }
    bool isReplaced = areOrdered();
    for (int32_t flag = 0; !isReplaced && flag < end; ++flag)
      isReplaced = syncs.isEnabled(flag) && syncs[flag].around &&
                   syncs[flag].source == syncs[rare].source &&
                   syncs[flag].target == syncs[rare].target && restartInside(flag);
    if (!isReplaced)
      syncs.enable(rare);
    hasReplaced |= isReplaced;
  }
  return hasReplaced;
}

/// Tries to order all traces by starting a flag around an inner loop.
bool Pruner::restartInside(int32_t flag) {
  Sync inner = syncs[flag];
  syncs.disable(flag);
  // From the loop just below the one it runs through now down to the one that carries it.
  SmallVector<Operation *> loops;
  for (auto loop = inner.producer->getParentOfType<scf::ForOp>(); loop && loop != inner.around;
       loop = loop->getParentOfType<scf::ForOp>())
    loops.push_back(loop);
  for (Operation *loop : llvm::reverse(loops)) {
    inner.around = loop;
    for (Operation *place : findDrainPlaces(inner)) {
      inner.drainBefore = place;
      std::optional<int32_t> added = syncs.add(inner);
      if (added && areOrdered())
        return true;
      if (added)
        syncs.disable(*added);
    }
  }
  syncs.enable(flag);
  return false;
}

/// Places behind the loop where a flag may be drained, the latest first: the source must hear from
/// the target between the drain and the next start. None stands for right behind the loop.
SmallVector<Operation *> Pruner::findDrainPlaces(const Sync &flag) const {
  SmallVector<Operation *> places;
  for (int32_t index = 0; index < syncs.size(); ++index) {
    const Sync &back = syncs[index];
    if (syncs.isEnabled(index) && !back.isBarrier() && back.source == flag.target &&
        back.target == flag.source && back.producer->getBlock() == flag.around->getBlock() &&
        flag.around->isBeforeInBlock(back.producer))
      places.push_back(back.producer);
  }
  llvm::sort(places, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  places.push_back(nullptr);
  return places;
}

} // namespace

void attn::ascend::pruneSyncs(ArrayRef<ExecutionTrace> traces, SyncSet &syncs,
                              ArrayRef<std::optional<Witness>> witnesses) {
  // Without loops and conditions every sync was made for an order that nothing else makes.
  if (traces.size() > 1)
    Pruner(traces, syncs, witnesses).run();
}
