// tile-decompose-softmax: chooses a form for a kernel's softmax states and rewrites them (tile
// stage).
#include "attn/Dialect/Tile/Transforms/GridClamping.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"
#include "attn/Dialect/Tile/Transforms/TileFitting.h"
#include "attn/Machine/Chip.h"

namespace attn {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static constexpr SoftmaxForm allForms[] = {SoftmaxForm::Online, SoftmaxForm::TwoPhaseReload,
                                           SoftmaxForm::TwoPhaseResident};

static std::optional<SoftmaxForm> parseForm(StringRef name) {
  for (SoftmaxForm form : allForms)
    if (name == getFormName(form))
      return form;
  return std::nullopt;
}

/// A copy of the kernel in one form, as tile-fit-tiles will see it; null after an error.
static OwningOpRef<func::FuncOp> copyInForm(func::FuncOp kernel, SoftmaxForm form) {
  OwningOpRef<func::FuncOp> copy(kernel.clone());
  if (failed(rewriteSoftmax(*copy, form)) || failed(clampGrids(*copy)))
    return {};
  return copy;
}

/// What a kernel would cost in one form; none where it does not fit.
static FailureOr<std::optional<CostEstimate>> tryForm(func::FuncOp kernel, SoftmaxForm form,
                                                      const Chip &chip) {
  OwningOpRef<func::FuncOp> copy = copyInForm(kernel, form);
  if (!copy)
    return failure();
  TileFitter fitter(*copy, chip);
  if (failed(fitter.verify()))
    return failure();
  FailureOr<std::optional<Fitting>> best = fitter.findBest();
  if (failed(best))
    return failure();
  return *best ? std::optional((*best)->cost) : std::nullopt;
}

/// Whether the online form fits in whole rows. Then it reads every value once, and no form that
/// reads them again needs to be looked at.
static FailureOr<bool> fitsOnline(func::FuncOp kernel, const Chip &chip) {
  OwningOpRef<func::FuncOp> copy = copyInForm(kernel, SoftmaxForm::Online);
  if (!copy)
    return failure();
  TileFitter fitter(*copy, chip);
  if (failed(fitter.verify()))
    return failure();
  return fitter.fitsWhole();
}

/// The form that moves the fewest bytes, among nearly equals the fastest; says which and why.
static FailureOr<SoftmaxForm> chooseForm(func::FuncOp kernel, ArrayRef<SoftmaxInitOp> inits,
                                         const Chip &chip) {
  if (chip.isHost)
    return SoftmaxForm::Online;
  SoftmaxInitOp first = inits.front();
  auto isPossible = [&](SoftmaxForm form) {
    std::string reason;
    return form == SoftmaxForm::Online || llvm::all_of(inits, [&](SoftmaxInitOp init) {
             return matchSoftmaxLoop(init, form, reason).has_value();
           });
  };
  FailureOr<bool> online = fitsOnline(kernel, chip);
  if (failed(online))
    return failure();
  if (*online && !isPossible(SoftmaxForm::TwoPhaseResident)) {
    emitRemark(first.getLoc()) << "softmax takes the form online: its values are read once";
    return SoftmaxForm::Online;
  }
  SoftmaxForm best =
      isPossible(SoftmaxForm::TwoPhaseReload) ? SoftmaxForm::TwoPhaseReload : SoftmaxForm::Online;
  std::optional<CostEstimate> bestCost;
  std::string estimates;
  llvm::raw_string_ostream text(estimates);
  constexpr double nearlyEqual = 1.02;
  for (SoftmaxForm form : allForms) {
    if (!isPossible(form) || (*online && form == SoftmaxForm::TwoPhaseReload))
      continue;
    FailureOr<std::optional<CostEstimate>> cost = tryForm(kernel, form, chip);
    if (failed(cost))
      return failure();
    text << "; " << getFormName(form) << ": ";
    if (!*cost) {
      text << "does not fit";
      continue;
    }
    text << static_cast<int64_t>((*cost)->gmBytes) << " bytes, "
         << static_cast<int64_t>((*cost)->cycles) << " cycles";
    bool isBetter =
        !bestCost || (*cost)->gmBytes * nearlyEqual < bestCost->gmBytes ||
        ((*cost)->gmBytes < bestCost->gmBytes * nearlyEqual && (*cost)->cycles < bestCost->cycles);
    if (isBetter) {
      best = form;
      bestCost = **cost;
    }
  }
  emitRemark(first.getLoc()) << "softmax takes the form " << getFormName(best)
                             << " (estimates for one core" << estimates << ")";
  return best;
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
      if (failed(decompose(kernel, forced, *chip)))
        return signalPassFailure();
  }

private:
  static LogicalResult decompose(func::FuncOp kernel, std::optional<SoftmaxForm> forced,
                                 const Chip &chip) {
    if (failed(verifySoftmaxUses(kernel)))
      return failure();
    SmallVector<SoftmaxInitOp> inits;
    kernel.walk([&](SoftmaxInitOp init) { inits.push_back(init); });
    if (inits.empty())
      return success();
    FailureOr<SoftmaxForm> form = forced ? *forced : chooseForm(kernel, inits, chip);
    return failure(failed(form) || failed(rewriteSoftmax(kernel, *form)));
  }
};
} // namespace
