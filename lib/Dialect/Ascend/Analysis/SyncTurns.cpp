// Finds buffers whose slots are used in turn.
#include "SyncTurns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// A place that uses the slots of a buffer: from the first instruction to the last.
struct Place {
  Sync::Turn turn;
  Pipe first;
  Pipe last;
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
  std::optional<Place> place;
  for (auto [op, pipe] : accesses) {
    Operation *in = block->findAncestorOpInBlock(*op);
    if (!in)
      return std::nullopt;
    if (!place)
      place = Place{{in, in, slot.getIndex()}, pipe, pipe};
    if (in->isBeforeInBlock(place->turn.consumer)) {
      place->turn.consumer = in;
      place->first = pipe;
    }
    if (place->turn.producer->isBeforeInBlock(in)) {
      place->turn.producer = in;
      place->last = pipe;
    }
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

static std::optional<Sync> makeTurns(ArrayRef<SlotOp> slots) {
  Sync sync{};
  for (SlotOp slot : slots) {
    std::optional<Place> place = findPlace(slot);
    Operation *loop = findOutermostLoop(slot);
    if (!place || !loop || place->first == place->last)
      return std::nullopt;
    if (sync.turns.empty()) {
      sync.source = place->last;
      sync.target = place->first;
      sync.around = loop;
    } else if (place->last != sync.source || place->first != sync.target || loop != sync.around) {
      return std::nullopt;
    }
    sync.turns.push_back(place->turn);
  }
  sync.producer = sync.turns.front().producer;
  sync.consumer = sync.turns.front().consumer;
  sync.slot = sync.turns.front().slot;
  SlotOp first = slots.front();
  sync.slots = cast<MemRefType>(first.getBuffer().getType()).getDimSize(0);
  // A single place is like any other flag.
  if (slots.size() == 1)
    sync.turns.clear();
  return sync;
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
      if (std::optional<Sync> sync = makeTurns(slots))
        found.push_back(std::move(*sync));
  return found;
}
