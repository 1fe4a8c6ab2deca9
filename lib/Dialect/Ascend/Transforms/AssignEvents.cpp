// ascend-assign-events: the chip's ids for virtual events (after synchronisation).
#include "attn/Dialect/Ascend/Analysis/EventIds.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_ASSIGNEVENTSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

int getDepth(Operation *op) {
  int depth = 0;
  while ((op = op->getParentOp()))
    ++depth;
  return depth;
}

/// An event as insert-sync writes it: a set and a wait in one block, and for one that goes from
/// iteration to iteration the sets and waits that start and drain it outside.
struct Shape {
  SetFlagOp set;
  WaitFlagOp wait;
  bool isCarried;
  /// The block outside, for one that is carried.
  Block *outside;
};

std::optional<Shape> getShape(const EventGroup &event) {
  size_t carriedCount = event.slots + 1;
  size_t count = event.sets.size();
  if (count != event.waits.size() || (count != 1 && count != carriedCount))
    return std::nullopt;
  auto isShallower = [](Operation *a, Operation *b) { return getDepth(a) < getDepth(b); };
  Shape shape{*llvm::max_element(event.sets, isShallower),
              *llvm::max_element(event.waits, isShallower), count != 1, nullptr};
  if (shape.set->getBlock() != shape.wait->getBlock())
    return std::nullopt;
  for (SetFlagOp set : event.sets)
    if (set != shape.set)
      shape.outside = set->getBlock();
  return shape;
}

/// Lets two events be one: raised behind the later producer, awaited before the earlier consumer.
/// Returns whether their order allows it.
bool merge(EventGroup &into, EventGroup &from) {
  std::optional<Shape> a = getShape(into), b = getShape(from);
  if (!a || !b || a->isCarried != b->isCarried || a->outside != b->outside ||
      into.slots != from.slots || a->set.getSlot() != b->set.getSlot() ||
      a->set->getBlock() != b->set->getBlock())
    return false;
  bool setsInOrder = a->set->isBeforeInBlock(b->set);
  bool waitsInOrder = a->wait->isBeforeInBlock(b->wait);
  SetFlagOp set = setsInOrder ? b->set : a->set;
  WaitFlagOp wait = waitsInOrder ? a->wait : b->wait;
  if (set->isBeforeInBlock(wait) == a->isCarried)
    return false;
  wait.emitRemark() << "two events from " << stringifyPipe(into.source) << " to "
                    << stringifyPipe(into.target) << " become one here: the chip has no more ids";
  for (SetFlagOp other : llvm::concat<SetFlagOp>(into.sets, from.sets))
    if (other != set && (other.getEvent() == from.event || other == a->set))
      other.erase();
  for (WaitFlagOp other : llvm::concat<WaitFlagOp>(into.waits, from.waits))
    if (other != wait && (other.getEvent() == from.event || other == a->wait))
      other.erase();
  set.setEvent(into.event);
  wait.setEvent(into.event);
  return true;
}

/// Makes room among the events of a pipe pair: two become one, or else a full barrier replaces one.
void makeRoom(MutableArrayRef<EventGroup> events, ArrayRef<size_t> crowded) {
  for (size_t a : crowded)
    for (size_t b : crowded)
      if (a < b && merge(events[a], events[b]))
        return;
  // The barrier that runs most seldom costs least.
  size_t victim = *llvm::min_element(crowded, [&](size_t a, size_t b) {
    auto depth = [&](size_t event) {
      int deepest = 0;
      for (WaitFlagOp wait : events[event].waits)
        deepest = std::max(deepest, getDepth(wait));
      return deepest;
    };
    return depth(a) < depth(b);
  });
  EventGroup &event = events[victim];
  WaitFlagOp deepest = *llvm::max_element(
      event.waits, [](Operation *a, Operation *b) { return getDepth(a) < getDepth(b); });
  deepest.emitRemark() << "all pipes wait for each other here: the chip has no more ids from "
                       << stringifyPipe(event.source) << " to " << stringifyPipe(event.target);
  OpBuilder builder(deepest);
  BarrierOp::create(builder, deepest.getLoc(), Pipe::ALL);
  for (SetFlagOp set : event.sets)
    set.erase();
  for (WaitFlagOp wait : event.waits)
    wait.erase();
}

class AssignEvents : public attn::impl::AssignEventsPassBase<AssignEvents> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    while (true) {
      FailureOr<std::vector<EventGroup>> events = collectEvents(kernel);
      if (failed(events))
        return signalPassFailure();
      FailureOr<EventIds> ids = chooseEventIds(kernel, *events, chip->eventIds);
      if (failed(ids))
        return signalPassFailure();
      if (ids->crowded.empty())
        return assign(*events, ids->ids);
      makeRoom(*events, ids->crowded);
    }
  }

  static void assign(MutableArrayRef<EventGroup> events, ArrayRef<int64_t> ids) {
    auto assignTo = [](auto flag, int64_t id) {
      flag.setEvent(id);
      flag.setVirtualEvent(false);
    };
    for (auto [event, id] : llvm::zip(events, ids)) {
      for (SetFlagOp set : event.sets)
        assignTo(set, id);
      for (WaitFlagOp wait : event.waits)
        assignTo(wait, id);
    }
  }
};

} // namespace
