// Finds syncs that are not needed, those that most often run first.
#include "SyncPruning.h"
#include "SyncSharing.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-insert-sync"

using namespace mlir;
using namespace attn::ascend;

/// Whether a barrier was asked for, before a loop: it stands for runs that no trace shows.
static bool isGiven(const Sync &sync) {
  return sync.isBarrier() && sync.source == Pipe::ALL && sync.consumer->hasAttr("ascend.settled");
}

namespace {

/// Writes down where waits and barriers act.
class HoldLog : public SyncListener {
public:
  struct Entry {
    int32_t step;
    int32_t sync; // -1: a wait for other cores
  };
  std::vector<Entry> entries;

private:
  SyncAnswer missesOrder(int32_t, PipeClocks &) override { return SyncAnswer::GoOn; }
  SyncAnswer raisesTwice(int32_t) override { return SyncAnswer::GoOn; }
  SyncAnswer isUnbalanced(int32_t) override { return SyncAnswer::GoOn; }
  void holds(int32_t sync, int32_t step) override { entries.push_back({step, sync}); }
  void hears(int32_t step) override { entries.push_back({step, -1}); }
};

class Pruner {
public:
  Pruner(OrderedTraces &traces, SyncSet &syncs, ArrayRef<std::optional<Witness>> witnesses)
      : traces(traces), syncs(syncs), witnesses(witnesses) {}

  /// Without loops and conditions every sync was made for an order that nothing else makes.
  void run(int64_t eventIds) {
    if (traces.get().size() > 1) {
      tryWithout([&](int32_t index) { return !isNeededByWitness(index); });
      bool hasReplaced = replaceRare();
      bool isRelieved = relieveCrowding(traces, syncs, eventIds);
      if (isRelieved)
        replaceRare();
      bool hasJoined = joinNeighbours(traces, syncs);
      // Flags that start more often, or stand for two, tell more.
      if (hasReplaced || isRelieved || hasJoined)
        tryWithout([](int32_t) { return true; });
    }
    // So does what takes the place of events; what others told may be missed then.
    while (giveUpEvents(traces, syncs, eventIds)) {
      while (giveUpEvents(traces, syncs, eventIds)) {
      }
      tryWithout([](int32_t) { return true; });
    }
  }

private:
  void tryWithout(function_ref<bool(int32_t)> isCandidate) {
    SmallVector<int32_t> candidates;
    for (int32_t index = 0; index < syncs.size(); ++index)
      if (syncs.isEnabled(index) && !isGiven(syncs[index]) && isCandidate(index))
        candidates.push_back(index);
    llvm::sort(candidates, [&](int32_t a, int32_t b) {
      return std::tuple(-getLoopDepth(syncs[a].consumer), !syncs[a].isBarrier(), a) <
             std::tuple(-getLoopDepth(syncs[b].consumer), !syncs[b].isBarrier(), b);
    });
    for (int32_t index : candidates) {
      syncs.disable(index);
      if (!traces.areOrdered(syncs))
        syncs.enable(index);
      else
        LDBG() << "sync " << index << " is implied by the others";
    }
    syncs.forgetPlaces();
  }

  bool isNeededByWitness(int32_t index);
  bool replaceRare();

  OrderedTraces &traces;
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
    traces.run(witness->trace, syncs, log->second);
  ArrayRef<HoldLog::Entry> entries = log->second.entries;
  const auto *entry = llvm::partition_point(
      entries, [&](const HoldLog::Entry &entry) { return entry.step <= witness->producer; });
  for (; entry != entries.end() && entry->step <= witness->consumer; ++entry) {
    if (entry->sync < 0)
      return false;
    Pipe target = syncs[entry->sync].target;
    if (entry->sync != index && (target == syncs[index].target || target == Pipe::ALL))
      return false;
  }
  return true;
}

/// A flag that only short runs need costs every run. Where another flag to the same pipe runs
/// through more loops than it must, restarting it inside of them may say the same.
bool Pruner::replaceRare() {
  bool hasReplaced = false;
  for (int32_t rare = 0, end = syncs.size(); rare < end; ++rare) {
    if (!syncs.isEnabled(rare) || syncs[rare].isBarrier())
      continue;
    syncs.disable(rare);
    if (!traces.isFirstOrdered(syncs)) {
      syncs.enable(rare);
      continue;
    }
    bool isReplaced = traces.areOrdered(syncs);
    for (bool isSameSource : {true, false})
      for (int32_t flag = 0; !isReplaced && flag < end; ++flag)
        isReplaced = syncs.isEnabled(flag) && syncs[flag].around &&
                     syncs[flag].target == syncs[rare].target &&
                     (syncs[flag].source == syncs[rare].source) == isSameSource &&
                     restartInside(traces, syncs, flag);
    if (!isReplaced)
      syncs.enable(rare);
    else
      LDBG() << "sync " << rare << ", which only short runs need, is replaced";
    hasReplaced |= isReplaced;
  }
  return hasReplaced;
}

} // namespace

void attn::ascend::pruneSyncs(OrderedTraces &traces, SyncSet &syncs,
                              ArrayRef<std::optional<Witness>> witnesses, int64_t eventIds) {
  Pruner(traces, syncs, witnesses).run(eventIds);
}
