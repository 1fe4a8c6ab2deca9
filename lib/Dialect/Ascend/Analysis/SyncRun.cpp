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
    enable(found->second);
    return found->second;
  }
  syncs.push_back(sync);
  enabled.push_back(true);
  firstFlags.push_back(flagCount);
  auto addHold = [&](Operation *op) {
    addAct(before[tracer.getNumber(op)], &Place::holds, index, sync.getSlotAwaitedBefore(op));
  };
  auto addSet = [&](Operation *op) {
    addAct(after[tracer.getNumber(op)], &Place::sets, index, sync.getSlotRaisedAfter(op));
  };
  addHold(sync.consumer);
  if (sync.isBarrier())
    return index;
  flagCount += sync.slots;
  addSet(sync.producer);
  for (const Sync::Turn &turn : llvm::drop_begin(sync.turns, sync.turns.empty() ? 0 : 1)) {
    addHold(turn.consumer);
    addSet(turn.producer);
  }
  if (sync.around) {
    addAct(before[tracer.getNumber(sync.around)], &Place::sets, index, Value());
    Place &drain = sync.drainBefore ? before[tracer.getNumber(sync.drainBefore)]
                                    : after[tracer.getNumber(sync.getLastAround())];
    addAct(drain, &Place::drains, index, Value());
  }
  return index;
}

void SyncSet::addAct(Place &place, Acts Place::*list, int32_t index, Value slot) {
  Acts &acts = place.*list;
  acts.all.push_back(makeAct(index, slot));
  acts.enabled.push_back(acts.all.back());
  use(place);
}

void SyncSet::use(Place &place) {
  if (!place.isUsed)
    ++version;
  place.isUsed = true;
}

void SyncSet::setEnabled(int32_t index, bool counts) {
  if (enabled[index] == counts)
    return;
  enabled[index] = counts;
  for (int32_t number : getPlaces(index))
    for (Place *place : {&before[number], &after[number]})
      for (Acts *acts : {&place->drains, &place->holds, &place->sets}) {
        acts->enabled.clear();
        llvm::copy_if(acts->all, std::back_inserter(acts->enabled),
                      [&](const Act &act) { return enabled[act.sync]; });
        if (!acts->enabled.empty())
          use(*place);
      }
}

void SyncSet::forgetPlaces() {
  ++version;
  for (std::vector<Place> *places : {&before, &after})
    for (Place &place : *places)
      place.isUsed = !place.drains.enabled.empty() || !place.holds.enabled.empty() ||
                     !place.sets.enabled.empty();
}

SyncSet::Act SyncSet::makeAct(int32_t index, Value slot) {
  int32_t slotIndex = slot ? tracer.getSlotIndexNumber(slot) : allSlots;
  if (slot && !usesSlots[slotIndex]) {
    usesSlots[slotIndex] = true;
    ++version;
  }
  const Sync &sync = syncs[index];
  return {index,
          slotIndex,
          sync.source,
          sync.target,
          sync.isBarrier(),
          firstFlags[index],
          static_cast<int32_t>(sync.slots)};
}

bool SyncSet::isEventful(const ExecutionTrace::Step &step) const {
  using Kind = ExecutionTrace::Step::Kind;
  switch (step.kind) {
  case Kind::Slot:
    return usesSlots[step.number];
  case Kind::Barrier:
  case Kind::CrossWait:
    return true;
  case Kind::CrossSet:
    return step.detail >= 0;
  case Kind::Enter:
    return before[step.number].isUsed;
  case Kind::Exit:
    return after[step.number].isUsed;
  case Kind::Instruction:
    return step.needCount != 0 || step.before != 0 || before[step.number].isUsed ||
           after[step.number].isUsed;
  default:
    return false;
  }
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

void CrossKnowledge::set(const ExecutionTrace &trace, int32_t position, const PipeClocks &clocks) {
  const ExecutionTrace::Step &step = trace.getSteps()[position];
  if (step.detail < 0)
    return;
  known.resize(trace.getHeardCount());
  known[step.detail] = clocks.getKnowledge(step.pipe);
  known[step.detail][getIndex(step.pipe)] = momentOf(position);
}

void CrossKnowledge::wait(const ExecutionTrace &trace, int32_t position, PipeClocks &clocks) const {
  for (int32_t set : trace.getHeard(trace.getSteps()[position]))
    for (int pipe = 0; pipe < pipeCount; ++pipe)
      clocks.learn(static_cast<Pipe>(pipe), known[set]);
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

/// The listener may add to the set while the trace runs.
static void growFlags(const SyncSet &syncs, RunState &state) {
  if (static_cast<int32_t>(state.flags.size()) < syncs.getFlagCount())
    state.flags.resize(syncs.getFlagCount());
}

namespace {

/// Stops at the first thing that is wrong.
struct Checker {
  SyncAnswer missesOrder(int32_t, PipeClocks &) { return SyncAnswer::Stop; }
  SyncAnswer raisesTwice(int32_t) { return SyncAnswer::Stop; }
  SyncAnswer isUnbalanced(int32_t) { return SyncAnswer::Stop; }
  void holds(int32_t, int32_t) {}
  void hears(int32_t) {}
  void raises(int32_t, ArrayRef<Flag>, const PipeClocks &) {}
  void passes(int32_t, const PipeClocks &) {}
};

/// Most runs are checks, to which nothing is said on the way: `Listener` is a `SyncListener` or a
/// `Checker`.
template <typename Listener> class TraceRunner {
public:
  TraceRunner(const ExecutionTrace &trace, const SyncSet &syncs, Listener &listener,
              RunState &state)
      : trace(trace), syncs(syncs), listener(listener), state(state), clocks(state.clocks),
        flags(state.flags), slots(state.slots) {
    slots.resize(syncs.getSlotIndexCount(), -1);
  }

  bool run(int32_t position) {
    visit(trace.getSteps()[position], position);
    state.step = position + 1;
    return !isStopped;
  }

private:
  using Step = ExecutionTrace::Step;

  void visit(const Step &step, int32_t position) {
    switch (step.kind) {
    case Step::Kind::Slot:
      slots[step.number] = step.slotNumber;
      return;
    case Step::Kind::Barrier:
      return clocks.barrier(step.pipe, momentOf(position));
    case Step::Kind::CrossSet:
      return state.cross.set(trace, position, clocks);
    case Step::Kind::CrossWait:
      listener.hears(position);
      return state.cross.wait(trace, position, clocks);
    case Step::Kind::Enter:
      return act(syncs.getBefore(step.number), momentBefore(position), position);
    case Step::Kind::Exit:
      listener.passes(position, clocks);
      return act(syncs.getAfter(step.number), momentAfter(position), position);
    case Step::Kind::Instruction:
      if (step.before == 0)
        act(syncs.getBefore(step.number), momentBefore(position), position);
      beginStep(trace, position, clocks);
      if (!isStopped && step.needCount != 0 && !knowsNeeds(trace, step, clocks))
        hear(listener.missesOrder(position, clocks));
      listener.passes(position, clocks);
      endStep(trace, position, clocks);
      if (step.after != 0)
        return;
      return act(syncs.getAfter(step.number), momentAfter(position), position);
    default:
      return;
    }
  }

  /// The listener may add to a place while it acts.
  void act(const SyncSet::Place &place, Moment now, int32_t position) {
    for (size_t i = 0; i < place.drains.enabled.size() && !isStopped; ++i)
      hold(place.drains.enabled[i], now, position);
    for (size_t i = 0; i < place.holds.enabled.size() && !isStopped; ++i)
      hold(place.holds.enabled[i], now, position);
    for (size_t i = 0; i < place.sets.enabled.size() && !isStopped; ++i)
      raise(place.sets.enabled[i], now);
  }

  /// Waits for the flag of one slot, or for all of them.
  void hold(SyncSet::Act act, Moment now, int32_t position) {
    listener.holds(act.sync, position);
    if (act.isBarrier)
      return clocks.barrier(act.source, now);
    forEachSlot(act, [&](Flag &flag) {
      if (!clocks.wait(flag, act.target, now))
        hear(listener.isUnbalanced(act.sync));
    });
  }

  void raise(SyncSet::Act act, Moment now) {
    forEachSlot(act, [&](Flag &flag) {
      if (!clocks.maySet(flag, act.source, act.target))
        hear(listener.raisesTwice(act.sync));
      listener.raises(act.sync, flags, clocks);
      clocks.set(flag, act.source, now);
    });
  }

  /// The flags a set or wait acts on: those of all slots around the loop, the current one inside.
  template <typename Body> void forEachSlot(SyncSet::Act act, Body body) {
    growFlags(syncs, state);
    auto list = MutableArrayRef(flags).slice(act.firstFlag, act.flagCount);
    if (act.slotIndex == SyncSet::allSlots) {
      for (Flag &flag : list)
        body(flag);
      return;
    }
    int64_t slot = slots[act.slotIndex];
    if (slot < 0 || slot >= static_cast<int64_t>(list.size()))
      return hear(listener.isUnbalanced(act.sync));
    body(list[slot]);
  }

  void hear(SyncAnswer answer) { isStopped |= answer == SyncAnswer::Stop; }

  const ExecutionTrace &trace;
  const SyncSet &syncs;
  Listener &listener;
  RunState &state;
  PipeClocks &clocks;
  std::vector<Flag> &flags;
  std::vector<int64_t> &slots;
  bool isStopped = false;
};

} // namespace

template <typename Listener>
static bool runUpTo(const ExecutionTrace &trace, const SyncSet &syncs, Listener &listener,
                    RunState &state, ArrayRef<int32_t> steps) {
  TraceRunner<Listener> runner(trace, syncs, listener, state);
  return llvm::all_of(steps, [&](int32_t step) { return runner.run(step); });
}

template <typename Listener>
static bool endTrace(const SyncSet &syncs, Listener &listener, RunState &state) {
  growFlags(syncs, state);
  for (int32_t index = 0; index < syncs.size(); ++index) {
    if (!syncs.isEnabled(index) || syncs[index].isBarrier())
      continue;
    auto flags = ArrayRef(state.flags).slice(syncs.getFirstFlag(index), syncs[index].slots);
    if (llvm::any_of(flags, [](const Flag &flag) { return flag.isRaised; }) &&
        listener.isUnbalanced(index) == SyncAnswer::Stop)
      return false;
  }
  return true;
}

bool attn::ascend::checkSteps(const ExecutionTrace &trace, const SyncSet &syncs, RunState &state,
                              ArrayRef<int32_t> steps) {
  Checker checker;
  return runUpTo(trace, syncs, checker, state, steps);
}

bool attn::ascend::checkEnd(const SyncSet &syncs, RunState &state) {
  Checker checker;
  return endTrace(syncs, checker, state);
}

bool attn::ascend::runSteps(const ExecutionTrace &trace, const SyncSet &syncs,
                            SyncListener &listener, ArrayRef<int32_t> steps) {
  RunState state;
  return runUpTo(trace, syncs, listener, state, steps) && endTrace(syncs, listener, state);
}

bool attn::ascend::runTrace(const ExecutionTrace &trace, const SyncSet &syncs,
                            SyncListener &listener) {
  RunState state;
  TraceRunner<SyncListener> runner(trace, syncs, listener, state);
  for (int32_t step = 0, end = trace.getSteps().size(); step < end; ++step)
    if (!runner.run(step))
      return false;
  return endTrace(syncs, listener, state);
}
