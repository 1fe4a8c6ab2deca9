// The axes of the search over forms: bands and softmax states (tile on the chip).
#include "attn/TileOnChip/Transforms/FormAxis.h"
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

/// Windows that fit are read once; no form that reads their rows once per tap can be better.
class BandAxis : public FormAxis {
public:
  StringRef getName() const override { return "band"; }
  StringRef getSubject() const override { return "bands take"; }

  Operation *getQuestion(func::FuncOp kernel) const override {
    SmallVector<Operation *> bandOps = getBandOps(kernel);
    return bandOps.empty() ? nullptr : bandOps.front();
  }

  SmallVector<StringRef> getCandidates(func::FuncOp kernel) const override {
    SmallVector<StringRef> forms = {tile::getFormName(BandForm::Halo)};
    // Of a kernel with softmax states, the memory is not known yet.
    bool hasStates =
        kernel.walk([](SoftmaxInitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!hasStates && canGather(kernel))
      forms.push_back(tile::getFormName(BandForm::Gathered));
    return forms;
  }

  LogicalResult verify(func::FuncOp kernel, StringRef form) const override {
    return success(succeeded(getBandForm(kernel, form)));
  }

  LogicalResult apply(func::FuncOp kernel, StringRef form) const override {
    FailureOr<BandForm> chosen = getBandForm(kernel, form);
    return failure(failed(chosen) || failed(rewriteBands(kernel, *chosen, /*isHost=*/false)));
  }

  SmallVector<StringRef> getRivals(ArrayRef<StringRef> candidates) const override {
    return {candidates.front()};
  }
  StringRef getReason() const override { return "each window is read once"; }
  StringRef getFallback(ArrayRef<StringRef> candidates) const override {
    return candidates.front();
  }

  bool isBetter(const CostEstimate &cost, const CostEstimate &best) const override {
    return cost.cycles < best.cycles;
  }
};

/// The fewest bytes, among nearly equals the fastest.
class SoftmaxAxis : public FormAxis {
public:
  StringRef getName() const override { return "softmax"; }
  StringRef getSubject() const override { return "softmax takes"; }

  Operation *getQuestion(func::FuncOp kernel) const override {
    Operation *first = nullptr;
    kernel.walk([&](SoftmaxInitOp init) {
      first = init;
      return WalkResult::interrupt();
    });
    return first;
  }

  SmallVector<StringRef> getCandidates(func::FuncOp kernel) const override {
    SmallVector<StringRef> forms = {getFormName(SoftmaxForm::Online)};
    SmallVector<SoftmaxInitOp> inits;
    kernel.walk([&](SoftmaxInitOp init) { inits.push_back(init); });
    for (SoftmaxForm form : {SoftmaxForm::TwoPhaseReload, SoftmaxForm::TwoPhaseResident})
      if (llvm::all_of(inits, [&](SoftmaxInitOp init) {
            std::string reason;
            return matchSoftmaxLoop(init, form, reason).has_value();
          }))
        forms.push_back(getFormName(form));
    return forms;
  }

  LogicalResult verify(func::FuncOp kernel, StringRef form) const override {
    if (getSoftmaxForm(form))
      return success();
    return kernel.emitError() << "unknown softmax form '" << form
                              << "'; known: auto, online, two-phase-resident, two-phase-reload";
  }

  LogicalResult apply(func::FuncOp kernel, StringRef form) const override {
    return rewriteSoftmax(kernel, *getSoftmaxForm(form));
  }

  /// Online reads every value once: a form that reads them again is not a rival.
  SmallVector<StringRef> getRivals(ArrayRef<StringRef> candidates) const override {
    return llvm::filter_to_vector(candidates, [](StringRef form) {
      return form != getFormName(SoftmaxForm::TwoPhaseReload);
    });
  }
  StringRef getReason() const override { return "its values are read once"; }
  /// Where nothing fits, reloading needs the least memory.
  StringRef getFallback(ArrayRef<StringRef> candidates) const override {
    StringRef reload = getFormName(SoftmaxForm::TwoPhaseReload);
    return llvm::is_contained(candidates, reload) ? reload : candidates.front();
  }

  bool isBetter(const CostEstimate &cost, const CostEstimate &best) const override {
    constexpr double nearlyEqual = 1.02;
    return cost.gmBytes * nearlyEqual < best.gmBytes ||
           (cost.gmBytes < best.gmBytes * nearlyEqual && cost.cycles < best.cycles);
  }
};

} // namespace

SmallVector<std::unique_ptr<FormAxis>> onchip::getFormAxes() {
  SmallVector<std::unique_ptr<FormAxis>> axes;
  axes.push_back(std::make_unique<BandAxis>());
  axes.push_back(std::make_unique<SoftmaxAxis>());
  return axes;
}
