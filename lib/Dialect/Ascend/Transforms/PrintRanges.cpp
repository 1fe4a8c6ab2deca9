// ascend-print-ranges: says what each index can be (to look at what bounds and signs come from).
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Support/IndexRanges.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace attn {
#define GEN_PASS_DEF_PRINTRANGESPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

class PrintRanges : public attn::impl::PrintRangesPassBase<PrintRanges> {
  void runOnOperation() override {
    const auto &ranges = getAnalysis<IndexRanges>();
    getOperation().walk([&](Operation *op) {
      for (OpResult result : op->getResults())
        if (result.getType().isIndex() && !op->hasTrait<OpTrait::ConstantLike>())
          op->emitRemark() << "result " << result.getResultNumber() << " "
                           << describe(result, ranges);
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (Region *region : loop.getLoopRegions())
          for (BlockArgument argument : region->getArguments())
            if (argument.getType().isIndex())
              op->emitRemark() << "argument " << argument.getArgNumber() << " "
                               << describe(argument, ranges);
    });
    markAllAnalysesPreserved();
  }

  static std::string describe(Value index, const IndexRanges &ranges) {
    std::optional<int64_t> low = ranges.getLowerBound(index), high = ranges.getUpperBound(index);
    if (low && high)
      return ("is from " + Twine(*low) + " to " + Twine(*high)).str();
    if (low)
      return ("is at least " + Twine(*low)).str();
    return high ? ("is at most " + Twine(*high)).str() : "may be anything";
  }
};

} // namespace
