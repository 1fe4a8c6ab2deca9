// Follows clocks and flags along a trace.
#include "SyncRun.h"

using namespace mlir;
using namespace attn::ascend;

std::optional<int32_t> SyncSet::add(const Sync &sync) {
  Key key{getIndex(sync.source),
          getIndex(sync.target),
          sync.producer,
          sync.consumer,
          sync.around,
          sync.drainBefore,
          sync.slot.getAsOpaquePointer()};
  int32_t index = syncs.size();
  if (auto [found, isNew] = known.try_emplace(key, index); !isNew) {
    if (enabled[found->second])
      return std::nullopt;
    enabled[found->second] = true;
    return found->second;
  }
  syncs.push_back(sync);
  enabled.push_back(true);
  before[sync.consumer].holds.push_back(index);
  if (!sync.isBarrier())
    after[sync.producer].sets.push_back(index);
  if (sync.around) {
    before[sync.around].sets.push_back(index);
    (sync.drainBefore ? before[sync.drainBefore] : after[sync.around]).drains.push_back(index);
  }
  return index;
}

bool attn::ascend::knowsNeeds(const ExecutionTrace &trace, const ExecutionTrace::Step &step,
                              const PipeClocks &clocks) {
  return llvm::all_of(trace.getNeeds(step), [&](const ExecutionTrace::PipeNeed &need) {
    return clocks.knows(step.pipe, need.pipe, momentOf(need.need.step));
  });
}

namespace {

class TraceRunner {
public:
  TraceRunner(const ExecutionTrace &trace, const SyncSet &syncs, SyncListener &listener)
      : trace(trace), syncs(syncs), listener(listener) {}

  bool run() {
    ArrayRef<ExecutionTrace::Step> steps = trace.getSteps();
    for (int32_t step = 0, end = steps.size(); step < end && !isStopped; ++step)
      visit(steps[step], step);
    for (auto [index, list] : llvm::enumerate(flags))
      if (!isStopped && syncs.isEnabled(index) &&
          llvm::any_of(list, [](const Flag &flag) { return flag.isRaised; }))
        hear(listener.isUnbalanced(index));
    return !isStopped;
  }

private:
  using Step = ExecutionTrace::Step;

  void visit(const Step &step, int32_t number) {
    switch (step.kind) {
    case Step::Kind::Slot:
      slots[step.slot] = step.slotNumber;
      return;
    case Step::Kind::Enter:
      return act(syncs.getBefore(step.op), /*isBefore=*/true, number);
    case Step::Kind::Exit:
      return act(syncs.getAfter(step.op), /*isBefore=*/false, number);
    case Step::Kind::Instruction:
      act(syncs.getBefore(step.op), /*isBefore=*/true, number);
      if (!isStopped && step.needCount != 0 && !knowsNeeds(trace, step, clocks))
        hear(listener.missesOrder(number, clocks));
      return act(syncs.getAfter(step.op), /*isBefore=*/false, number);
    default:
      return;
    }
  }

  void act(const SyncSet::Place *found, bool isBefore, int32_t step) {
    if (!found || isStopped)
      return;
    // The listener may add to the set meanwhile.
    SyncSet::Place place = *found;
    Moment now = isBefore ? momentBefore(step) : momentAfter(step);
    for (int32_t index : place.drains)
      if (syncs.isEnabled(index) && !isStopped)
        hold(index, /*isDrain=*/true, now, step);
    for (int32_t index : place.holds)
      if (syncs.isEnabled(index) && !isStopped)
        hold(index, /*isDrain=*/false, now, step);
    for (int32_t index : place.sets)
      if (syncs.isEnabled(index) && !isStopped)
        raise(index, /*isStart=*/isBefore, now);
  }

  void hold(int32_t index, bool isDrain, Moment now, int32_t step) {
    const Sync &sync = syncs[index];
    listener.holds(index, step);
    if (sync.isBarrier())
      return clocks.barrier(sync.source, now);
    forEachSlot(index, isDrain, [&](Flag &flag) {
      if (!clocks.wait(flag, sync.target, now))
        hear(listener.isUnbalanced(index));
    });
  }

  void raise(int32_t index, bool isStart, Moment now) {
    const Sync &sync = syncs[index];
    forEachSlot(index, isStart, [&](Flag &flag) {
      if (!clocks.maySet(flag, sync.source, sync.target))
        hear(listener.raisesTwice(index));
      clocks.set(flag, sync.source, now);
    });
  }

  /// The flags a set or wait acts on: those of all slots around the loop, the current one inside.
  void forEachSlot(int32_t index, bool isAll, function_ref<void(Flag &)> body) {
    if (static_cast<int32_t>(flags.size()) <= index)
      flags.resize(index + 1);
    const Sync &sync = syncs[index];
    flags[index].resize(sync.slots);
    if (isAll || !sync.slot) {
      for (Flag &flag : flags[index])
        body(flag);
      return;
    }
    auto slot = slots.find(sync.slot);
    if (slot == slots.end() || slot->second < 0 || slot->second >= sync.slots)
      return hear(listener.isUnbalanced(index));
    body(flags[index][slot->second]);
  }

  void hear(SyncAnswer answer) { isStopped |= answer == SyncAnswer::Stop; }

  const ExecutionTrace &trace;
  const SyncSet &syncs;
  SyncListener &listener;
  PipeClocks clocks;
  std::vector<SmallVector<Flag, 1>> flags;
  DenseMap<Value, int64_t> slots;
  bool isStopped = false;
};

/// Stops at the first thing that is wrong.
class Checker : public SyncListener {
  SyncAnswer missesOrder(int32_t, PipeClocks &) override { return SyncAnswer::Stop; }
  SyncAnswer raisesTwice(int32_t) override { return SyncAnswer::Stop; }
  SyncAnswer isUnbalanced(int32_t) override { return SyncAnswer::Stop; }
};

} // namespace

bool attn::ascend::runTrace(const ExecutionTrace &trace, const SyncSet &syncs,
                            SyncListener &listener) {
  return TraceRunner(trace, syncs, listener).run();
}

bool attn::ascend::isOrdered(const ExecutionTrace &trace, const SyncSet &syncs) {
  Checker checker;
  return runTrace(trace, syncs, checker);
}
