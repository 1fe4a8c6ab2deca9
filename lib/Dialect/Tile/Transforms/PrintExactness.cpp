// tile-print-exactness: says which outputs of a kernel have one right answer (tile stage, changes
// nothing).
#include "attn/Dialect/Tile/Analysis/Exactness.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Launch/IR/LaunchDialect.h"

namespace attn {
#define GEN_PASS_DEF_PRINTEXACTNESSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {
struct PrintExactness : attn::impl::PrintExactnessPassBase<PrintExactness> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("tile.kernel") || kernel.isExternal())
      return;
    Exactness exactness(kernel);
    for (BlockArgument argument : kernel.getArguments()) {
      if (!kernel.getArgAttr(argument.getArgNumber(), launch::outputName))
        continue;
      if (Operation *cause = exactness.getCause(argument)) {
        InFlightDiagnostic remark = emitRemark(argument.getLoc())
                                    << "not exact: goes through " << describeCause(cause);
        remark.attachNote(cause->getLoc()) << "here";
      } else {
        emitRemark(argument.getLoc()) << "exact: every stage gives the same bits";
      }
    }
  }
};
} // namespace
