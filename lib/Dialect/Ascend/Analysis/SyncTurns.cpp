// Finds buffers whose slots are used in turn.
#include "SyncTurns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// From one pipe to the next, at a place that uses the slots of a buffer.
struct HandOver {
  Pipe source;
  Pipe target;
  Sync::Turn turn;
};

/// A place that uses the slots of a buffer: from the first instruction to the last.
struct Place {
  /// From each pipe to the next; none where they do not follow each other.
  SmallVector<HandOver, 2> forward;
  /// From the last to the first, when the slot comes again.
  HandOver back;
};

/// What the flags of a buffer go around.
struct Around {
  Operation *first;
  Operation *last;
};

} // namespace

/// Collects the accesses to a slot, each with its pipe.
static void collectAccesses(Value view, SmallVectorImpl<std::pair<Operation *, Pipe>> &found) {
  for (Operation *user : view.getUsers()) {
    if (auto slice = dyn_cast<SliceOp>(user))
      collectAccesses(slice.getResult(), found);
    auto instruction = dyn_cast<InstructionOpInterface>(user);
    if (!instruction)
      continue;
    SmallVector<Access> accesses;
    instruction.getAccesses(accesses);
    auto pipes = instruction.getPipes();
    for (const Access &access : accesses)
      if (access.memory == view)
        found.emplace_back(user, pipes[access.pipeNumber]);
  }
}

static std::optional<Place> findPlace(SlotOp slot) {
  SmallVector<std::pair<Operation *, Pipe>> accesses;
  collectAccesses(slot.getResult(), accesses);
  if (accesses.empty())
    return std::nullopt;
  Block *block = slot->getBlock();
  for (auto &[op, pipe] : accesses)
    if (op = block->findAncestorOpInBlock(*op); !op)
      return std::nullopt;
  llvm::stable_sort(accesses, [](auto a, auto b) { return a.first->isBeforeInBlock(b.first); });
  auto [first, firstPipe] = accesses.front();
  auto [last, lastPipe] =
      *llvm::find_if(accesses, [&](auto access) { return access.first == accesses.back().first; });
  Place place{{}, {lastPipe, firstPipe, {last, first, slot.getIndex()}}};
  for (auto [before, after] : llvm::zip(accesses, llvm::drop_begin(accesses))) {
    if (before.second == after.second)
      continue;
    if (before.first == after.first) {
      place.forward.clear();
      break;
    }
    place.forward.push_back(
        {before.second, after.second, {before.first, after.first, slot.getIndex()}});
  }
  return place;
}

/// The outermost loop around `op`; none where a condition lies between, or there is no loop.
static Operation *findOutermostLoop(Operation *op) {
  Operation *loop = nullptr;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (!isa<scf::ForOp>(parent))
      return nullptr;
    loop = parent;
  }
  return loop;
}

/// The outermost loops around all places, or the part of a body that all of them lie in, from where
/// the pipes come to rest to where they do so again: there flags start again, and leave their ids
/// to others. None where there are no such loops.
static std::optional<Around> findAround(ArrayRef<SlotOp> slots) {
  SlotOp some = slots.front();
  Operation *outermost = findOutermostLoop(some);
  if (!outermost)
    return std::nullopt;
  Around around{outermost, outermost};
  for (SlotOp slot : slots) {
    Operation *other = findOutermostLoop(slot);
    if (!other)
      return std::nullopt;
    around.first = other->isBeforeInBlock(around.first) ? other : around.first;
    around.last = around.last->isBeforeInBlock(other) ? other : around.last;
  }
  if (around.first != around.last)
    return around;
  while (around.first == around.last && isa<scf::ForOp>(around.first)) {
    Block *body = cast<scf::ForOp>(around.first).getBody();
    around.first = around.last = body->findAncestorOpInBlock(*some);
    for (SlotOp slot : slots) {
      Operation *in = body->findAncestorOpInBlock(*slot);
      around.first = in->isBeforeInBlock(around.first) ? in : around.first;
      around.last = around.last->isBeforeInBlock(in) ? in : around.last;
    }
    bool isAtRest = false, isTogether = true;
    for (auto loop : body->getOps<scf::ForOp>()) {
      if (!loop->hasAttr("ascend.settled"))
        continue;
      bool isBefore = !around.first->isBeforeInBlock(loop);
      isAtRest |= isBefore;
      isTogether &= isBefore || around.last->isBeforeInBlock(loop);
    }
    if (isAtRest && isTogether && isa<scf::ForOp>(around.first) && isa<scf::ForOp>(around.last))
      return around;
  }
  return Around{outermost, outermost};
}

/// One flag for the hand-overs of a buffer at all of its places, or none where they are not between
/// the same pipes.
static std::optional<Sync> makeTurns(ArrayRef<HandOver> handOvers, int64_t slots,
                                     std::optional<Around> around) {
  const HandOver &first = handOvers.front();
  if (llvm::any_of(handOvers, [&](const HandOver &other) {
        return other.source != first.source || other.target != first.target ||
               other.source == other.target;
      }))
    return std::nullopt;
  Sync sync{first.source, first.target, first.turn.producer, first.turn.consumer};
  if (around) {
    sync.around = around->first;
    sync.until = around->last == around->first ? nullptr : around->last;
  }
  sync.slot = first.turn.slot;
  sync.slots = slots;
  // A single place is like any other flag.
  if (handOvers.size() > 1)
    for (const HandOver &handOver : handOvers)
      sync.turns.push_back(handOver.turn);
  return sync;
}

/// Adds the flags of a buffer: back from the last pipe of a turn to the first of the next, and
/// where there are several places, on from pipe to pipe.
static void addTurns(ArrayRef<SlotOp> slots, std::vector<Sync> &found) {
  SmallVector<Place> places;
  std::optional<Around> around = findAround(slots);
  for (SlotOp slot : slots) {
    std::optional<Place> place = findPlace(slot);
    if (!place || !around)
      return;
    places.push_back(std::move(*place));
  }
  SlotOp first = slots.front();
  int64_t count = cast<MemRefType>(first.getBuffer().getType()).getDimSize(0);
  auto add = [&](auto getHandOver, std::optional<Around> ops) {
    if (std::optional<Sync> sync = makeTurns(llvm::map_to_vector(places, getHandOver), count, ops))
      found.push_back(std::move(*sync));
  };
  add([](const Place &place) { return place.back; }, around);
  size_t steps = places.front().forward.size();
  if (places.size() == 1 ||
      llvm::any_of(places, [&](const Place &place) { return place.forward.size() != steps; }))
    return;
  for (size_t step = 0; step < steps; ++step)
    add([&](const Place &place) { return place.forward[step]; }, std::nullopt);
}

/// Whether a loop that lies in two others has no more trips than the buffer has slots.
static bool isShortLoop(SlotOp slot, const IndexRanges &ranges) {
  auto loop = dyn_cast<scf::ForOp>(slot->getParentOp());
  auto around = loop ? loop->getParentOfType<scf::ForOp>() : scf::ForOp();
  if (!around || !around->getParentOfType<scf::ForOp>() ||
      slot.getIndex() == loop.getInductionVar())
    return false;
  std::optional<int64_t> first = ranges.getLowerBound(loop.getLowerBound());
  std::optional<int64_t> end = ranges.getUpperBound(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  int64_t slots = cast<MemRefType>(slot.getBuffer().getType()).getDimSize(0);
  return first && end && step && *end - *first <= slots * *step;
}

std::vector<Sync> attn::ascend::findTurns(func::FuncOp kernel, const IndexRanges &ranges) {
  llvm::MapVector<Value, SmallVector<SlotOp>> places;
  kernel.walk([&](SlotOp slot) { places[slot.getBuffer()].push_back(slot); });
  std::vector<Sync> found;
  for (auto &[buffer, slots] : places)
    if (slots.size() > 1 || isShortLoop(slots.front(), ranges))
      addTurns(slots, found);
  return found;
}
