// tile-bound-counts: lets no number from memory or of a call keep a loop running (tile stage, at
// its end).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/LoopCounts.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_BOUNDCOUNTSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

struct BoundCounts : attn::impl::BoundCountsPassBase<BoundCounts> {
  using BoundCountsPassBase::BoundCountsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels) {
      SmallVector<RangeOp> open;
      LoopCounts counts(kernel);
      kernel.walk([&](RangeOp range) {
        if (counts.isOpen(range))
          open.push_back(range);
      });
      for (RangeOp range : open)
        bound(range, getSourceName(counts.getSource(range)));
      countsBounded += open.size();
    }
  }

private:
  void bound(RangeOp range, StringRef source) {
    auto block = dyn_cast_if_present<IntegerAttr>(range.getBlock().value_or(Attribute()));
    OpBuilder builder(range);
    Value end =
        BoundCountOp::create(builder, range.getLoc(), builder.getIndexType(), range.getLower(),
                             range.getUpper(), block ? block.getInt() : 1, most, source);
    range.getUpperMutable().assign(end);
  }
};

} // namespace
