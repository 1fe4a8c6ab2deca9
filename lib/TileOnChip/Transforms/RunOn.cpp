// Lets cube cores run on from one trip of the loop around to the next, in which iterations of the
// trip before still wait for vector cores (tile on the chip, part of tile-split-cores).
//
// A trip of the loop around has four loops, and one comes after all of them:
// - before: what waits from the trip before is finished, but for `across` iterations of it,
// - mixed: first products of this trip, and each time one of those that still wait,
// - fill: first products alone, until they are ahead by the distance,
// - steady: both, as in any other loop of the steady state,
// - last: what waits when the loop around has ended.
// Each of them may have no iterations. After the fourth, iterations of this trip alone wait, as
// many as the distance or as there are. So the loops go through all iterations of all trips in
// order, and the first level is never further ahead than the distance: slots need not be more, but
// their numbers run on.
#include "LoopSkewer.h"
#include "attn/Support/IndexRanges.h"
#include "attn/TileOnChip/Transforms/Exchange.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// How many iterations of a trip of the loop around wait until the next trip has begun. Vector
/// cores finish a tile of rows before they begin the next: with more, what they wait for comes
/// later.
static constexpr int64_t across = 1;

RangeOp onchip::addCarried(RangeOp loop, size_t count) {
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  SmallVector<Value> inits(loop.getInits());
  inits.append(count, arith::ConstantIndexOp::create(builder, 0));
  auto made =
      RangeOp::create(builder, TypeRange(ValueRange(inits)), loop.getLower(), loop.getUpper(),
                      inits, loop.getBlockAttr(), loop.getStagesAttr(), loop.getParallelAttr());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getBody().takeBody(loop.getBody());
  for (size_t number = 0; number < count; ++number)
    made.getBody().front().addArgument(builder.getIndexType(), loop.getLoc());
  loop.replaceAllUsesWith(made.getResults().take_front(loop.getNumResults()));
  loop.erase();
  return made;
}

void onchip::setCarried(RangeOp loop, ValueRange last) {
  loop.getYield().getValuesMutable().append(last);
}

/// Finds what late ops take of a trip of the loop around. False where that is a tile, or something
/// else that is not made of numbers.
bool LoopSkewer::findHanded() {
  Block *around = loop->getBlock();
  SmallVector<Value> worklist = {loop.getLower(), loop.getUpper()};
  for (Operation *op : findNeeded(/*early=*/false, IRMapping()))
    op->walk([&](Operation *inner) { llvm::append_range(worklist, inner->getOperands()); });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *maker = value.getDefiningOp();
    if (value.getParentBlock() != around || handed.contains(value) || remade.contains(maker))
      continue;
    if (value.getType().isIndex()) {
      handed.insert(value);
      continue;
    }
    if (!maker || maker->getNumRegions() != 0 || isTile(value) ||
        llvm::any_of(maker->getOperands(), isTile))
      return false;
    remade.insert(maker);
    llvm::append_range(worklist, maker->getOperands());
  }
  return true;
}

bool LoopSkewer::canRunOn() {
  auto around = dyn_cast<RangeOp>(loop->getParentOp());
  if (!around || !loop.getInits().empty() || !around.getInits().empty() || !stacked.empty())
    return false;
  for (Operation &op : around.getBody().front().without_terminator())
    if (&op != loop && (op.getNumRegions() != 0 || isa<StoreOp>(op)))
      return false;
  bool isAlone = true;
  loop->getParentOfType<func::FuncOp>().walk(
      [&](Operation *op) { isAlone &= !isa<SignalOp, AwaitOp>(op) || loop->isAncestor(op); });
  return isAlone && findHanded();
}

/// Lets late ops find other values in the place of those of this trip of the loop around.
void LoopSkewer::mapHanded(ValueRange values, IRMapping &map) {
  map.map(handed.getArrayRef(), values);
  for (Operation &op : *loop->getBlock())
    if (remade.contains(&op))
      builder.clone(op, map);
}

/// What a trip of the loop around, or what comes after it, finds of the trip before.
LoopSkewer::Waiting LoopSkewer::takeWaiting(ValueRange carried, State &state) {
  size_t count = handed.size();
  state = State();
  takeTurns(carried.drop_front(2 + count), state);
  return {carried[0], carried[1], llvm::to_vector(carried.slice(2, count))};
}

/// Finishes one of the iterations that wait.
void LoopSkewer::runWaiting(const Waiting &waiting, Value number, State &state) {
  IRMapping map;
  mapHanded(waiting.handed, map);
  runLate(arith::AddIOp::create(builder, waiting.first, number), state, map);
}

/// Makes a loop that estimates leave to the one of the steady state.
void LoopSkewer::repeatFew(Phase phase, Value count, State &state,
                           llvm::function_ref<void(Value, State &)> iterate) {
  repeat(phase, constant(0), count, state, iterate)
      ->setAttr(steadyStepName, builder.getI64IntegerAttr(0));
}

/// Makes the loops of a trip of the loop around; gives what the next one finds.
SmallVector<Value> LoopSkewer::runTrip(const Waiting &waiting, State &state) {
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
  auto subtract = [&](Value a, Value b) -> Value { return arith::SubIOp::create(builder, a, b); };
  auto least = [&](Value a, Value b) -> Value { return arith::MinSIOp::create(builder, a, b); };
  Value zero = constant(0), total = countIterations();
  Value mixed = least(least(waiting.count, constant(across)), total);
  Value before = subtract(waiting.count, mixed), rest = subtract(total, mixed);
  Value filled = least(rest, subtract(constant(distance), mixed));
  Value steady = subtract(rest, filled), ahead = add(mixed, filled);
  repeatFew(Phase::Drain, before, state,
            [&](Value index, State &in) { runWaiting(waiting, index, in); });
  repeatFew(Phase::Mixed, mixed, state, [&](Value index, State &in) {
    runEarly(index, in);
    runWaiting(waiting, add(before, index), in);
  });
  repeat(Phase::Fill, zero, filled, state,
         [&](Value index, State &in) { runEarly(add(mixed, index), in); });
  repeat(Phase::Steady, zero, steady, state, [&](Value index, State &in) {
    runEarly(add(ahead, index), in);
    runLate(index, in);
  });
  SmallVector<Value> next = {ahead, subtract(total, ahead)};
  llvm::append_range(next, handed);
  llvm::append_range(next, state.earlyTurns);
  llvm::append_range(next, state.lateTurns);
  return next;
}

void LoopSkewer::runOn() {
  findTurns();
  findHanded();
  RangeOp around = addCarried(cast<RangeOp>(loop->getParentOp()),
                              2 + handed.size() + earlySlots.size() + lateSlots.size());
  State state;
  setCarried(around, runTrip(takeWaiting(around.getCarried(), state), state));
  builder.setInsertionPointAfter(around);
  Waiting left = takeWaiting(around.getResults(), state);
  repeatFew(Phase::Drain, left.count, state,
            [&](Value index, State &in) { runWaiting(left, index, in); });
  loop.erase();
}

/// Whether a number is known, be it by its range: loops of a known number of iterations are folded,
/// and nothing would tell that they belong together.
static bool isNumber(Value value, const IndexRanges &ranges) {
  std::optional<int64_t> least = ranges.getLowerBound(value);
  return least && least == ranges.getUpperBound(value);
}

bool onchip::canRunOn(func::FuncOp cubeHalf) {
  SmallVector<RangeOp> loops;
  cubeHalf.walk([&](RangeOp range) {
    if (range->hasAttr(preloadName))
      loops.push_back(range);
  });
  if (loops.size() != 1)
    return false;
  RangeOp loop = loops.front();
  IndexRanges ranges(cubeHalf);
  if (isNumber(loop.getLower(), ranges) && isNumber(loop.getUpper(), ranges))
    return false;
  auto getDistance = [&](StringRef name) {
    return loop->getAttrOfType<IntegerAttr>(name).getInt();
  };
  return getDistance(lagName) > 0 &&
         LoopSkewer(loop, getDistance(preloadName), CoreKind::Cube).canRunOn();
}
