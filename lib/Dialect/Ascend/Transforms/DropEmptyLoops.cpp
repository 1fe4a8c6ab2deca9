// ascend-drop-empty-loops: removes loops that never run.
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Support/IndexRanges.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {
#define GEN_PASS_DEF_DROPEMPTYLOOPSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

static bool neverRuns(scf::ForOp loop, const IndexRanges &ranges) {
  std::optional<int64_t> begin = ranges.getLowerBound(loop.getLowerBound());
  std::optional<int64_t> end = ranges.getUpperBound(loop.getUpperBound());
  return begin && end && *end <= *begin;
}

namespace {

struct DropEmptyLoops : attn::impl::DropEmptyLoopsPassBase<DropEmptyLoops> {
  void runOnOperation() override {
    const auto &ranges = getAnalysis<IndexRanges>();
    SmallVector<scf::ForOp> empty;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!neverRuns(loop, ranges))
        return WalkResult::advance();
      empty.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForOp loop : empty) {
      loop.replaceAllUsesWith(loop.getInitArgs());
      loop.erase();
    }
    dropped += empty.size();
    if (empty.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace
