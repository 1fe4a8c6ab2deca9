// Runs again only what a change of syncs can change.
#include "OrderedTraces.h"

using namespace mlir;
using namespace attn::ascend;

/// Steps between two states that are kept, at least, and the most states of a trace: few enough
/// that to keep them costs less than to begin at one spares.
static constexpr size_t leastDistance = 100, mostStates = 20;

OrderedTraces::OrderedTraces(std::vector<ExecutionTrace> list)
    : traces(std::move(list)), memories(traces.size()),
      order(llvm::to_vector(llvm::seq<size_t>(0, traces.size()))) {
  for (auto [trace, memory] : llvm::zip(traces, memories)) {
    int32_t end = trace.getSteps().size();
    for (int32_t step = end - 1; step >= 0; --step) {
      int32_t number = trace.getSteps()[step].number;
      if (number >= static_cast<int32_t>(memory.firstSteps.size()))
        memory.firstSteps.resize(number + 1, end);
      if (number >= 0)
        memory.firstSteps[number] = step;
    }
  }
}

ArrayRef<int32_t> OrderedTraces::getEventful(size_t trace, const SyncSet &syncs) {
  Memory &memory = memories[trace];
  if (memory.version == syncs.getVersion())
    return memory.eventful;
  memory.eventful.clear();
  for (auto [position, step] : llvm::enumerate(traces[trace].getSteps()))
    if (syncs.isEventful(step))
      memory.eventful.push_back(position);
  memory.version = syncs.getVersion();
  return memory.eventful;
}

void OrderedTraces::run(size_t trace, const SyncSet &syncs, SyncListener &listener) {
  runSteps(traces[trace], syncs, listener, getEventful(trace, syncs));
}

SmallVector<int32_t> OrderedTraces::findChanged(const SyncSet &syncs) const {
  const std::vector<bool> &now = syncs.getEnabled();
  SmallVector<int32_t> changed;
  for (int32_t index = 0; index < syncs.size(); ++index) {
    bool before = index < static_cast<int32_t>(enabled.size()) && enabled[index];
    if (before != now[index])
      changed.push_back(index);
  }
  return changed;
}

int32_t OrderedTraces::getFirstStep(size_t trace, const SyncSet &syncs,
                                    ArrayRef<int32_t> changed) const {
  const std::vector<int32_t> &firstSteps = memories[trace].firstSteps;
  int32_t first = traces[trace].getSteps().size();
  for (int32_t sync : changed)
    for (int32_t place : syncs.getPlaces(sync))
      if (place < static_cast<int32_t>(firstSteps.size()))
        first = std::min(first, firstSteps[place]);
  return first;
}

bool OrderedTraces::check(size_t trace, const SyncSet &syncs, ArrayRef<int32_t> changed) {
  Memory &memory = memories[trace];
  int32_t end = traces[trace].getSteps().size();
  // Without a check before this one all of the trace is new.
  int32_t first = enabled.empty() ? 0 : getFirstStep(trace, syncs, changed);
  memory.newStates.clear();
  if (first == end)
    return true;
  auto kept = llvm::partition_point(memory.states,
                                    [&](const RunState &state) { return state.step <= first; });
  RunState state = kept == memory.states.begin() ? RunState() : *std::prev(kept);
  memory.begin = state.step;
  ArrayRef<int32_t> steps = getEventful(trace, syncs);
  size_t distance = std::max(leastDistance, steps.size() / mostStates);
  steps = steps.drop_front(llvm::lower_bound(steps, state.step) - steps.begin());
  while (!steps.empty()) {
    size_t count = std::min(distance, steps.size());
    if (!checkSteps(traces[trace], syncs, state, steps.take_front(count)))
      return false;
    memory.newStates.push_back(state);
    steps = steps.drop_front(count);
  }
  return checkEnd(syncs, state);
}

bool OrderedTraces::areOrdered(const SyncSet &syncs) {
  SmallVector<int32_t> changed = findChanged(syncs);
  if (changed.size() == 1)
    if (auto failed = failedWithout.find(changed.front());
        failed != failedWithout.end() && !check(failed->second, syncs, changed))
      return false;
  for (auto [place, trace] : llvm::enumerate(order))
    if (!check(trace, syncs, changed)) {
      if (changed.size() == 1)
        failedWithout[changed.front()] = trace;
      std::rotate(order.begin(), order.begin() + place, order.begin() + place + 1);
      return false;
    }
  for (Memory &memory : memories) {
    if (memory.newStates.empty())
      continue;
    llvm::erase_if(memory.states, [&](const RunState &state) { return state.step > memory.begin; });
    llvm::append_range(memory.states, std::move(memory.newStates));
    memory.newStates.clear();
  }
  enabled = syncs.getEnabled();
  return true;
}
