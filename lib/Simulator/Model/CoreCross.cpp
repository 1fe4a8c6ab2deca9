// One core of the chip: the flags between the cores of a group.
#include "Core.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

void Core::clearCrossFlags() {
  crossFlags.fill({});
  isHeld = false;
}

bool Core::isCrossFlag(const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  if (shared.kernel.kind != ascend::KernelKind::Mixed) {
    shared.log.report(HazardKind::Usage, instruction, place,
                      "is for the cores of a group, but the kernel is of the kind '" +
                          ascend::stringifyKernelKind(shared.kernel.kind) + "'");
    return false;
  }
  if (instruction.event >= 0 && instruction.event < architecture::crossFlags)
    return true;
  shared.log.report(HazardKind::Flag, instruction, place,
                    llvm::formatv("uses flag {0}; 0 to {1} are there for kernels",
                                  instruction.event, architecture::crossFlags - 1)
                        .str());
  return false;
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

void Core::setCross(int pipeIndex, const Issued &issued, double time) {
  const Instruction &instruction = *issued.instruction;
  int queue = getQueue(pipeIndex);
  CrossSet &last = crossFlags[instruction.event].lastSet;
  CrossSet set = {&instruction, queue, pipes[pipeIndex].clock, last.number + 1, time, 0};
  set.known[queue] = issued.sequence;
  // A wait could take the one for the other; on one pipe the later one knows more.
  if (last.setter && last.queue != queue && last.known[last.queue] > set.known[last.queue]) {
    if (shared.log.isNew(HazardKind::Flag, instruction.number, last.setter->number))
      shared.log
          .add(HazardKind::Flag, instruction.location, place, nameOf(instruction.pipe),
               llvm::formatv("{0} raises flag {1}, and nothing orders that after the set on {2} "
                             "before it",
                             instruction.name, instruction.event, nameOf(last.setter->pipe)))
          .notes.push_back({last.setter->location, "the set before it"});
  }
  last = set;
  addTrace(pipeIndex, instruction, time, time);
  surroundings.setCross(index, set, time);
}

bool Core::hasRoomFor(const CrossSet &set) const {
  const std::vector<uint32_t> &waits = crossFlags[set.setter->event].waits;
  if (set.number <= architecture::maxCrossPending)
    return true;
  size_t needed = set.number - architecture::maxCrossPending;
  return needed <= waits.size() && waits[needed - 1] <= set.known[getQueue(indexOf(Pipe::S))];
}

void Core::expectCross(const CrossSet &set, double time) {
  const Instruction &setter = *set.setter;
  // Luck in time does not count: the waits before must be known to be over.
  if (!shared.options.timingOnly && !hasRoomFor(set)) {
    CorePlace from = place;
    from.coreOfBlock = set.queue / pipeCount;
    shared.log.report(
        HazardKind::Flag, setter, from,
        llvm::formatv("raises flag {0} of {1}, of which {2} sets may be pending: nothing orders it "
                      "after the waits before",
                      setter.event, shared.log.describeCore(place.coreOfBlock),
                      architecture::maxCrossPending)
            .str());
  }
  int source = getSetter(set.queue);
  crossFlags[setter.event].underWay[source].push_back(set);
  double latency = jitter.draw(shared.costs.crossFlagLatency, shared.costs.crossFlagLeast,
                               shared.costs.crossFlagMost);
  surroundings.schedule(time + latency, EventKind::RaiseCross, index,
                        setter.event * vectorCoresPerGroup + source);
}

void Core::raiseCross(int index, double now) {
  int flag = index / vectorCoresPerGroup, source = index % vectorCoresPerGroup;
  std::deque<CrossSet> &underWay = crossFlags[flag].underWay[source];
  // What a block left, which was reported, has nothing to do with the next one.
  if (underWay.empty())
    return;
  crossFlags[flag].raised[source].push_back(underWay.front());
  crossFlags[flag].raised[source].back().arrival = now;
  underWay.pop_front();
  if (state == ScalarState::HeldByCross && next.instruction->event == flag)
    resumeScalar(now);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Core::issueCrossWait() {
  CrossFlag &flag = crossFlags[next.instruction->event];
  auto setters = llvm::MutableArrayRef(flag.raised).take_front(getSetterCount());
  if (llvm::any_of(setters, [](const std::deque<CrossSet> &raised) { return raised.empty(); })) {
    if (!std::exchange(isHeld, true))
      heldSince = scalarTime;
    state = ScalarState::HeldByCross;
    return false;
  }
  record(indexOf(Pipe::S), next);
  PipeState &scalar = pipes[indexOf(Pipe::S)];
  next.sequence = ++scalar.issued;
  double begin = std::exchange(isHeld, false) ? heldSince : scalarTime;
  scalarTime += shared.costs.flagIssue;
  for (std::deque<CrossSet> &raised : setters) {
    join(scalarClock, raised.front().known);
    scalarTime = std::max(scalarTime, raised.front().arrival);
  }
  addCrossTrace(setters, begin);
  for (std::deque<CrossSet> &raised : setters)
    raised.pop_front();
  work.held += scalarTime - begin;
  scalarClock[getQueue(indexOf(Pipe::S))] = scalar.issued;
  if (!shared.options.timingOnly)
    flag.waits.push_back(scalar.issued);
  return true;
}

std::string Core::describeCore() const {
  std::string name = shared.log.describeCore(place.coreOfBlock);
  return name.empty() ? name : llvm::formatv("group {0}, {1}", place.block, name).str();
}

void Core::addCrossTrace(ArrayRef<std::deque<CrossSet>> setters, double begin) {
  addTrace(indexOf(Pipe::S), *next.instruction, begin, scalarTime);
  double microsecond = shared.chip.clockHz * 1e-6;
  for (const std::deque<CrossSet> &raised : setters) {
    const CrossSet &set = raised.front();
    int64_t setter = index - place.coreOfBlock + set.queue / pipeCount;
    if (index < shared.options.traceCores && setter < shared.options.traceCores)
      shared.arrows.push_back({setter, nameOf(set.setter->pipe), set.time / microsecond, index,
                               scalarTime / microsecond,
                               llvm::formatv("flag {0}", set.setter->event)});
  }
}

SmallVector<int, vectorCoresPerGroup> Core::listMissingSetters() const {
  SmallVector<int, vectorCoresPerGroup> missing;
  if (state != ScalarState::HeldByCross)
    return missing;
  bool isCube = place.kind == CoreKind::Cube;
  for (int setter = 0; setter < getSetterCount(); ++setter)
    if (crossFlags[next.instruction->event].raised[setter].empty())
      missing.push_back(isCube ? 1 + setter : 0);
  return missing;
}

void Core::reportCrossLeftovers() {
  for (const CrossFlag &flag : crossFlags)
    for (int source = 0; source < getSetterCount(); ++source) {
      const std::deque<CrossSet> &underWay = flag.underWay[source], &raised = flag.raised[source];
      if (underWay.empty() && raised.empty())
        continue;
      const CrossSet &set = underWay.empty() ? raised.back() : underWay.back();
      if (shared.log.isNew(HazardKind::Flag, set.setter->number, -3)) {
        CorePlace from = place;
        from.coreOfBlock = set.queue / pipeCount;
        shared.log.add(HazardKind::Flag, set.setter->location, from, nameOf(set.setter->pipe),
                       llvm::formatv("{0} of flag {1} is still raised on {2} when the kernel ends",
                                     set.setter->name, set.setter->event,
                                     shared.log.describeCore(place.coreOfBlock)));
      }
    }
}
