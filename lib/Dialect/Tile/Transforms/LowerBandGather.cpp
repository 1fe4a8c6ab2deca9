// tile-lower-band-gather: chooses how the rows of bands come into local memory and rewrites the
// bands into tiles (first pass of the tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "attn/Dialect/Tile/Transforms/GridClamping.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/TileFitting.h"
#include "attn/Machine/Chip.h"

namespace attn {
#define GEN_PASS_DEF_LOWERBANDGATHERPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// A copy of the kernel with its bands in one form and its grids clamped, ready to be fitted.
static FailureOr<OwningOpRef<func::FuncOp>> makeTrial(func::FuncOp kernel, BandForm form) {
  OwningOpRef<func::FuncOp> copy(kernel.clone());
  if (failed(rewriteBands(*copy, form)) || failed(clampGrids(*copy)))
    return failure();
  return copy;
}

static FailureOr<bool> fitsHalo(func::FuncOp kernel, const Chip &chip) {
  FailureOr<OwningOpRef<func::FuncOp>> trial = makeTrial(kernel, BandForm::Halo);
  if (failed(trial))
    return failure();
  TileFitter fitter(**trial, chip);
  if (failed(fitter.verify()))
    return failure();
  return fitter.fitsWhole();
}

/// What a kernel would cost in one form; none where it does not fit.
static FailureOr<std::optional<CostEstimate>> tryForm(func::FuncOp kernel, BandForm form,
                                                      const Chip &chip) {
  FailureOr<OwningOpRef<func::FuncOp>> trial = makeTrial(kernel, form);
  if (failed(trial))
    return failure();
  TileFitter fitter(**trial, chip);
  if (failed(fitter.verify()))
    return failure();
  FailureOr<std::optional<Fitting>> best = fitter.findBest();
  if (failed(best))
    return failure();
  return *best ? std::optional((*best)->cost) : std::nullopt;
}

/// The form that fits and takes the least time; says which and why. Where windows fit, no form
/// that reads their rows once per slot can be better.
static FailureOr<BandForm> chooseForm(func::FuncOp kernel, Operation *first, const Chip &chip) {
  if (chip.isHost)
    return BandForm::Halo;
  bool hasStates = kernel.walk([](SoftmaxInitOp) { return WalkResult::interrupt(); })
                       .wasInterrupted(); // their memory is not known yet
  FailureOr<bool> fits = hasStates || !canGather(kernel) ? true : fitsHalo(kernel, chip);
  if (failed(fits))
    return failure();
  if (*fits) {
    emitRemark(first->getLoc()) << "bands take the form halo: each window is read once";
    return BandForm::Halo;
  }
  BandForm best = BandForm::Halo;
  std::optional<CostEstimate> bestCost;
  std::string estimates;
  llvm::raw_string_ostream text(estimates);
  for (BandForm form : {BandForm::Halo, BandForm::Gathered}) {
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
    if (!bestCost || (*cost)->cycles < bestCost->cycles) {
      best = form;
      bestCost = **cost;
    }
  }
  emitRemark(first->getLoc()) << "bands take the form " << getFormName(best)
                              << " (estimates for one core" << estimates << ")";
  return best;
}

/// The rows that a band op has slots for.
static Attribute getBandRows(Operation *op) {
  if (auto mask = dyn_cast<BandMaskOp>(op); mask && mask.getTransposed())
    return mask.getResult().getType().getCols();
  Value band = isa<BandMixOp, BandSpreadOp>(op) ? op->getOperand(0) : op->getResult(0);
  return cast<TileType>(band.getType()).getRows();
}

/// Slots lie in rows of the tile that a band becomes, and a row starts at a block of local memory.
/// A tile of one column has no such rows: a band takes two rows or more.
static LogicalResult requireTwoRows(func::FuncOp kernel, ArrayRef<Operation *> bandOps) {
  constexpr int64_t fewest = 2;
  auto symbols = kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
  NamedAttrList ranges(symbols);
  for (Operation *op : bandOps) {
    Attribute rows = getBandRows(op);
    auto number = dyn_cast<IntegerAttr>(rows);
    auto symbol = dyn_cast<StringAttr>(rows);
    auto range = symbols && symbol ? symbols.getAs<AutoAttr>(symbol) : AutoAttr();
    if ((number && number.getInt() < fewest) || (range && range.getHi() < fewest))
      return op->emitOpError("has a single row; a band takes at least two rows of a tile");
    if (range && range.getLo() < fewest)
      ranges.set(symbol, AutoAttr::get(op->getContext(), fewest, range.getHi()));
  }
  if (symbols)
    kernel->setAttr("tile.symbols", ranges.getDictionary(kernel.getContext()));
  return success();
}

namespace {
struct LowerBandGather : attn::impl::LowerBandGatherPassBase<LowerBandGather> {
  using LowerBandGatherPassBase::LowerBandGatherPassBase;

  void runOnOperation() override {
    if (!llvm::is_contained({"auto", "halo", "gathered", "cube"}, form)) {
      getOperation().emitError() << "unknown band form '" << form
                                 << "'; known: auto, halo, gathered, cube";
      return signalPassFailure();
    }
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels)
      if (failed(lower(kernel, *chip)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(func::FuncOp kernel, const Chip &chip) {
    SmallVector<Operation *> bandOps = getBandOps(kernel);
    if (bandOps.empty())
      return success();
    if (failed(requireTwoRows(kernel, bandOps)))
      return failure();
    FailureOr<BandForm> chosen = getForm(kernel, bandOps.front(), chip);
    return failure(failed(chosen) || failed(rewriteBands(kernel, *chosen)));
  }

  FailureOr<BandForm> getForm(func::FuncOp kernel, Operation *first, const Chip &chip) {
    if (form == "cube")
      return first->emitOpError("cannot take the form cube: bands are computed by vector units; "
                                "take halo or gathered");
    if (form == "gathered" && !canGather(kernel))
      return first->emitOpError("cannot take the form gathered: no window of the kernel is loaded "
                                "through a span with missing rows");
    if (form == "auto")
      return chooseForm(kernel, first, chip);
    return form == "halo" ? BandForm::Halo : BandForm::Gathered;
  }
};
} // namespace
