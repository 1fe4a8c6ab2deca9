// One search over everything that is chosen for a kernel (tile on the chip).
#include "attn/TileOnChip/Transforms/KernelSearch.h"
#include "attn/Dialect/Tile/Transforms/ColumnFilling.h"
#include "attn/Dialect/Tile/Transforms/GridClamping.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tile-choose"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

LogicalResult KernelSearch::run() {
  OwningOpRef<func::FuncOp> current(kernel.clone());
  for (const std::unique_ptr<FormAxis> &axis : getFormAxes())
    if (failed(decide(*axis, *current)))
      return failure();
  return findSizes(*current);
}

/// Sizes as the author has fixed them, or free of that; rows of the record carry the forms.
std::unique_ptr<SizeSearch> KernelSearch::makeSizeSearch(func::FuncOp trial, bool isFree,
                                                         StringRef axis, StringRef form) {
  auto search = isFree ? std::make_unique<SizeSearch>(trial, chip)
                       : std::make_unique<SizeSearch>(trial, chip, options.sizes, options.strips);
  search->getSpace().givenGroup = options.group;
  search->getSpace().givenOrder = options.order;
  search->getSpace().launchesPhases = options.launchesPhases;
  SmallVector<std::pair<std::string, std::string>> decided;
  for (auto [decidedAxis, decidedForm] : forms)
    decided.emplace_back(decidedAxis.str(), decidedForm.str());
  if (!axis.empty())
    decided.emplace_back(axis.str(), form.str());
  search->isRecorded = options.isRecorded;
  search->onAlternative = [this, decided, axes = search->getAxes()](const Fitting &fitting) {
    ++tried;
    if (!options.isRecorded)
      return size_t(0);
    Alternative alternative;
    alternative.values = decided;
    for (const std::unique_ptr<ChoiceAxis> &axis : axes)
      axis->describe(fitting.choice, alternative.values);
    alternative.cost = fitting.cost;
    for (const MemoryUse &use : fitting.getMemoryUse()) {
      std::string name = getFacts(use.memory).name.upper();
      int64_t usable = chip.getUsableBytes(use.memory);
      alternative.bytes.emplace_back(name, use.bytes);
      if (use.bytes > usable)
        alternative.refused = name + " has " + std::to_string(usable) + " bytes";
    }
    return record.add(std::move(alternative));
  };
  return search;
}

FailureOr<KernelSearch::Trial> KernelSearch::makeTrial(func::FuncOp current, const FormAxis *axis,
                                                       StringRef form) {
  Trial trial;
  trial.kernel = OwningOpRef<func::FuncOp>(current.clone());
  if (axis && failed(axis->apply(*trial.kernel, form)))
    return failure();
  if (!chip.isHost)
    fillColumns(*trial.kernel);
  if (failed(clampGrids(*trial.kernel)))
    return failure();
  // What is counted must be what is lowered: equal loads are joined before.
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(*trial.kernel);
  eliminateCommonSubExpressions(rewriter, dominance, *trial.kernel);
  trial.sizes = makeSizeSearch(*trial.kernel, /*isFree=*/axis != nullptr,
                               axis ? axis->getName() : StringRef(), form);
  if (failed(trial.sizes->verify()))
    return failure();
  return trial;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Takes a form on one axis and applies it to `current`.
LogicalResult KernelSearch::decide(const FormAxis &axis, func::FuncOp current) {
  auto asked = options.forms.find(axis.getName());
  bool isOpen = asked == options.forms.end() || asked->second == "auto";
  if (!isOpen && failed(axis.verify(current, asked->second)))
    return failure();
  Operation *question = axis.getQuestion(current);
  if (!question)
    return success();
  settled.reset();
  FailureOr<StringRef> form = StringRef();
  if (isOpen)
    form = chooseForm(axis, current, question);
  else
    form = StringRef(asked->second);
  if (failed(form))
    return failure();
  LDBG() << kernel.getName() << ": " << axis.getName() << " takes the form " << *form;
  forms[axis.getName()] = StringAttr::get(kernel.getContext(), *form);
  return axis.apply(current, *form);
}

FailureOr<StringRef> KernelSearch::chooseForm(const FormAxis &axis, func::FuncOp current,
                                              Operation *question) {
  SmallVector<StringRef> candidates = axis.getCandidates(current);
  StringRef preferred = candidates.front();
  if (chip.isHost)
    return preferred;
  if (candidates.size() == 1) {
    emitRemark(question->getLoc())
        << axis.getSubject() << " the form " << preferred << ": no other is possible";
    return preferred;
  }
  FailureOr<Trial> trial = makeTrial(current, &axis, preferred);
  if (failed(trial))
    return failure();
  FailureOr<bool> fits = trial->sizes->fitsWhole();
  if (failed(fits))
    return failure();
  SmallVector<StringRef> rivals = *fits ? axis.getRivals(candidates) : candidates;
  if (rivals.size() == 1) {
    emitRemark(question->getLoc())
        << axis.getSubject() << " the form " << preferred << ": " << axis.getReason();
    settled = std::move(*trial);
    return preferred;
  }
  return compareForms(axis, current, rivals, axis.getFallback(candidates), question);
}

/// The best of the rivals that fit, with a remark on all of them.
FailureOr<StringRef> KernelSearch::compareForms(const FormAxis &axis, func::FuncOp current,
                                                ArrayRef<StringRef> rivals, StringRef fallback,
                                                Operation *question) {
  StringRef chosen = fallback;
  std::string estimates;
  llvm::raw_string_ostream text(estimates);
  for (StringRef form : rivals) {
    FailureOr<Trial> trial = makeTrial(current, &axis, form);
    if (failed(trial))
      return failure();
    FailureOr<std::optional<Fitting>> fitting = trial->sizes->findBest();
    if (failed(fitting))
      return failure();
    text << "; " << form << ": ";
    if (!*fitting) {
      text << "does not fit";
      continue;
    }
    const CostEstimate &cost = (*fitting)->cost;
    text << static_cast<int64_t>(cost.gmBytes) << " bytes, " << static_cast<int64_t>(cost.cycles)
         << " cycles";
    if (!settled || axis.isBetter(cost, settled->best->cost)) {
      chosen = form;
      trial->best = std::move(*fitting);
      settled = std::move(*trial);
    }
  }
  emitRemark(question->getLoc()) << axis.getSubject() << " the form " << chosen
                                 << " (estimates for one core" << estimates << ")";
  return chosen;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

LogicalResult KernelSearch::findSizes(func::FuncOp current) {
  // Forms are compared with free sizes; what was found then counts where nothing is fixed.
  bool isFixed = !options.sizes.empty() || options.strips != 0;
  if (!settled || isFixed) {
    FailureOr<Trial> trial = makeTrial(current, /*axis=*/nullptr, /*form=*/{});
    if (failed(trial))
      return failure();
    settled = std::move(*trial);
  }
  if (chip.isHost) {
    FailureOr<std::optional<Fitting>> fitting =
        settled->sizes->apply(settled->sizes->chooseForHost());
    if (failed(fitting))
      return failure();
    best = std::move(*fitting);
    return success();
  }
  if (!settled->best) {
    FailureOr<std::optional<Fitting>> fitting = settled->sizes->findBest();
    if (failed(fitting))
      return failure();
    settled->best = std::move(*fitting);
  }
  best = std::move(settled->best);
  if (best && options.isRecorded)
    record.take(best->alternative);
  return success();
}
