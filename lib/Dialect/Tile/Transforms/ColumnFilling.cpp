// Fills the columns that spans lack where a reduction would see them (tile stage).
#include "attn/Dialect/Tile/Transforms/ColumnFilling.h"
#include "attn/Dialect/Tile/Analysis/Reduction.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Most kernels have no spans of columns, nor rows that become columns: for them, nothing is
/// analysed.
static bool mayLackColumns(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        bool hasSpan = load && getColumnSpan(load.getKinds(), load.getIndices());
        return hasSpan || isa<DotOp, TransposeOp>(op) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether no element of a row of `tile` is above that of `column`: it is the maximum of the row,
/// or the larger one of that and something else.
static bool isAtLeastMaximum(Value column, Value tile) {
  if (auto reduce = column.getDefiningOp<ReduceOp>())
    return reduce.getKind() == ReduceKind::Max && reduce.getAxis() == 1 &&
           reduce.getInput() == tile;
  auto larger = column.getDefiningOp<MaximumOp>();
  return larger &&
         (isAtLeastMaximum(larger.getLhs(), tile) || isAtLeastMaximum(larger.getRhs(), tile));
}

/// Whether the columns that `span` lacks are zero: weights of scores that were filled for their
/// maximum, which are exp(-inf).
///
/// Where the subtrahend is -inf as well, so are all scores of the row, and its sum is NaN either
/// way.
static bool areLackingZero(Value weights, Value span) {
  auto exp = weights.getDefiningOp<ExpOp>();
  auto distance = exp ? exp.getInput().getDefiningOp<SubOp>() : SubOp();
  if (!distance || !isAtLeastMaximum(distance.getRhs(), distance.getLhs()))
    return false;
  for (auto fill = distance.getLhs().getDefiningOp<FillColumnsOp>(); fill;
       fill = fill.getInput().getDefiningOp<FillColumnsOp>())
    if (fill.getSpan() == span && fill.getValue().isNegInfinity())
      return true;
  return false;
}

/// Lets weights be computed from the scores as they were filled for their maximum: these are then
/// filled in their place, and the sum of the weights needs no columns filled.
static void takeFilledScores(ReduceOp maximum, Value scores) {
  Value filled = maximum.getInput();
  for (OpOperand &use : llvm::make_early_inc_range(scores.getUses())) {
    auto distance = dyn_cast<SubOp>(use.getOwner());
    if (distance && distance->getBlock() == maximum->getBlock() && distance.getLhs() == scores &&
        distance.getRhs() != scores && isAtLeastMaximum(distance.getRhs(), filled) &&
        llvm::all_of(distance->getUsers(), llvm::IsaPred<ExpOp>))
      use.set(filled);
  }
}

int64_t tile::fillColumns(func::FuncOp kernel) {
  if (!mayLackColumns(kernel))
    return 0;
  RowLimits limits(kernel);
  int64_t filled = 0;
  kernel.walk([&](ReduceOp reduce) {
    if (reduce.getAxis() != 1)
      return;
    OpBuilder builder(reduce);
    Value unfilled = reduce.getInput();
    for (Value span : limits.getColumnSpans(unfilled)) {
      if (reduce.getKind() == ReduceKind::Sum && areLackingZero(unfilled, span))
        continue;
      reduce.getInputMutable().assign(
          FillColumnsOp::create(builder, reduce.getLoc(), reduce.getInput(), span,
                                builder.getF32FloatAttr(getNeutral(reduce.getKind()))));
      ++filled;
    }
    if (reduce.getKind() == ReduceKind::Max && reduce.getInput() != unfilled)
      takeFilledScores(reduce, unfilled);
  });
  return filled;
}
