// Lets the first level of a loop run ahead of the others: loops that fill, that go on steadily and
// that drain (tile on the chip).
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Machine/Architecture.h"
#include "attn/Support/IndexRanges.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

/// Rewrites one loop of one half. Its ops are early, of the first level, or late. Tiles that go
/// from early to late ops wait in a stack of as many parts as iterations lie between, and one more.
class LoopSkewer {
public:
  LoopSkewer(RangeOp loop, int64_t distance, CoreKind core)
      : loop(loop), distance(distance), core(core), builder(loop.getLoc(), loop),
        body(loop.getBody().front()) {}

  void run();

private:
  /// A tile that early ops make, or have from the iteration before, and late ops take.
  struct Stacked {
    Value tile;
    TileType type; // of the stack
    int64_t pitch; // rows from part to part
  };

  bool isEarly(Operation *op) const {
    auto level = op->getAttrOfType<IntegerAttr>(levelName);
    return level && level.getInt() == first;
  }
  bool isLate(Operation *op) const {
    return op->hasAttr(levelName) && !isSource(op) && !isEarly(op);
  }
  /// What any core can make again where it is needed.
  static bool isSource(Operation *op) {
    return op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), isTile) &&
           llvm::any_of(op->getResults(), isTile) && !op->hasAttr(exchangedName);
  }
  void findGroups();
  void findStacked();
  bool joinsLevels();
  RangeOp makeLoop(Value lower, Value upper, ValueRange inits, bool isSteady = false);
  void mapIteration(Value index, IRMapping &map);
  void clone(bool early, IRMapping &map);
  Value getPart(const Stacked &stacked, Value index);
  SmallVector<Value> runEarly(Value index, ValueRange carried, ValueRange stacks);
  SmallVector<Value> runLate(Value index, ValueRange carried, ValueRange stacks);

  RangeOp loop;
  int64_t distance;
  CoreKind core;
  ImplicitLocOpBuilder builder;
  Block &body;
  int64_t first = 0;
  SmallVector<unsigned> earlyCarried, lateCarried; // positions of carried values
  SmallVector<Stacked> stacked;
};

} // namespace

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

/// What the induction variable of the loop is in an iteration.
void LoopSkewer::mapIteration(Value index, IRMapping &map) {
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, a, b); };
  if (!loop.getBlock()) {
    map.map(loop.getInductionVar(), add(loop.getLower(), index));
    return;
  }
  Value step =
      arith::ConstantIndexOp::create(builder, cast<IntegerAttr>(*loop.getBlock()).getInt());
  Value base = add(loop.getLower(), arith::MulIOp::create(builder, index, step));
  map.map(loop.getInductionVar(),
          MakeSpanOp::create(builder, loop.getInductionVar().getLoc(),
                             cast<SpanType>(loop.getInductionVar().getType()), base,
                             loop.getUpper(), /*nonempty=*/true));
}

/// Clones the ops of one group, and before each what any group makes for itself.
void LoopSkewer::clone(bool early, IRMapping &map) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Operation *> worklist;
  for (Operation &op : body.without_terminator())
    if (early ? isEarly(&op) && !isSource(&op) : isLate(&op))
      worklist.push_back(&op);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->getBlock() == &body && !map.contains(operand))
          worklist.push_back(maker);
    });
  }
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

/// One iteration of the early ops; gives what they carry on, and the stacks.
SmallVector<Value> LoopSkewer::runEarly(Value index, ValueRange carried, ValueRange stacks) {
  IRMapping map;
  mapIteration(index, map);
  for (auto [position, value] : llvm::zip_equal(earlyCarried, carried))
    map.map(loop.getCarried()[position], value);
  clone(/*early=*/true, map);
  SmallVector<Value> next;
  for (unsigned position : earlyCarried)
    next.push_back(map.lookupOrDefault(loop.getYield().getValues()[position]));
  for (auto [in, stack] : llvm::zip_equal(stacked, stacks)) {
    // Right where the tile is made, so that both are computed in the same strips.
    OpBuilder::InsertionGuard guard(builder);
    Value made = map.lookup(in.tile);
    if (Operation *maker = made.getDefiningOp(); maker && maker->getBlock() == builder.getBlock())
      builder.setInsertionPointAfter(maker);
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    next.push_back(InsertOp::create(builder, in.tile.getLoc(), in.type, made, stack,
                                    getPart(in, index), zero, /*transposed=*/false));
  }
  return next;
}

/// One iteration of the late ops.
SmallVector<Value> LoopSkewer::runLate(Value index, ValueRange carried, ValueRange stacks) {
  IRMapping map;
  mapIteration(index, map);
  for (auto [position, value] : llvm::zip_equal(lateCarried, carried))
    map.map(loop.getCarried()[position], value);
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  for (auto [in, stack] : llvm::zip_equal(stacked, stacks))
    map.map(in.tile, ExtractOp::create(builder, in.tile.getLoc(), in.tile.getType(), stack,
                                       getPart(in, index), zero, /*transposed=*/false));
  clone(/*early=*/false, map);
  SmallVector<Value> next;
  for (unsigned position : lateCarried)
    next.push_back(map.lookupOrDefault(loop.getYield().getValues()[position]));
  return next;
}

void LoopSkewer::run() {
  findGroups();
  findStacked();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, number);
  };
  Value zero = constant(0), ahead = constant(distance);
  // Folded at once, so that loops of known numbers are known to run once or never.
  Value count = builder.createOrFold<arith::SubIOp>(loop.getUpper(), loop.getLower());
  if (loop.getBlock())
    count = builder.createOrFold<arith::CeilDivSIOp>(
        count, constant(cast<IntegerAttr>(*loop.getBlock()).getInt()));
  count = builder.createOrFold<arith::MaxSIOp>(count, zero);
  Value filled = builder.createOrFold<arith::MinSIOp>(count, ahead);
  Value steady = builder.createOrFold<arith::SubIOp>(count, filled);

  SmallVector<Value> early, late, stacks;
  for (unsigned position : earlyCarried)
    early.push_back(loop.getInits()[position]);
  for (unsigned position : lateCarried)
    late.push_back(loop.getInits()[position]);
  for (const Stacked &in : stacked)
    stacks.push_back(UndefinedOp::create(builder, in.tile.getLoc(), in.type));
  size_t earlyCount = early.size(), stackCount = stacks.size();

  auto concat = [](ArrayRef<ValueRange> parts) {
    SmallVector<Value> all;
    for (ValueRange part : parts)
      llvm::append_range(all, part);
    return all;
  };
  {
    RangeOp fill = makeLoop(zero, filled, concat({early, stacks}));
    if (Attribute settled = loop->getAttr(settledName))
      fill->setAttr(settledName, settled);
    ValueRange carried(fill.getCarried());
    YieldOp::create(builder, runEarly(fill.getInductionVar(), carried.take_front(earlyCount),
                                      carried.drop_front(earlyCount)));
    builder.setInsertionPointAfter(fill);
    early.assign(fill.getResults().begin(), fill.getResults().begin() + earlyCount);
    stacks.assign(fill.getResults().begin() + earlyCount, fill.getResults().end());
  }
  {
    RangeOp both = makeLoop(zero, steady, concat({early, stacks, late}), /*isSteady=*/true);
    ValueRange carried(both.getCarried());
    Value index = both.getInductionVar();
    // What runs ahead has counted the iterations of the loop before.
    SmallVector<Value> next =
        runEarly(arith::AddIOp::create(builder, index, filled), carried.take_front(earlyCount),
                 carried.slice(earlyCount, stackCount));
    SmallVector<Value> lateNext = runLate(index, carried.drop_front(earlyCount + stackCount),
                                          ValueRange(next).drop_front(earlyCount));
    llvm::append_range(next, lateNext);
    YieldOp::create(builder, next);
    if (joinsLevels())
      joinLevels(both.getBody().front());
    builder.setInsertionPointAfter(both);
    ValueRange results(both.getResults());
    early.assign(results.begin(), results.begin() + earlyCount);
    stacks.assign(results.begin() + earlyCount, results.begin() + earlyCount + stackCount);
    late.assign(results.begin() + earlyCount + stackCount, results.end());
  }
  {
    RangeOp drain = makeLoop(steady, count, late);
    YieldOp::create(builder, runLate(drain.getInductionVar(), drain.getCarried(), stacks));
    builder.setInsertionPointAfter(drain);
    late.assign(drain.getResults().begin(), drain.getResults().end());
  }
  for (auto [position, value] : llvm::zip_equal(earlyCarried, early))
    loop.getResult(position).replaceAllUsesWith(value);
  for (auto [position, value] : llvm::zip_equal(lateCarried, late))
    loop.getResult(position).replaceAllUsesWith(value);
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

void onchip::skewLoops(func::FuncOp half, CoreKind core) {
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
  for (auto [loop, distance] : loops)
    if (distance > 0)
      LoopSkewer(loop, distance, core).run();
  half.walk([](Operation *op) {
    op->removeAttr(levelName);
    op->removeAttr(exchangedName);
  });
}
