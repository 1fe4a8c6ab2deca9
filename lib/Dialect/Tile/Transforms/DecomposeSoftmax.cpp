// tile-decompose-softmax: rewrites softmax states into tiles, in the form that was chosen (tile
// stage).
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tile-decompose-softmax"

namespace attn {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {
struct DecomposeSoftmax : attn::impl::DecomposeSoftmaxPassBase<DecomposeSoftmax> {
  using DecomposeSoftmaxPassBase::DecomposeSoftmaxPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    bool hasChanged = false;
    for (func::FuncOp kernel : *kernels) {
      std::optional<SoftmaxForm> chosen = getSoftmaxForm(getFormOf(kernel));
      if (!chosen) {
        kernel.emitError() << "unknown softmax form '" << form.getValue()
                           << "'; known: auto, online, two-phase-resident, two-phase-reload";
        return signalPassFailure();
      }
      LDBG() << kernel.getName() << ": form " << getFormName(*chosen);
      kernel.walk([&](SoftmaxInitOp) {
        ++statesDecomposed;
        hasChanged = true;
      });
      if (failed(rewriteSoftmax(kernel, *chosen)))
        return signalPassFailure();
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

private:
  /// What the option asks for, or what was chosen for the kernel; where nothing was, the form that
  /// reads every value once.
  StringRef getFormOf(func::FuncOp kernel) {
    auto choice = kernel->getAttrOfType<ChoiceAttr>("tile.choice");
    if (form != "auto")
      return form.getValue();
    return choice && choice.getSoftmax() ? choice.getSoftmax().getValue()
                                         : getFormName(SoftmaxForm::Online);
  }
};
} // namespace
