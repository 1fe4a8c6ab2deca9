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

int64_t tile::fillColumns(func::FuncOp kernel) {
  if (!mayLackColumns(kernel))
    return 0;
  RowLimits limits(kernel);
  int64_t filled = 0;
  kernel.walk([&](ReduceOp reduce) {
    if (reduce.getAxis() != 1)
      return;
    OpBuilder builder(reduce);
    for (Value span : limits.getColumnSpans(reduce.getInput())) {
      reduce.getInputMutable().assign(
          FillColumnsOp::create(builder, reduce.getLoc(), reduce.getInput(), span,
                                builder.getF32FloatAttr(getNeutral(reduce.getKind()))));
      ++filled;
    }
  });
  return filled;
}
