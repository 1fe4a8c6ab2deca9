// How the cores of a group exchange tiles (tile on the chip, analysis).
#include "attn/TileOnChip/ExchangePlan.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// The kinds of cores that run an op or something inside it.
static std::pair<bool, bool> findCores(Operation *op, const CoreAssignment &assignment) {
  bool isOnCube = false, isOnVector = false;
  op->walk([&](Operation *inner) {
    std::optional<CoreKind> core = assignment.getCore(inner);
    isOnCube |= core == CoreKind::Cube;
    isOnVector |= core == CoreKind::Vector;
  });
  return {isOnCube, isOnVector};
}

namespace attn::onchip {

class ExchangePlanner {
public:
  ExchangePlanner(func::FuncOp kernel, const CoreAssignment &assignment,
                  const tile::GroupChoice &choice, ExchangePlan &plan)
      : kernel(kernel), assignment(assignment), choice(choice), plan(plan) {}

  LogicalResult run();
  void addChannels();

private:
  void addChannel(Crossing crossing);
  size_t getBlock(Block *block);
  bool hasLevels(Block *block) const;
  void findLevels(ExchangeBlock &block);
  bool raiseLevels(ExchangeBlock &block, bool withCarried);
  void lowerIdleLevels(ExchangeBlock &block);
  int64_t getLevelOf(const ExchangeBlock &block, Value value) const;
  void chooseDistances(ExchangeBlock &block);
  void placeChannel(Channel &channel);
  int64_t getOffset(const ExchangeBlock &block, CoreKind core, int64_t position) const;
  std::optional<int64_t> countSlots(const Channel &channel, const Channel &answer) const;
  void findSlots(Channel &channel);
  LogicalResult assignFlags();

  func::FuncOp kernel;
  const CoreAssignment &assignment;
  const tile::GroupChoice &choice;
  ExchangePlan &plan;
};

} // namespace attn::onchip

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// A block is run level by level where each of its ops runs on one kind of core.
bool ExchangePlanner::hasLevels(Block *block) const {
  return llvm::none_of(*block, [&](Operation &op) {
    auto [isOnCube, isOnVector] = findCores(&op, assignment);
    return isOnCube && isOnVector;
  });
}

/// The level of the op of the block that makes `value`, or the lowest of all.
int64_t ExchangePlanner::getLevelOf(const ExchangeBlock &block, Value value) const {
  Operation *op = value.getDefiningOp();
  auto found = op ? block.levels.find(op) : block.levels.end();
  return found == block.levels.end() ? std::numeric_limits<int64_t>::min() : found->second;
}

/// The operands of an op, and what is taken from outside in its regions.
static SmallVector<Value> getTakenTiles(Operation *op) {
  SmallVector<Value> taken;
  op->walk([&](Operation *inner) {
    llvm::copy_if(inner->getOperands(), std::back_inserter(taken), isTile);
  });
  return taken;
}

/// Brings every op above the levels of what it takes. With `withCarried`, what takes a tile from
/// the iteration before is not below what makes it for the next. True where nothing changed.
bool ExchangePlanner::raiseLevels(ExchangeBlock &block, bool withCarried) {
  bool isSettled = true;
  for (Operation &op : *block.block) {
    auto found = block.levels.find(&op);
    if (found == block.levels.end())
      continue;
    int64_t level = found->second;
    for (Value taken : getTakenTiles(&op)) {
      int64_t below = getLevelOf(block, taken);
      auto argument = dyn_cast<BlockArgument>(taken);
      if (withCarried && argument && argument.getOwner() == block.block && block.loop &&
          argument.getArgNumber() > 0)
        below = getLevelOf(block, block.loop.getYield().getValues()[argument.getArgNumber() - 1]);
      if (below > level)
        level = below + ((below - level) % 2 != 0);
    }
    isSettled &= level == found->second;
    found->second = level;
  }
  return isSettled;
}

/// What no product waits for needs not come before products: it goes where it is first taken.
void ExchangePlanner::lowerIdleLevels(ExchangeBlock &block) {
  for (Operation &op : llvm::reverse(*block.block)) {
    auto found = block.levels.find(&op);
    if (found == block.levels.end() || found->second >= 0)
      continue;
    int64_t latest = 1;
    for (Operation *user : op.getUsers()) {
      Operation *in = block.block->findAncestorOpInBlock(*user);
      auto level = in ? block.levels.find(in) : block.levels.end();
      if (level != block.levels.end())
        latest = std::min(latest, level->second - (level->second % 2 == 0));
    }
    found->second = latest;
  }
}

void ExchangePlanner::findLevels(ExchangeBlock &block) {
  auto reset = [&] {
    for (Operation &op : *block.block) {
      auto [isOnCube, isOnVector] = findCores(&op, assignment);
      if (isOnCube || isOnVector)
        block.levels[&op] = isOnCube ? 0 : -1;
    }
  };
  // A chain of ops that goes back and forth has at most as many levels as the block has ops. Where
  // levels go on growing, an iteration needs what the other kind of core made in the one before.
  reset();
  size_t rounds = block.levels.size() + 2;
  bool isSettled = false;
  for (size_t round = 0; round < rounds && !isSettled; ++round)
    isSettled = raiseLevels(block, /*withCarried=*/true);
  if (!isSettled) {
    reset();
    while (!raiseLevels(block, /*withCarried=*/false))
      ;
  }
  lowerIdleLevels(block);
  if (isSettled)
    chooseDistances(block);
}

/// How far the cores may run apart: the first products of a loop run ahead where they need nothing
/// of the vector cores and nothing in local memory is handed from them to later ones.
void ExchangePlanner::chooseDistances(ExchangeBlock &block) {
  if (!block.loop || block.loop.getParallel())
    return;
  llvm::SmallSetVector<int64_t, 4> levels;
  for (auto &[op, level] : block.levels)
    levels.insert(level);
  int64_t lowest = *llvm::min_element(levels), highest = *llvm::max_element(levels);
  if (lowest < 0)
    return;
  bool isHandedOn = llvm::any_of(block.levels, [&](auto &entry) {
    return entry.second == 0 && llvm::any_of(entry.first->getUsers(), [&](Operation *user) {
             Operation *in = block.block->findAncestorOpInBlock(*user);
             auto level = in ? block.levels.find(in) : block.levels.end();
             return level != block.levels.end() && level->second > 0 && level->second % 2 == 0;
           });
  });
  if (levels.contains(2) && !isHandedOn)
    block.preload = choice.preload;
  // A third product of an iteration waits for what the vector cores do with the second.
  if (levels.contains(3) && highest == 3)
    block.lag = std::min(choice.lag, block.preload);
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

size_t ExchangePlanner::getBlock(Block *block) {
  for (auto [number, known] : llvm::enumerate(plan.blocks))
    if (known.block == block)
      return number;
  ExchangeBlock &added = plan.blocks.emplace_back();
  added.block = block;
  Operation *parent = block->getParentOp();
  added.loop = dyn_cast<RangeOp>(parent);
  if (!added.loop)
    added.loop = parent->getParentOfType<RangeOp>();
  if (hasLevels(block))
    findLevels(added);
  return plan.blocks.size() - 1;
}

void ExchangePlanner::addChannel(Crossing crossing) {
  Channel channel{crossing.tile, crossing.to, getBlock(crossing.tile.getParentBlock())};
  placeChannel(channel);
  plan.channels.push_back(channel);
}

/// Finds the op that takes the tile first.
void ExchangePlanner::placeChannel(Channel &channel) {
  const ExchangeBlock &in = plan.blocks[channel.block];
  Operation *maker = channel.tile.getDefiningOp();
  DenseMap<Operation *, int64_t> order;
  for (auto [number, op] : llvm::enumerate(*in.block))
    order[&op] = number;
  int64_t most = order.size();
  auto getPosition = [&](Operation *op) {
    if (in.levels.empty())
      return order.lookup(op);
    auto found = in.levels.find(op);
    // Yields come last.
    return found == in.levels.end() ? most + 1 : found->second;
  };
  channel.madeAt = maker ? getPosition(maker) : -1;
  channel.takenAt = std::numeric_limits<int64_t>::max();
  for (OpOperand &use : channel.tile.getUses()) {
    std::optional<CoreKind> core = assignment.getCore(use.getOwner());
    if (auto carried = getCarriedPosition(use))
      core = assignment.getCore(Value(carried->first.getCarried()[carried->second]));
    if (core != channel.to)
      continue;
    Operation *taker = in.block->findAncestorOpInBlock(*use.getOwner());
    int64_t position = getPosition(taker);
    if (position < channel.takenAt ||
        (position == channel.takenAt && taker->isBeforeInBlock(channel.taker))) {
      channel.takenAt = position;
      channel.taker = taker;
    }
  }
  // What is only handed on is taken right after it was made.
  if (!in.levels.empty() && channel.takenAt > most)
    channel.takenAt = channel.madeAt + 1;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// By how many iterations the work of `core` at a position comes late, when both kinds of cores
/// count steps alike.
int64_t ExchangePlanner::getOffset(const ExchangeBlock &block, CoreKind core,
                                   int64_t position) const {
  if (block.levels.empty())
    return 0;
  if (core == CoreKind::Cube)
    return position == 0 ? -block.preload : 0;
  return position == 1 ? 0 : block.lag;
}

/// The slots with which a channel needs no flag for its free slots, because of an answer: a channel
/// in the other direction whose tile is made after that of the channel was taken, so that who waits
/// for it knows that a slot is free. None where the answer says nothing of the last iterations of a
/// loop.
///
/// The taker takes iteration i at its step i + offset. The answer of iteration k says so if it
/// is made at that step or later. Who makes the channel waits for answer k at its own step k +
/// offset, and writes iteration i + slots no sooner.
std::optional<int64_t> ExchangePlanner::countSlots(const Channel &channel,
                                                   const Channel &answer) const {
  const ExchangeBlock &in = plan.blocks[channel.block];
  CoreKind taker = channel.to, maker = answer.to;
  int64_t taken = getOffset(in, taker, channel.takenAt);
  int64_t answered = getOffset(in, taker, answer.madeAt);
  int64_t made = getOffset(in, maker, channel.madeAt);
  int64_t heard = getOffset(in, maker, answer.takenAt);
  // The first answer, counted from the iteration that is taken. In one level, ops keep their order.
  Operation *answerer = answer.tile.getDefiningOp();
  bool isBefore =
      answer.madeAt < channel.takenAt ||
      (answer.madeAt == channel.takenAt && (!answerer || answerer->isBeforeInBlock(channel.taker)));
  int64_t first = taken - answered + isBefore;
  // When the loop starts over, slots are counted from 0 again: all of them must be free.
  bool coversLast = first <= 0;
  bool isHeardFirst = heard < made || (heard == made && answer.takenAt <= channel.madeAt);
  if (!coversLast && !isHeardFirst)
    return std::nullopt;
  return std::max<int64_t>(1, first + heard - made + (answer.takenAt > channel.madeAt));
}

void ExchangePlanner::findSlots(Channel &channel) {
  std::optional<int64_t> fewest;
  for (const Channel &answer : plan.channels) {
    if (answer.block != channel.block || answer.to == channel.to)
      continue;
    std::optional<int64_t> slots = countSlots(channel, answer);
    if (slots && (!fewest || *slots < *fewest))
      fewest = slots;
  }
  const ExchangeBlock &in = plan.blocks[channel.block];
  channel.slots = std::max(fewest.value_or(in.loop ? 2 : 1), choice.slots);
  // A free slot must be said where nothing else implies it; outside of loops each slot is used
  // once.
  if (!fewest && in.loop)
    channel.freeFlag = 0;
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

LogicalResult ExchangePlanner::assignFlags() {
  int64_t next = 0;
  // All tiles of one level are full when the last of them is.
  llvm::MapVector<std::tuple<size_t, int64_t, CoreKind>, int64_t> full;
  for (auto [number, channel] : llvm::enumerate(plan.channels)) {
    bool hasLevels = !plan.blocks[channel.block].levels.empty();
    auto key =
        std::make_tuple(channel.block, hasLevels ? channel.madeAt : int64_t(number), channel.to);
    auto [entry, isNew] = full.try_emplace(key, next);
    next += isNew;
    channel.fullFlag = entry->second;
    if (channel.freeFlag >= 0)
      channel.freeFlag = next++;
  }
  if (next <= architecture::crossFlags)
    return success();
  InFlightDiagnostic diagnostic = kernel.emitError()
                                  << "needs " << next
                                  << " flags between cube and vector cores, and there are "
                                  << architecture::crossFlags;
  for (const Channel &channel : plan.channels)
    diagnostic.attachNote(channel.tile.getLoc())
        << "goes to " << getCoreName(channel.to) << " cores";
  return diagnostic;
}

void ExchangePlanner::addChannels() {
  for (const Crossing &crossing : assignment.getCrossings())
    addChannel(crossing);
}

LogicalResult ExchangePlanner::run() {
  addChannels();
  for (Channel &channel : plan.channels)
    findSlots(channel);
  return assignFlags();
}

FailureOr<ExchangePlan> ExchangePlan::create(func::FuncOp kernel, const CoreAssignment &assignment,
                                             const tile::GroupChoice &choice) {
  ExchangePlan plan;
  if (failed(ExchangePlanner(kernel, assignment, choice, plan).run()))
    return failure();
  return plan;
}

SmallVector<ExchangeBlock> ExchangePlan::findBlocks(func::FuncOp kernel,
                                                    const CoreAssignment &assignment) {
  ExchangePlan plan;
  GroupChoice choice;
  choice.preload = choice.lag = 1;
  ExchangePlanner(kernel, assignment, choice, plan).addChannels();
  return std::move(plan.blocks);
}
