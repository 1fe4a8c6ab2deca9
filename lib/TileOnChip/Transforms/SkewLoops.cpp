// Lets the first level of a loop run ahead of the others: loops that fill, that go on steadily and
// that drain (tile on the chip).
#include "LoopSkewer.h"
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Machine/Architecture.h"
#include "attn/Support/IndexRanges.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

LoopSkewer::LoopSkewer(RangeOp loop, int64_t distance, CoreKind core)
    : loop(loop), distance(distance), core(core), builder(loop.getLoc(), loop),
      body(loop.getBody().front()) {
  findGroups();
  findStacked();
}

bool LoopSkewer::isEarly(Operation *op) const {
  auto level = op->getAttrOfType<IntegerAttr>(levelName);
  return level && level.getInt() == first;
}

bool LoopSkewer::isLate(Operation *op) const {
  return op->hasAttr(levelName) && !isSource(op) && !isEarly(op);
}

/// What any core can make again where it is needed.
bool LoopSkewer::isSource(Operation *op) {
  return op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), isTile) &&
         llvm::any_of(op->getResults(), isTile) && !op->hasAttr(exchangedName);
}

/// Carried values belong to the ops that make the next ones; indices to the early ones, which
/// count.
void LoopSkewer::findGroups() {
  first = std::numeric_limits<int64_t>::max();
  for (Operation &op : body.without_terminator())
    if (auto level = op.getAttrOfType<IntegerAttr>(levelName); level && !isSource(&op))
      first = std::min(first, level.getInt());
  for (auto [position, next] : llvm::enumerate(loop.getYield().getValues())) {
    Operation *op = next.getDefiningOp();
    bool late = op && op->getBlock() == &body && isLate(op);
    (late ? lateCarried : earlyCarried).push_back(position);
  }
}

void LoopSkewer::findStacked() {
  llvm::SmallSetVector<Value, 4> handed;
  for (Operation &op : body) {
    if (!isLate(&op))
      continue;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (!isTile(operand) || operand.getParentBlock() != &body)
          continue;
        Operation *maker = operand.getDefiningOp();
        auto argument = dyn_cast<BlockArgument>(operand);
        bool isOfEarly = argument ? llvm::is_contained(earlyCarried, argument.getArgNumber() - 1)
                                  : isEarly(maker) && !isSource(maker);
        if (isOfEarly)
          handed.insert(operand);
      }
    });
  }
  for (Value tile : handed) {
    auto type = cast<TileType>(tile.getType());
    // Parts of a column begin at whole data blocks.
    int64_t pitch =
        llvm::alignTo(type.getRowCount(), architecture::getElementsPerBlock(getElementBytes(type)));
    auto rows = getDim(type.getContext(), pitch * (distance + 1));
    stacked.push_back(
        {tile, TileType::get(type.getContext(), rows, type.getCols(), type.getElementType()),
         pitch});
  }
}

/// How many slots an op counts turns of; 0 where it counts none.
static int64_t getTurnSlots(Operation &op) {
  return op.hasAttr(turnName) ? *getConstantIntValue(op.getOperand(1)) : 0;
}

/// The numbers of slots that ops of each group take in turn.
void LoopSkewer::findTurns() {
  for (Operation &op : body)
    if (int64_t slots = getTurnSlots(op))
      for (Operation *user : op.getUsers()) {
        SmallVector<int64_t> &of =
            isEarly(body.findAncestorOpInBlock(*user)) ? earlySlots : lateSlots;
        if (!llvm::is_contained(of, slots))
          of.push_back(slots);
      }
}

/// Whether late ops are computed in the strips of early ones. What these make is then signalled
/// after both, as if the distance were shorter by one, which takes a long one. And strips have
/// slots for what both load, so that they would have fewer rows where late ops load much.
bool LoopSkewer::joinsLevels() {
  constexpr int64_t leastDistance = 3;
  int64_t early = 0, late = 0;
  for (auto load : body.getOps<LoadOp>())
    if (load->hasAttr(exchangedName)) {
      TileType type = load.getResult().getType();
      int64_t bytes = type.getRowCount() * type.getColCount() * getElementBytes(type);
      (isEarly(load) ? early : late) += bytes;
    }
  return core == CoreKind::Vector && distance >= leastDistance && 2 * late <= early;
}

RangeOp LoopSkewer::makeLoop(Value lower, Value upper, ValueRange inits, bool isSteady) {
  // Loads run ahead in the steady state only: slots for the others would take memory and event ids
  // from it.
  auto stages = isSteady ? loop.getStagesAttr() : builder.getI64IntegerAttr(1);
  auto made = RangeOp::create(builder, inits.getTypes(), lower, upper, inits, Attribute(), stages,
                              UnitAttr());
  auto step = loop.getBlock() ? dyn_cast<IntegerAttr>(*loop.getBlock()) : IntegerAttr();
  if (step)
    made->setAttr(steadyStepName, builder.getI64IntegerAttr(isSteady ? step.getInt() : 0));
  if (Attribute cut = loop->getAttr(cutName))
    made->setAttr(cutName, cut);
  Block *block = builder.createBlock(&made.getBody());
  block->addArgument(builder.getIndexType(), loop.getInductionVar().getLoc());
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  builder.setInsertionPointToEnd(block);
  return made;
}

Value LoopSkewer::constant(int64_t number) {
  return arith::ConstantIndexOp::create(builder, number);
}

/// What the induction variable of the loop is in an iteration.
void LoopSkewer::mapIteration(Value index, IRMapping &map) {
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
  Value lower = map.lookupOrDefault(loop.getLower());
  if (!loop.getBlock()) {
    map.map(loop.getInductionVar(), add(lower, index));
    return;
  }
  Value step = constant(cast<IntegerAttr>(*loop.getBlock()).getInt());
  Value base = add(lower, arith::MulIOp::create(builder, index, step));
  map.map(loop.getInductionVar(),
          MakeSpanOp::create(builder, loop.getInductionVar().getLoc(),
                             cast<SpanType>(loop.getInductionVar().getType()), base,
                             map.lookupOrDefault(loop.getUpper()), /*nonempty=*/true));
}

/// Lets the ops of an iteration take the slots whose turn it is; then it is that of the next ones.
void LoopSkewer::mapTurns(ArrayRef<int64_t> slots, MutableArrayRef<Value> turns, IRMapping &map) {
  for (Operation &op : body)
    if (const auto *place = llvm::find(slots, getTurnSlots(op)); place != slots.end())
      map.map(op.getResult(0), turns[place - slots.begin()]);
  for (auto [count, turn] : llvm::zip_equal(slots, turns))
    turn = arith::RemUIOp::create(builder, arith::AddIOp::create(builder, turn, constant(1)),
                                  constant(count));
}

/// The ops of one group, and what any group makes for itself before each.
llvm::SetVector<Operation *> LoopSkewer::findNeeded(bool early, const IRMapping &map) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> worklist;
  for (Operation &op : body.without_terminator())
    if (early ? isEarly(&op) && !isSource(&op) : isLate(&op))
      worklist.push_back(&op);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!needed.insert(op))
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->getBlock() == &body && !map.contains(operand))
          worklist.push_back(maker);
    });
  }
  return needed;
}

void LoopSkewer::clone(bool early, IRMapping &map) {
  llvm::SetVector<Operation *> needed = findNeeded(early, map);
  for (Operation &op : body.without_terminator())
    if (needed.contains(&op))
      builder.clone(op, map)->removeAttr(levelName);
}

/// The first row of the part of a stack that an iteration uses.
Value LoopSkewer::getPart(const Stacked &in, Value index) {
  Value parts = arith::ConstantIndexOp::create(builder, distance + 1);
  Value part = arith::RemUIOp::create(builder, index, parts);
  return arith::MulIOp::create(builder, part, arith::ConstantIndexOp::create(builder, in.pitch));
}

/// One iteration of the early ops.
void LoopSkewer::runEarly(Value index, State &state) {
  IRMapping map;
  mapIteration(index, map);
  mapTurns(earlySlots, state.earlyTurns, map);
  for (auto [position, value] : llvm::zip_equal(earlyCarried, state.early))
    map.map(loop.getCarried()[position], value);
  clone(/*early=*/true, map);
  for (auto [position, value] : llvm::zip_equal(earlyCarried, state.early))
    value = map.lookupOrDefault(loop.getYield().getValues()[position]);
  for (auto [in, stack] : llvm::zip_equal(stacked, state.stacks)) {
    // Right where the tile is made, so that both are computed in the same strips.
    OpBuilder::InsertionGuard guard(builder);
    Value made = map.lookup(in.tile);
    if (Operation *maker = made.getDefiningOp(); maker && maker->getBlock() == builder.getBlock())
      builder.setInsertionPointAfter(maker);
    Value part = getPart(in, index);
    stack = InsertOp::create(builder, in.tile.getLoc(), in.type, made, stack, part, constant(0),
                             /*transposed=*/false);
  }
}

/// One iteration of the late ops; `map` has what they take of the loop around, if not what it has
/// now.
void LoopSkewer::runLate(Value index, State &state, IRMapping map) {
  mapIteration(index, map);
  mapTurns(lateSlots, state.lateTurns, map);
  for (auto [position, value] : llvm::zip_equal(lateCarried, state.late))
    map.map(loop.getCarried()[position], value);
  Value zero = constant(0);
  for (auto [in, stack] : llvm::zip_equal(stacked, state.stacks))
    map.map(in.tile, ExtractOp::create(builder, in.tile.getLoc(), in.tile.getType(), stack,
                                       getPart(in, index), zero, /*transposed=*/false));
  clone(/*early=*/false, map);
  for (auto [position, value] : llvm::zip_equal(lateCarried, state.late))
    value = map.lookupOrDefault(loop.getYield().getValues()[position]);
}

Value LoopSkewer::countIterations() {
  // Folded at once, so that loops of known numbers are known to run once or never.
  Value count = builder.createOrFold<arith::SubIOp>(loop.getUpper(), loop.getLower());
  if (loop.getBlock())
    count = builder.createOrFold<arith::CeilDivSIOp>(
        count, constant(cast<IntegerAttr>(*loop.getBlock()).getInt()));
  return builder.createOrFold<arith::MaxSIOp>(count, constant(0));
}

/// Makes one of the loops, which carries on what its iterations change.
RangeOp LoopSkewer::repeat(Phase phase, Value lower, Value upper, State &state,
                           llvm::function_ref<void(Value, State &)> iterate) {
  SmallVector<SmallVector<Value> *> changed;
  if (phase != Phase::Drain)
    changed.append({&state.early, &state.stacks, &state.earlyTurns});
  if (phase != Phase::Fill)
    changed.append({&state.late, &state.lateTurns});
  auto gather = [&] {
    SmallVector<Value> all;
    for (SmallVector<Value> *values : changed)
      llvm::append_range(all, *values);
    return all;
  };
  auto set = [&](ValueRange all) {
    for (SmallVector<Value> *values : changed)
      for (Value &value : *values) {
        value = all.front();
        all = all.drop_front();
      }
  };
  RangeOp made = makeLoop(lower, upper, gather(), phase == Phase::Steady);
  if (Attribute settled = loop->getAttr(settledName); settled && phase == Phase::Fill)
    made->setAttr(settledName, settled);
  set(made.getCarried());
  iterate(made.getInductionVar(), state);
  YieldOp::create(builder, gather());
  if (phase == Phase::Steady && joinsLevels())
    joinLevels(made.getBody().front());
  builder.setInsertionPointAfter(made);
  set(made.getResults());
  return made;
}

/// Takes the first slots of each group from what a loop around carries.
void LoopSkewer::takeTurns(ValueRange carried, State &state) {
  llvm::append_range(state.earlyTurns, carried.take_front(earlySlots.size()));
  llvm::append_range(state.lateTurns, carried.drop_front(earlySlots.size()));
}

void LoopSkewer::run(bool runsOn) {
  State state;
  RangeOp around;
  if (runsOn) {
    findTurns();
    around = cast<RangeOp>(loop->getParentOp());
    around = addCarried(around, earlySlots.size() + lateSlots.size());
    takeTurns(around.getCarried().take_back(earlySlots.size() + lateSlots.size()), state);
  }
  Value zero = constant(0), ahead = constant(distance), count = countIterations();
  Value filled = builder.createOrFold<arith::MinSIOp>(count, ahead);
  Value steady = builder.createOrFold<arith::SubIOp>(count, filled);
  for (unsigned position : earlyCarried)
    state.early.push_back(loop.getInits()[position]);
  for (unsigned position : lateCarried)
    state.late.push_back(loop.getInits()[position]);
  for (const Stacked &in : stacked)
    state.stacks.push_back(UndefinedOp::create(builder, in.tile.getLoc(), in.type));
  repeat(Phase::Fill, zero, filled, state, [&](Value index, State &in) { runEarly(index, in); });
  repeat(Phase::Steady, zero, steady, state, [&](Value index, State &in) {
    // What runs ahead has counted the iterations of the loop before.
    runEarly(arith::AddIOp::create(builder, index, filled), in);
    runLate(index, in);
  });
  repeat(Phase::Drain, steady, count, state, [&](Value index, State &in) { runLate(index, in); });
  for (auto [position, value] : llvm::zip_equal(earlyCarried, state.early))
    loop.getResult(position).replaceAllUsesWith(value);
  for (auto [position, value] : llvm::zip_equal(lateCarried, state.late))
    loop.getResult(position).replaceAllUsesWith(value);
  if (runsOn)
    setCarried(around, llvm::to_vector(llvm::concat<Value>(state.earlyTurns, state.lateTurns)));
  loop.erase();
}

/// How far a loop can run apart: by all of its iterations but one, as far as their number is known.
/// A steady state that never runs would be gone later, and with it what says that the loops that
/// fill and drain run as often.
static int64_t limitDistance(RangeOp loop, int64_t distance, const IndexRanges &ranges) {
  std::optional<int64_t> least = ranges.getLowerBound(loop.getLower());
  std::optional<int64_t> end = ranges.getUpperBound(loop.getUpper());
  if (!least || !end)
    return distance;
  int64_t step = loop.getBlock() ? cast<IntegerAttr>(*loop.getBlock()).getInt() : 1;
  int64_t most = llvm::divideCeilSigned(std::max<int64_t>(*end - *least, 0), step);
  return std::clamp<int64_t>(most - 1, 0, distance);
}

void onchip::skewLoops(func::FuncOp half, CoreKind core, bool runsOn) {
  SmallVector<std::pair<RangeOp, int64_t>> loops;
  half.walk([&](RangeOp range) {
    StringRef name = core == CoreKind::Cube ? preloadName : lagName;
    auto distance = range->getAttrOfType<IntegerAttr>(name);
    range->removeAttr(preloadName);
    range->removeAttr(lagName);
    if (distance && distance.getInt() > 0)
      loops.emplace_back(range, distance.getInt());
  });
  IndexRanges ranges(half);
  for (auto &[loop, distance] : loops)
    distance = limitDistance(loop, distance, ranges);
  for (auto [loop, distance] : loops) {
    if (distance == 0)
      continue;
    LoopSkewer skewer(loop, distance, core);
    if (runsOn && core == CoreKind::Cube)
      skewer.runOn();
    else
      skewer.run(runsOn);
  }
  half.walk([](Operation *op) {
    op->removeAttr(levelName);
    op->removeAttr(exchangedName);
    op->removeAttr(turnName);
  });
}
