// Makes do with the ids of the chip.
#include "SyncSharing.h"
#include "EventColouring.h"

using namespace mlir;
using namespace attn::ascend;

int attn::ascend::getLoopDepth(Operation *op) {
  int depth = 0;
  while ((op = op->getParentOp()))
    depth += isa<scf::ForOp>(op);
  return depth;
}

/// Places after the loop where a flag may be drained, the latest first: the source must hear from
/// the target between the drain and the next start. None stands for right after the loop.
static SmallVector<Operation *> findDrainPlaces(const SyncSet &syncs, const Sync &flag) {
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

std::optional<int32_t> attn::ascend::restartInside(OrderedTraces &traces, SyncSet &syncs,
                                                   int32_t flag) {
  Sync inner = syncs[flag];
  // Turns go on through all loops.
  if (!inner.turns.empty())
    return std::nullopt;
  syncs.disable(flag);
  // From the loop just below the one it runs through now down to the one that carries it.
  SmallVector<Operation *> loops;
  for (auto loop = inner.producer->getParentOfType<scf::ForOp>(); loop && loop != inner.around;
       loop = loop->getParentOfType<scf::ForOp>())
    loops.push_back(loop);
  for (Operation *loop : llvm::reverse(loops)) {
    inner.around = loop;
    for (Operation *place : findDrainPlaces(syncs, inner)) {
      inner.drainBefore = place;
      std::optional<int32_t> added = syncs.add(inner);
      if (added && traces.areOrdered(syncs))
        return added;
      if (added)
        syncs.disable(*added);
    }
  }
  syncs.enable(flag);
  return std::nullopt;
}

namespace {

using EventsByPair = std::map<PipePair, SmallVector<int32_t>>;

/// Finds events that are raised while another of the same pipes may be up.
class ConflictLog : public SyncListener {
public:
  ConflictLog(const SyncSet &syncs, const EventsByPair &events)
      : syncs(syncs), events(events), conflicts(syncs.size()) {}

  void run(OrderedTraces &traces) {
    for (size_t trace = 0; trace < traces.get().size(); ++trace) {
      conflicts.beginTrace();
      traces.run(trace, syncs, *this);
    }
  }

  const EventConflicts &get() const { return conflicts; }

private:
  SyncAnswer missesOrder(int32_t, PipeClocks &) override { return SyncAnswer::GoOn; }
  SyncAnswer raisesTwice(int32_t) override { return SyncAnswer::GoOn; }
  SyncAnswer isUnbalanced(int32_t) override { return SyncAnswer::GoOn; }
  void raises(int32_t sync, ArrayRef<Flag> flags, const PipeClocks &clocks) override {
    PipePair pair(syncs[sync].source, syncs[sync].target);
    if (!events.count(pair))
      return;
    conflicts.raise(sync, pair, [&](int32_t other) {
      ArrayRef<Flag> others = flags.slice(syncs.getFirstFlag(other), syncs[other].slots);
      return llvm::all_of(
          others, [&](const Flag &flag) { return clocks.maySet(flag, pair.first, pair.second); });
    });
  }

  const SyncSet &syncs;
  const EventsByPair &events;
  EventConflicts conflicts;
};

/// The pairs of pipes whose events do not get by with `eventIds` ids.
SmallVector<PipePair> findCrowded(OrderedTraces &traces, const SyncSet &syncs, int64_t eventIds) {
  auto getSlots = [&](int32_t index) { return syncs[index].slots; };
  EventsByPair events;
  for (int32_t index = 0; index < syncs.size(); ++index)
    if (syncs.isEnabled(index) && !syncs[index].isBarrier())
      events[{syncs[index].source, syncs[index].target}].push_back(index);
  // As many ids as there are slots are always enough.
  for (auto pair = events.begin(); pair != events.end();) {
    bool isEnough = llvm::sum_of(llvm::map_range(pair->second, getSlots)) <= eventIds;
    pair = isEnough ? events.erase(pair) : std::next(pair);
  }
  if (events.empty())
    return {};
  ConflictLog log(syncs, events);
  log.run(traces);
  SmallVector<PipePair> crowded;
  for (const auto &[pair, list] : events)
    if (!log.get().colour(list, getSlots, eventIds))
      crowded.push_back(pair);
  return crowded;
}

} // namespace

bool attn::ascend::relieveCrowding(OrderedTraces &traces, SyncSet &syncs, int64_t eventIds) {
  SmallVector<PipePair> crowded = findCrowded(traces, syncs, eventIds);
  if (crowded.empty())
    return false;
  // Events of both directions: one hogs its ids while it runs through outer loops, the other could
  // tell the source that an event has been awaited.
  SmallVector<std::pair<int32_t, int32_t>> replaced;
  for (int32_t flag = 0, end = syncs.size(); flag < end; ++flag) {
    PipePair pair(syncs[flag].source, syncs[flag].target);
    bool isConcerned = llvm::is_contained(crowded, pair) ||
                       llvm::is_contained(crowded, PipePair(pair.second, pair.first));
    if (!syncs.isEnabled(flag) || !syncs[flag].around || !isConcerned)
      continue;
    if (std::optional<int32_t> inner = restartInside(traces, syncs, flag))
      replaced.push_back({flag, *inner});
  }
  if (replaced.empty())
    return false;
  size_t remaining = findCrowded(traces, syncs, eventIds).size();
  // Back to the outer loops with those that did not help. Where none did, that is all of them.
  bool hasChanged = false;
  for (auto [outer, inner] : replaced) {
    syncs.disable(inner);
    syncs.enable(outer);
    if (remaining < crowded.size() &&
        (findCrowded(traces, syncs, eventIds).size() > remaining || !traces.areOrdered(syncs))) {
      syncs.enable(inner);
      syncs.disable(outer);
      hasChanged = true;
    }
  }
  return hasChanged;
}

//===----------------------------------------------------------------------===//
// Fewer events
//===----------------------------------------------------------------------===//

/// One turn for two: from the later producer to the earlier consumer. None where they do not belong
/// to the same blocks and slot.
static std::optional<Sync::Turn> merge(const Sync::Turn &a, const Sync::Turn &b) {
  if (a.slot != b.slot || a.producer->getBlock() != b.producer->getBlock() ||
      a.consumer->getBlock() != b.consumer->getBlock())
    return std::nullopt;
  Sync::Turn merged = a;
  if (a.producer->isBeforeInBlock(b.producer))
    merged.producer = b.producer;
  if (b.consumer->isBeforeInBlock(a.consumer))
    merged.consumer = b.consumer;
  return merged;
}

/// One event for two: at each place one turn. None where they do not belong to the same loop and
/// slot, or block each other.
static std::optional<Sync> merge(const Sync &a, const Sync &b) {
  if (a.turns.size() != b.turns.size() || a.around != b.around || a.until != b.until ||
      a.drainBefore != b.drainBefore)
    return std::nullopt;
  auto isInOrder = [&](const Sync::Turn &turn) {
    bool isForward = turn.producer != turn.consumer &&
                     turn.producer->getBlock() == turn.consumer->getBlock() &&
                     turn.producer->isBeforeInBlock(turn.consumer);
    return isForward == !a.around;
  };
  std::optional<Sync::Turn> first =
      merge({a.producer, a.consumer, a.slot}, {b.producer, b.consumer, b.slot});
  if (!first || !isInOrder(*first))
    return std::nullopt;
  Sync merged = a;
  merged.producer = first->producer;
  merged.consumer = first->consumer;
  for (auto [turn, other] : llvm::zip(merged.turns, b.turns)) {
    std::optional<Sync::Turn> both = merge(turn, other);
    if (!both || !isInOrder(*both))
      return std::nullopt;
    turn = *both;
  }
  return merged;
}

/// Lets two events be one, if all traces stay ordered.
static std::optional<Sync> tryMerged(OrderedTraces &traces, SyncSet &syncs, int32_t a, int32_t b) {
  std::optional<Sync> merged = merge(syncs[a], syncs[b]);
  if (!merged)
    return std::nullopt;
  syncs.disable(a);
  syncs.disable(b);
  std::optional<int32_t> added = syncs.add(*merged);
  if (added && traces.areOrdered(syncs))
    return merged;
  if (added)
    syncs.disable(*added);
  syncs.enable(a);
  syncs.enable(b);
  return std::nullopt;
}

/// Tries to let two of the events be one, those that lie closest together first: they lose least.
static bool mergeTwo(OrderedTraces &traces, SyncSet &syncs, ArrayRef<int32_t> events) {
  SmallVector<std::pair<int32_t, int32_t>> pairs;
  for (size_t first = 0; first < events.size(); ++first)
    for (size_t second = first + 1; second < events.size(); ++second)
      pairs.push_back({events[first], events[second]});
  llvm::stable_sort(pairs, [&](auto a, auto b) {
    return syncs.getDistance(a.first, a.second) < syncs.getDistance(b.first, b.second);
  });
  for (auto [a, b] : pairs)
    if (std::optional<Sync> merged = tryMerged(traces, syncs, a, b)) {
      merged->consumer->emitRemark()
          << "two events from " << stringifyPipe(merged->source) << " to "
          << stringifyPipe(merged->target) << " become one here: the chip has no more ids";
      return true;
    }
  return false;
}

/// Whether only instructions of the target pipe lie between the waits of two events.
static bool haveNeighbouringWaits(const Sync &a, const Sync &b) {
  if (a.consumer->getBlock() != b.consumer->getBlock())
    return false;
  bool inOrder = a.consumer->isBeforeInBlock(b.consumer);
  Operation *last = inOrder ? b.consumer : a.consumer;
  for (Operation *op = inOrder ? a.consumer : b.consumer; op != last; op = op->getNextNode()) {
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    auto isElsewhere = [&](Pipe pipe) { return pipe != a.target; };
    if (op->getNumRegions() != 0 ||
        (instruction && llvm::any_of(instruction.getPipes(), isElsewhere)))
      return false;
  }
  return true;
}

bool attn::ascend::joinNeighbours(OrderedTraces &traces, SyncSet &syncs) {
  bool hasJoined = false;
  auto mayJoin = [&](int32_t a, int32_t b) {
    return syncs.isEnabled(a) && syncs.isEnabled(b) && syncs[a].slot && syncs[a].around &&
           syncs[a].source == syncs[b].source && syncs[a].target == syncs[b].target &&
           haveNeighbouringWaits(syncs[a], syncs[b]);
  };
  // What becomes of two comes later in the set, and may be joined once more.
  for (int32_t b = 0; b < syncs.size(); ++b)
    for (int32_t a = 0; a < b; ++a)
      if (mayJoin(a, b))
        hasJoined |= tryMerged(traces, syncs, a, b).has_value();
  return hasJoined;
}

/// What may come next when `op` is over: what follows it, or else the loop around it once more, and
/// what follows that.
static void findFollowers(Operation *op, SmallVectorImpl<Operation *> &followers) {
  auto isPlace = [](Operation &next) {
    return isa<InstructionOpInterface, scf::ForOp, scf::IfOp>(next);
  };
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (isPlace(*next))
      return followers.push_back(next);
  Operation *parent = op->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    followers.push_back(&*llvm::find_if(*loop.getBody(), isPlace));
  if (isa<scf::ForOp, scf::IfOp>(parent))
    findFollowers(parent, followers);
}

/// Puts barriers of all pipes wherever an event is awaited: in its loop, and if `isDrained` also
/// where it is drained. Returns those that are new.
static SmallVector<int32_t> addBarriers(SyncSet &syncs, const Sync &event, bool isDrained) {
  SmallVector<Operation *> places = event.getConsumers();
  if (isDrained && event.drainBefore)
    places.push_back(event.drainBefore);
  else if (isDrained && event.around)
    findFollowers(event.getLastAround(), places);
  SmallVector<int32_t> barriers;
  for (Operation *place : places)
    if (std::optional<int32_t> added = syncs.add({Pipe::ALL, Pipe::ALL, nullptr, place}))
      barriers.push_back(*added);
  return barriers;
}

/// Puts barriers of all pipes in the place of one event: the one that runs most seldom costs least.
/// What it tells where it is drained may be needed too, and is not told by a barrier in the loop.
/// Returns whether there was such an event.
static bool replaceByBarrier(OrderedTraces &traces, SyncSet &syncs, SmallVector<int32_t> events) {
  llvm::stable_sort(events, [&](int32_t a, int32_t b) {
    return getLoopDepth(syncs[a].consumer) < getLoopDepth(syncs[b].consumer);
  });
  for (bool isDrained : {false, true})
    for (int32_t victim : events) {
      const Sync event = syncs[victim];
      syncs.disable(victim);
      SmallVector<int32_t> barriers = addBarriers(syncs, event, isDrained);
      if (traces.areOrdered(syncs)) {
        event.consumer->emitRemark()
            << "all pipes wait for each other here: the chip has no more ids from "
            << stringifyPipe(event.source) << " to " << stringifyPipe(event.target);
        return true;
      }
      for (int32_t barrier : barriers)
        syncs.disable(barrier);
      syncs.enable(victim);
    }
  return false;
}

bool attn::ascend::giveUpEvents(OrderedTraces &traces, SyncSet &syncs, int64_t eventIds) {
  bool hasChanged = false;
  for (PipePair pair : findCrowded(traces, syncs, eventIds)) {
    SmallVector<int32_t> events;
    for (int32_t index = 0; index < syncs.size(); ++index)
      if (syncs.isEnabled(index) && !syncs[index].isBarrier() &&
          PipePair(syncs[index].source, syncs[index].target) == pair)
        events.push_back(index);
    hasChanged |=
        mergeTwo(traces, syncs, events) || replaceByBarrier(traces, syncs, std::move(events));
  }
  return hasChanged;
}
