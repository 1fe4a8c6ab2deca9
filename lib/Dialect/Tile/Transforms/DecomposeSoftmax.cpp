// tile-decompose-softmax: chooses a form for a kernel's softmax states and rewrites them (tile
// stage).
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"
#include "attn/Machine/Chip.h"

namespace attn {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static std::optional<SoftmaxForm> parseForm(StringRef name) {
  for (SoftmaxForm form :
       {SoftmaxForm::Online, SoftmaxForm::TwoPhaseReload, SoftmaxForm::TwoPhaseResident})
    if (name == getFormName(form))
      return form;
  return std::nullopt;
}

namespace {
struct DecomposeSoftmax : attn::impl::DecomposeSoftmaxPassBase<DecomposeSoftmax> {
  using DecomposeSoftmaxPassBase::DecomposeSoftmaxPassBase;

  void runOnOperation() override {
    std::optional<SoftmaxForm> forced = parseForm(form);
    if (!forced && form != "auto") {
      getOperation().emitError() << "unknown softmax form '" << form
                                 << "'; known: auto, online, two-phase-resident, two-phase-reload";
      return signalPassFailure();
    }
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels)
      if (failed(verifySoftmaxUses(kernel)) ||
          failed(rewriteSoftmax(kernel, forced.value_or(SoftmaxForm::Online))))
        return signalPassFailure();
  }
};
} // namespace
