// tile-split-masked-loops: splits loops where their masks begin or cease to matter (tile stage).
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/MaskedLoop.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {
#define GEN_PASS_DEF_SPLITMASKEDLOOPSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Of tiles with up to so many rows a mask costs less than a loop of its own for those that it cuts
/// through, which begins when the loop before it has ended: by predicted time, paged attention
/// gains nothing with 64 rows and a third with 96.
constexpr int64_t fewRows = 64;

/// Iterations `begin` to `end`; each null where nothing limits them on that side.
struct Run {
  Value begin, end;
};

/// Splits one loop.
class LoopSplitter {
public:
  LoopSplitter(RangeOp loop, ArrayRef<LoopMask> masks)
      : loop(loop), masks(masks), builder(loop.getLoc(), loop) {}

  bool run();

  /// Whether it pays: always in a loop by a block size, whose tiles may become large; in one that
  /// goes one by one for products of more than a few rows.
  bool pays() {
    bool hasProducts =
        loop.getBody().walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    return loop.getBlock() ||
           (hasProducts && llvm::any_of(masks, [](const LoopMask &mask) {
              auto rows = dyn_cast<IntegerAttr>(cast<TileType>(mask.mask.getType()).getRows());
              return rows && rows.getInt() > fewRows;
            }));
  }

private:
  enum class Corner { Least, Most };

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value scale(Value value, int64_t factor) {
    return factor == 1 ? value : arith::MulIOp::create(builder, value, number(factor)).getResult();
  }
  Value larger(Value a, Value b) { return arith::MaxSIOp::create(builder, a, b); }
  Value smaller(Value a, Value b) { return arith::MinSIOp::create(builder, a, b); }
  Value clamp(Value value, Value low, Value high) { return smaller(larger(value, low), high); }

  Value getOutside(Value value);
  Value getCorner(const PositionCondition &condition, TileType type, Corner corner);
  void limit(Run &run, const PositionCondition &condition, TileType type, Corner corner);
  bool dropsSelect(SelectOp select) const;
  Attribute getEdge(bool isAtBegin);
  RangeOp addLoop(Value begin, Value end, ValueRange inits, bool isWhole);
  Value getPlace(Value iteration);

  RangeOp loop;
  ArrayRef<LoopMask> masks;
  ImplicitLocOpBuilder builder;
  Value step, trips, zero;
};

} // namespace

/// A value that does not change in the loop, before it.
Value LoopSplitter::getOutside(Value value) {
  Operation *op = value.getDefiningOp();
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  return builder.clone(*op)->getResult(cast<OpResult>(value).getResultNumber());
}

/// The least or most that a condition compares with 1 in a tile, without the base of its span.
Value LoopSplitter::getCorner(const PositionCondition &condition, TileType type, Corner corner) {
  Value sum = number(condition.rest.number);
  for (auto [value, factor] : condition.rest.terms)
    sum = add(sum, scale(getOutside(value), factor));
  for (auto [dim, factor] : {std::pair(type.getRows(), condition.rowFactor),
                             std::pair(type.getCols(), condition.colFactor)}) {
    if ((factor < 0) != (corner == Corner::Least) || factor == 0)
      continue;
    Value last = add(SizeOp::create(builder, builder.getIndexType(), dim), number(-1));
    sum = add(sum, scale(last, factor));
  }
  return sum;
}

/// Leaves the iterations in which some element (`Most`) or all (`Least`) fulfil a condition: up to
/// some iteration where its distance falls, from one on where it grows.
void LoopSplitter::limit(Run &run, const PositionCondition &condition, TileType type,
                         Corner corner) {
  Value room = add(getCorner(condition, type, corner), number(-1));
  int64_t factor = condition.baseFactor;
  if (factor == 0) {
    Value holds = clamp(add(room, number(1)), zero, number(1));
    Value end = arith::MulIOp::create(builder, holds, trips);
    run.end = run.end ? smaller(run.end, end) : end;
    return;
  }
  room = add(room, scale(loop.getLower(), factor));
  Value stride = scale(step, std::abs(factor));
  if (factor < 0) {
    Value last = arith::FloorDivSIOp::create(builder, room, stride);
    Value end = clamp(add(last, number(1)), zero, trips);
    run.end = run.end ? smaller(run.end, end) : end;
    return;
  }
  Value before = arith::SubIOp::create(builder, add(stride, number(-1)), room);
  Value begin = clamp(arith::FloorDivSIOp::create(builder, before, stride), zero, trips);
  run.begin = run.begin ? larger(run.begin, begin) : begin;
}

/// Whether a choice falls away in tiles that its mask takes whole.
bool LoopSplitter::dropsSelect(SelectOp select) const {
  return select.getTaken().getType() == select.getType() &&
         llvm::any_of(masks, [&](const LoopMask &mask) {
           return mask.isWhole && mask.mask == select.getMask();
         });
}

/// What the edge of the masks goes through before or after the tiles that they take whole, as far
/// as the base of the loop moves meanwhile: as wide as a tile is high where a condition compares
/// rows with it one to one.
Attribute LoopSplitter::getEdge(bool isAtBegin) {
  for (const LoopMask &mask : masks)
    for (const PositionCondition &condition : mask.conditions) {
      if (!mask.isWhole || condition.rowFactor == 0 || (condition.baseFactor > 0) != isAtBegin)
        continue;
      Attribute rows = cast<TileType>(mask.mask.getType()).getRows();
      int64_t forRow = std::abs(condition.rowFactor), forBase = std::abs(condition.baseFactor);
      if (auto count = dyn_cast<IntegerAttr>(rows); count && forRow != forBase)
        return getDim(loop.getContext(), llvm::divideCeil(count.getInt() * forRow, forBase));
      return rows;
    }
  return getDim(loop.getContext(), 1);
}

Value LoopSplitter::getPlace(Value iteration) {
  Value distance = arith::MulIOp::create(builder, iteration, step);
  return smaller(add(loop.getLower(), distance), loop.getUpper());
}

/// The loop once more, over other iterations; where tiles are taken whole, without choices.
RangeOp LoopSplitter::addLoop(Value begin, Value end, ValueRange inits, bool isWhole) {
  auto copy = cast<RangeOp>(builder.clone(*loop));
  copy.getLowerMutable().assign(begin);
  copy.getUpperMutable().assign(end);
  copy.getInitArgsMutable().assign(inits);
  if (!isWhole)
    return copy;
  SmallVector<SelectOp> selects, copies;
  loop.getBody().walk([&](SelectOp select) { selects.push_back(select); });
  copy.getBody().walk([&](SelectOp select) { copies.push_back(select); });
  for (auto [select, copied] : llvm::zip_equal(selects, copies))
    if (dropsSelect(select))
      copied.getResult().replaceAllUsesWith(copied.getTaken());
  // What takes a mask goes before what makes it.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(copy.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return copy;
}

bool LoopSplitter::run() {
  bool drops = false;
  loop.getBody().walk([&](SelectOp select) { drops |= dropsSelect(select); });
  bool skips = llvm::any_of(masks, [](const LoopMask &mask) { return mask.mayBeSkipped; });
  if (!drops && !skips)
    return false;
  zero = number(0);
  step = loop.getBlock()
             ? SizeOp::create(builder, builder.getIndexType(), *loop.getBlock()).getResult()
             : number(1);
  Value length = larger(arith::SubIOp::create(builder, loop.getUpper(), loop.getLower()), zero);
  trips = arith::CeilDivUIOp::create(builder, length, step);
  Run some, all;
  for (const LoopMask &mask : masks)
    for (const PositionCondition &condition : mask.conditions) {
      auto type = cast<TileType>(mask.mask.getType());
      if (mask.mayBeSkipped)
        limit(some, condition, type, Corner::Most);
      if (mask.isWhole)
        limit(all, condition, type, Corner::Least);
    }
  // Of what is left, the tiles that are taken whole lie in the middle.
  Value first = some.begin ? some.begin : zero, last = some.end ? some.end : trips;
  last = larger(first, last);
  Value begin = all.begin ? clamp(all.begin, first, last) : first;
  Value end = all.end ? clamp(all.end, begin, last) : last;
  ValueRange carried = loop.getInits();
  RangeOp latest;
  auto addRun = [&](Value from, Value to, bool isWhole) {
    latest = addLoop(getPlace(from), getPlace(to), carried, isWhole);
    carried = latest.getResults();
  };
  if (!drops) {
    addRun(first, last, /*isWhole=*/false);
  } else {
    auto addCut = [&](Value from, Value to, bool isAtBegin) {
      addRun(from, to, /*isWhole=*/false);
      latest->setAttr(cutName, getEdge(isAtBegin));
    };
    if (all.begin)
      addCut(first, begin, /*isAtBegin=*/true);
    addRun(begin, end, /*isWhole=*/true);
    if (all.end)
      addCut(end, last, /*isAtBegin=*/false);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
  return true;
}

namespace {
struct SplitMaskedLoops : attn::impl::SplitMaskedLoopsPassBase<SplitMaskedLoops> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    bool hasChanged = false;
    for (func::FuncOp kernel : *kernels) {
      SmallVector<RangeOp> loops;
      kernel.walk([&](RangeOp loop) { loops.push_back(loop); });
      for (RangeOp loop : loops) {
        SmallVector<LoopMask> masks = findLoopMasks(loop);
        LoopSplitter splitter(loop, masks);
        if (masks.empty() || !splitter.pays() || !splitter.run())
          continue;
        ++loopsSplit;
        hasChanged = true;
      }
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
