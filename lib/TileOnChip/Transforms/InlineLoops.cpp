// Takes loops that are known to run once or never out of a half before its buffers are counted:
// what is counted must be what is lowered, and later stages leave no such loop (tile on the chip).
#include "attn/Support/IndexRanges.h"
#include "attn/TileOnChip/ExchangePlan.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Whether a loop has numbers as bounds and runs once: later stages write its body in its place.
static bool runsOnce(RangeOp loop, int64_t step) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLower());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpper());
  return lower && upper && *upper > *lower && *upper - *lower <= step;
}

/// Whether a loop never runs by the ranges of its bounds: later stages drop it.
static bool neverRuns(RangeOp loop, const IndexRanges &ranges) {
  std::optional<int64_t> least = ranges.getLowerBound(loop.getLower());
  std::optional<int64_t> end = ranges.getUpperBound(loop.getUpper());
  return least && end && *end <= *least;
}

/// Whether the first product of a loop starts sums: such a loop runs at least once.
static bool startsSums(RangeOp loop) {
  return llvm::any_of(loop.getInits(), [](Value init) { return init.getDefiningOp<SplatOp>(); });
}

static void inlineOnce(IRRewriter &rewriter, RangeOp loop) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> arguments = {loop.getLower()};
  if (loop.getBlock())
    arguments = {MakeSpanOp::create(rewriter, loop.getInductionVar().getLoc(),
                                    cast<SpanType>(loop.getInductionVar().getType()),
                                    loop.getLower(), loop.getUpper(), /*nonempty=*/true)};
  llvm::append_range(arguments, loop.getInits());
  YieldOp yield = loop.getYield();
  rewriter.inlineBlockBefore(&loop.getBody().front(), loop, arguments);
  rewriter.replaceOp(loop, yield.getValues());
  rewriter.eraseOp(yield);
}

void onchip::foldIndices(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  function.walk([&](Operation *op) {
    if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
        !op->getResult(0).getType().isIndex() || op->hasTrait<OpTrait::ConstantLike>())
      return;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> folded;
    if (succeeded(rewriter.tryFold(op, folded)) && !folded.empty())
      rewriter.replaceOp(op, folded);
  });
}

void onchip::inlineLoops(func::FuncOp half, CoreKind core) {
  IRRewriter rewriter(half.getContext());
  IndexRanges ranges(half);
  SmallVector<std::pair<RangeOp, int64_t>> known;
  half.walk([&](RangeOp loop) {
    auto step = loop.getBlock() ? dyn_cast<IntegerAttr>(*loop.getBlock()) : IntegerAttr();
    if (runsOnce(loop, step ? step.getInt() : 1))
      known.emplace_back(loop, 1);
    else if (neverRuns(loop, ranges) && !(core == CoreKind::Cube && startsSums(loop)))
      known.emplace_back(loop, 0);
  });
  for (auto [loop, trips] : known)
    if (trips == 0)
      rewriter.replaceOp(loop, loop.getInits());
    else
      inlineOnce(rewriter, loop);
  if (!known.empty())
    foldIndices(half);
}
