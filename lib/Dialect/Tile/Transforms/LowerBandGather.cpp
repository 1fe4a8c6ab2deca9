// tile-lower-band-gather: rewrites bands into tiles, in the form that was chosen (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Machine/Chip.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tile-lower-band-gather"

namespace attn {
#define GEN_PASS_DEF_LOWERBANDGATHERPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {
struct LowerBandGather : attn::impl::LowerBandGatherPassBase<LowerBandGather> {
  using LowerBandGatherPassBase::LowerBandGatherPassBase;

  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    bool hasChanged = false;
    for (func::FuncOp kernel : *kernels) {
      SmallVector<Operation *> bandOps = getBandOps(kernel);
      FailureOr<BandForm> chosen = getBandForm(kernel, getFormOf(kernel));
      if (failed(chosen) ||
          (!bandOps.empty() && failed(rewriteBands(kernel, *chosen, chip->isHost))))
        return signalPassFailure();
      LDBG() << kernel.getName() << ": " << bandOps.size() << " ops on bands, form "
             << tile::getFormName(*chosen);
      bandsLowered += bandOps.size();
      hasChanged |= !bandOps.empty();
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

private:
  /// What the option asks for, or what was chosen for the kernel; where nothing was, the form that
  /// reads every row once.
  StringRef getFormOf(func::FuncOp kernel) {
    auto choice = kernel->getAttrOfType<ChoiceAttr>("tile.choice");
    if (form != "auto")
      return form.getValue();
    return choice && choice.getBand() ? choice.getBand().getValue()
                                      : tile::getFormName(BandForm::Halo);
  }
};
} // namespace
