// tile-fill-columns: fills the columns that spans lack where a reduction would see them (tile
// stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/ColumnFilling.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Machine/Chip.h"

namespace attn {
#define GEN_PASS_DEF_FILLCOLUMNSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {
struct FillColumns : attn::impl::FillColumnsPassBase<FillColumns> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    // The CPU reduces the columns that exist.
    int64_t filled = 0;
    if (!chip->isHost)
      for (func::FuncOp kernel : *kernels)
        filled += fillColumns(kernel);
    reductionsFilled += filled;
    if (filled == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
