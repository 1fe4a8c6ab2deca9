// Takes loops that are known to run once or never out of a half before its buffers are counted:
// what is counted must be what is lowered, and later stages leave no such loop (tile on the chip).
#include "attn/TileOnChip/ExchangePlan.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

static std::optional<int64_t> countTrips(RangeOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLower());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpper());
  auto step = loop.getBlock() ? dyn_cast<IntegerAttr>(*loop.getBlock()) : IntegerAttr();
  if (!lower || !upper || (loop.getBlock() && !step))
    return std::nullopt;
  return llvm::divideCeilSigned(std::max<int64_t>(*upper - *lower, 0), step ? step.getInt() : 1);
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

/// Computes what follows from induction variables that are numbers now, so that equal loads are
/// seen to be equal.
static void foldIndices(IRRewriter &rewriter, func::FuncOp half) {
  half.walk([&](Operation *op) {
    if (!isa<arith::ArithDialect>(op->getDialect()) || isa<arith::ConstantOp>(op))
      return;
    rewriter.setInsertionPoint(op);
    SmallVector<Value> folded;
    if (succeeded(rewriter.tryFold(op, folded)) && !folded.empty())
      rewriter.replaceOp(op, folded);
  });
}

void onchip::inlineLoops(func::FuncOp half) {
  IRRewriter rewriter(half.getContext());
  bool inlined = false;
  half.walk([&](RangeOp loop) {
    std::optional<int64_t> trips = countTrips(loop);
    if (!trips || *trips > 1)
      return;
    if (*trips == 0)
      rewriter.replaceOp(loop, loop.getInits());
    else
      inlineOnce(rewriter, loop);
    inlined = true;
  });
  if (inlined)
    foldIndices(rewriter, half);
}
