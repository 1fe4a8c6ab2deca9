// Colours events by the flags that are up, or may be, when another is raised.
#include "attn/Dialect/Ascend/Analysis/EventIds.h"
#include "EventColouring.h"
#include "SyncRun.h"
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"
#include "attn/Dialect/Ascend/Analysis/PipeClocks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-assign-events"

using namespace mlir;
using namespace attn::ascend;

FailureOr<std::vector<EventGroup>> attn::ascend::collectEvents(func::FuncOp kernel) {
  llvm::MapVector<std::tuple<int, int, int64_t>, EventGroup> groups;
  auto add = [&](auto flag, auto list) -> LogicalResult {
    auto key =
        std::make_tuple(getIndex(flag.getSource()), getIndex(flag.getTarget()), flag.getEvent());
    EventGroup fresh{flag.getSource(), flag.getTarget(), flag.getEvent(), flag.getSlots(), {}, {}};
    EventGroup &group = groups.insert({key, fresh}).first->second;
    if (group.slots != static_cast<int64_t>(flag.getSlots()))
      return flag.emitError() << "has " << flag.getSlots() << " slots where its event has "
                              << group.slots;
    (group.*list).push_back(flag);
    return success();
  };
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto set = dyn_cast<SetFlagOp>(op))
      return add(set, &EventGroup::sets);
    if (auto wait = dyn_cast<WaitFlagOp>(op))
      return add(wait, &EventGroup::waits);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  std::vector<EventGroup> events;
  for (auto &entry : groups)
    events.push_back(std::move(entry.second));
  return events;
}

namespace {

/// Follows the flags of the IR along traces and finds which events cannot share one.
class ConflictFinder {
public:
  explicit ConflictFinder(ArrayRef<EventGroup> events) : events(events), conflicts(events.size()) {
    for (auto [index, event] : llvm::enumerate(events)) {
      for (Operation *op : event.sets)
        eventOf[op] = index;
      for (Operation *op : event.waits)
        eventOf[op] = index;
      pairs[{event.source, event.target}].push_back(index);
    }
  }

  LogicalResult run(const ExecutionTrace &trace) {
    PipeClocks clocks;
    CrossKnowledge cross;
    conflicts.beginTrace();
    std::vector<SmallVector<Flag, 2>> flags;
    for (const EventGroup &event : events)
      flags.emplace_back(event.slots);
    for (auto [step, entry] : llvm::enumerate(trace.getSteps())) {
      using Kind = ExecutionTrace::Step::Kind;
      if (entry.kind == Kind::Barrier)
        clocks.barrier(entry.pipe, momentOf(step));
      if (entry.kind == Kind::CrossSet)
        cross.set(trace, step, clocks);
      if (entry.kind == Kind::CrossWait)
        cross.wait(trace, step, clocks);
      if (entry.kind == Kind::Instruction) {
        beginStep(trace, step, clocks);
        endStep(trace, step, clocks);
      }
      if (entry.kind != Kind::Set && entry.kind != Kind::Wait)
        continue;
      int32_t index = eventOf.lookup(entry.op);
      const EventGroup &event = events[index];
      if (entry.slotNumber < 0 || entry.slotNumber >= event.slots)
        return entry.op->emitError("has a slot that is not known when events get their ids");
      Flag &flag = flags[index][entry.slotNumber];
      if (entry.kind == Kind::Wait) {
        if (!clocks.wait(flag, event.target, momentOf(step)))
          return entry.op->emitError("waits for an event that nothing has raised");
        continue;
      }
      if (!clocks.maySet(flag, event.source, event.target))
        return entry.op->emitError("may raise an event before its last one was awaited");
      conflicts.raise(index, {event.source, event.target}, [&](int32_t rival) {
        return llvm::all_of(flags[rival], [&](const Flag &other) {
          return clocks.maySet(other, event.source, event.target);
        });
      });
      clocks.set(flag, event.source, momentOf(step));
    }
    for (auto [event, list] : llvm::zip(events, flags))
      if (llvm::any_of(list, [](const Flag &flag) { return flag.isRaised; }))
        return SetFlagOp(event.sets.back()).emitError("raises an event that nothing awaits");
    return success();
  }

  /// The first id of each of some events of one pair, none where the ids are not enough.
  std::optional<SmallVector<int64_t>> colour(ArrayRef<int32_t> list, int64_t limit) const {
    return conflicts.colour(list, [&](int32_t index) { return events[index].slots; }, limit);
  }
  auto getPairs() const { return llvm::make_second_range(pairs); }

private:
  ArrayRef<EventGroup> events;
  EventConflicts conflicts;
  DenseMap<Operation *, int32_t> eventOf;
  /// The events of each pair of pipes.
  std::map<PipePair, SmallVector<int32_t>> pairs;
};

} // namespace

FailureOr<SmallVector<int64_t>> attn::ascend::chooseEventIds(func::FuncOp kernel,
                                                             const IndexRanges &ranges,
                                                             ArrayRef<EventGroup> events,
                                                             int64_t limit) {
  ConflictFinder finder(events);
  KernelTracer tracer(kernel, ranges);
  SmallVector<TraceChoice> choices = tracer.getChoices();
  kernel.walk([&](scf::ForOp loop) {
    if (loop.walk([](SetFlagOp) { return WalkResult::interrupt(); }).wasInterrupted())
      llvm::append_range(choices, tracer.getChoices(loop));
  });
  for (const TraceChoice &choice : choices) {
    FailureOr<ExecutionTrace> trace = tracer.trace(choice, TraceDetail::Flags);
    if (failed(trace) || failed(finder.run(*trace)))
      return failure();
  }

  // Pairs of pipes have ids of their own.
  SmallVector<int64_t> result(events.size(), -1);
  for (ArrayRef<int32_t> members : finder.getPairs()) {
    std::optional<SmallVector<int64_t>> ids = finder.colour(members, limit);
    const EventGroup &first = events[members.front()];
    if (!ids)
      return SetFlagOp(first.sets.front()).emitError()
             << "is one of more events from " << stringifyPipe(first.source) << " to "
             << stringifyPipe(first.target) << " than the " << limit << " ids of the chip allow";
    for (auto [member, id] : llvm::zip(members, *ids)) {
      LDBG() << "event " << events[member].event << " from " << stringifyPipe(first.source)
             << " to " << stringifyPipe(first.target) << ": id " << id << ", "
             << events[member].slots << " slots";
      result[member] = id;
    }
  }
  return result;
}
