// Follows clocks and flags along a trace.
#include "SyncRun.h"

using namespace mlir;
using namespace attn::ascend;

SmallVector<Operation *> Sync::getConsumers() const {
  SmallVector<Operation *> consumers = {consumer};
  for (const Turn &turn : llvm::drop_begin(turns, turns.empty() ? 0 : 1))
    consumers.push_back(turn.consumer);
  return consumers;
}

Value Sync::getSlotAwaitedBefore(Operation *op) const {
  const auto *turn = llvm::find_if(turns, [&](const Turn &turn) { return turn.consumer == op; });
  return turn == turns.end() ? slot : turn->slot;
}

Value Sync::getSlotRaisedAfter(Operation *op) const {
  const auto *turn = llvm::find_if(turns, [&](const Turn &turn) { return turn.producer == op; });
  return turn == turns.end() ? slot : turn->slot;
}

std::optional<int32_t> SyncSet::add(const Sync &sync) {
  Key key{getIndex(sync.source), getIndex(sync.target),
          sync.producer,         sync.consumer,
          sync.around,           sync.until,
          sync.drainBefore,      sync.slot.getAsOpaquePointer()};
  int32_t index = syncs.size();
  if (auto [found, isNew] = known.try_emplace(key, index); !isNew) {
    if (enabled[found->second])
      return std::nullopt;
    enabled[found->second] = true;
    return found->second;
  }
  syncs.push_back(sync);
  enabled.push_back(true);
  firstFlags.push_back(flagCount);
  before[tracer.getNumber(sync.consumer)].holds.push_back(index);
  if (sync.isBarrier())
    return index;
  flagCount += sync.slots;
  after[tracer.getNumber(sync.producer)].sets.push_back(index);
  for (const Sync::Turn &turn : llvm::drop_begin(sync.turns, sync.turns.empty() ? 0 : 1)) {
    before[tracer.getNumber(turn.consumer)].holds.push_back(index);
    after[tracer.getNumber(turn.producer)].sets.push_back(index);
  }
  if (sync.around) {
    before[tracer.getNumber(sync.around)].sets.push_back(index);
    Place &drain = sync.drainBefore ? before[tracer.getNumber(sync.drainBefore)]
                                    : after[tracer.getNumber(sync.getLastAround())];
    drain.drains.push_back(index);
  }
  return index;
}

SmallVector<int32_t, 4> SyncSet::getPlaces(int32_t index) const {
  const Sync &sync = syncs[index];
  SmallVector<int32_t, 4> places;
  for (Operation *op : {sync.producer, sync.consumer, sync.around, sync.until, sync.drainBefore})
    if (op)
      places.push_back(tracer.getNumber(op));
  for (const Sync::Turn &turn : sync.turns)
    places.append({tracer.getNumber(turn.producer), tracer.getNumber(turn.consumer)});
  return places;
}

int32_t SyncSet::getDistance(int32_t a, int32_t b) const {
  auto between = [&](Operation *one, Operation *other) {
    return std::abs(tracer.getNumber(one) - tracer.getNumber(other));
  };
  return between(syncs[a].producer, syncs[b].producer) +
         between(syncs[a].consumer, syncs[b].consumer);
}

bool attn::ascend::knowsNeeds(const ExecutionTrace &trace, const ExecutionTrace::Step &step,
                              const PipeClocks &clocks) {
  return llvm::all_of(trace.getNeeds(step), [&](const ExecutionTrace::PipeNeed &need) {
    return clocks.knows(step.pipe, need.pipe, momentOf(need.need.step));
  });
}

/// The pipe of one step of an instruction goes on when another step of it is done.
static void learn(const ExecutionTrace &trace, int32_t position, int32_t done, PipeClocks &clocks) {
  Pipe source = trace.getSteps()[done].pipe, target = trace.getSteps()[position].pipe;
  clocks.learn(target, clocks.getKnowledge(source));
  clocks.learn(target, source, momentAfter(done));
}

void attn::ascend::beginStep(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks) {
  if (trace.getSteps()[position].before != 0)
    learn(trace, position, position - 1, clocks);
}

void attn::ascend::endStep(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks) {
  const ExecutionTrace::Step &step = trace.getSteps()[position];
  if (step.before != 0 && step.after == 0)
    learn(trace, position - step.before, position, clocks);
}

namespace {

class TraceRunner {
public:
  TraceRunner(const ExecutionTrace &trace, const SyncSet &syncs, SyncListener &listener,
              RunState &state)
      : trace(trace), syncs(syncs), listener(listener), state(state), clocks(state.clocks),
        flags(state.flags), slots(state.slots) {}

  bool run(int32_t end) {
    ArrayRef<ExecutionTrace::Step> steps = trace.getSteps();
    for (; state.step < end && !isStopped; ++state.step)
      visit(steps[state.step], state.step);
    bool isAtEnd = end == static_cast<int32_t>(steps.size());
    for (int32_t index = 0; isAtEnd && index < syncs.size() && !isStopped; ++index)
      if (syncs.isEnabled(index) && !syncs[index].isBarrier() &&
          llvm::any_of(getFlags(index), [](const Flag &flag) { return flag.isRaised; }))
        hear(listener.isUnbalanced(index));
    return !isStopped;
  }

private:
  using Step = ExecutionTrace::Step;

  void visit(const Step &step, int32_t position) {
    switch (step.kind) {
    case Step::Kind::Slot:
      slots[step.slot] = step.slotNumber;
      return;
    case Step::Kind::Barrier:
      return clocks.barrier(step.pipe, momentOf(position));
    case Step::Kind::Enter:
      return act(syncs.getBefore(step.number), momentBefore(position), position, /*isStart=*/true);
    case Step::Kind::Exit:
      listener.passes(position, clocks);
      return act(syncs.getAfter(step.number), momentAfter(position), position, /*isStart=*/false);
    case Step::Kind::Instruction:
      if (step.before == 0)
        act(syncs.getBefore(step.number), momentBefore(position), position, /*isStart=*/true);
      beginStep(trace, position, clocks);
      if (!isStopped && step.needCount != 0 && !knowsNeeds(trace, step, clocks))
        hear(listener.missesOrder(position, clocks));
      listener.passes(position, clocks);
      endStep(trace, position, clocks);
      if (step.after != 0)
        return;
      return act(syncs.getAfter(step.number), momentAfter(position), position, /*isStart=*/false);
    default:
      return;
    }
  }

  /// Sets before an operation start the flags of a loop; those after one raise the current slot.
  void act(const SyncSet::Place &place, Moment now, int32_t position, bool isStart) {
    if (place.isEmpty())
      return;
    Operation *op = trace.getSteps()[position].op;
    for (size_t i = 0; i < place.drains.size() && !isStopped; ++i)
      if (syncs.isEnabled(place.drains[i]))
        hold(place.drains[i], Value(), now, position);
    for (size_t i = 0; i < place.holds.size() && !isStopped; ++i)
      if (syncs.isEnabled(place.holds[i]))
        hold(place.holds[i], syncs[place.holds[i]].getSlotAwaitedBefore(op), now, position);
    for (size_t i = 0; i < place.sets.size() && !isStopped; ++i)
      if (syncs.isEnabled(place.sets[i]))
        raise(place.sets[i], isStart ? Value() : syncs[place.sets[i]].getSlotRaisedAfter(op), now);
  }

  /// Waits for the flag of one slot, or for all of them.
  void hold(int32_t index, Value slot, Moment now, int32_t position) {
    listener.holds(index, position);
    Pipe source = syncs[index].source, target = syncs[index].target;
    if (syncs[index].isBarrier())
      return clocks.barrier(source, now);
    forEachSlot(index, slot, [&](Flag &flag) {
      if (!clocks.wait(flag, target, now))
        hear(listener.isUnbalanced(index));
    });
  }

  void raise(int32_t index, Value slot, Moment now) {
    Pipe source = syncs[index].source, target = syncs[index].target;
    forEachSlot(index, slot, [&](Flag &flag) {
      if (!clocks.maySet(flag, source, target))
        hear(listener.raisesTwice(index));
      listener.raises(index, flags, clocks);
      clocks.set(flag, source, now);
    });
  }

  MutableArrayRef<Flag> getFlags(int32_t index) {
    // The listener may add to the set while the trace runs.
    if (static_cast<int32_t>(flags.size()) < syncs.getFlagCount())
      flags.resize(syncs.getFlagCount());
    return MutableArrayRef(flags).slice(syncs.getFirstFlag(index), syncs[index].slots);
  }

  /// The flags a set or wait acts on: those of all slots around the loop, the current one inside.
  void forEachSlot(int32_t index, Value number, function_ref<void(Flag &)> body) {
    const Sync &sync = syncs[index];
    MutableArrayRef<Flag> list = getFlags(index);
    if (!number) {
      for (Flag &flag : list)
        body(flag);
      return;
    }
    auto slot = slots.find(number);
    if (slot == slots.end() || slot->second < 0 || slot->second >= sync.slots)
      return hear(listener.isUnbalanced(index));
    body(list[slot->second]);
  }

  void hear(SyncAnswer answer) { isStopped |= answer == SyncAnswer::Stop; }

  const ExecutionTrace &trace;
  const SyncSet &syncs;
  SyncListener &listener;
  RunState &state;
  PipeClocks &clocks;
  std::vector<Flag> &flags;
  DenseMap<Value, int64_t> &slots;
  bool isStopped = false;
};

} // namespace

bool attn::ascend::runTrace(const ExecutionTrace &trace, const SyncSet &syncs,
                            SyncListener &listener, RunState &state, int32_t end) {
  return TraceRunner(trace, syncs, listener, state).run(end);
}

bool attn::ascend::runTrace(const ExecutionTrace &trace, const SyncSet &syncs,
                            SyncListener &listener) {
  RunState state;
  return runTrace(trace, syncs, listener, state, trace.getSteps().size());
}
