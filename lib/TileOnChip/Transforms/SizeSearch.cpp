// Finds sizes, stages and strips with which a kernel fits local memory (tile on the chip).
#include "attn/TileOnChip/Transforms/SizeSearch.h"
#include "TrialCopy.h"
#include "attn/Dialect/Tile/Transforms/Phases.h"
#include "attn/TileOnChip/CoreAssignment.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"
#include <set>

#define DEBUG_TYPE "tile-choose"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

std::string onchip::describe(const SizeChoice &choice) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(choice.sizes, stream, [&](const BoundSize &bound) {
    stream << bound.symbol.getValue() << " = " << bound.size;
  });
  if (choice.stripColumns)
    stream << (text.empty() ? "" : ", ") << "strips of " << choice.stripColumns << " columns";
  return text.empty() ? "its fixed sizes" : text;
}

SmallVector<MemoryUse> Fitting::getMemoryUse() const {
  SmallVector<MemoryUse> uses;
  for (const auto &assigned : functions)
    for (const MemoryUse &use : assigned->buffers.getMemoryUse()) {
      auto *other =
          llvm::find_if(uses, [&](const MemoryUse &of) { return of.memory == use.memory; });
      if (other == uses.end())
        uses.push_back(use);
      else
        other->bytes = std::max(other->bytes, use.bytes);
    }
  return uses;
}

bool Fitting::fits(const Chip &chip) const {
  return llvm::all_of(functions,
                      [&](const auto &assigned) { return assigned->buffers.fits(chip); });
}

//===----------------------------------------------------------------------===//
// One choice
//===----------------------------------------------------------------------===//

/// A copy of the kernel with its sizes, or none where it cannot be computed in strips that way.
OwningOpRef<func::FuncOp> SizeSearch::bind(const SizeChoice &choice) {
  OwningOpRef<func::FuncOp> copy(space.kernel.clone());
  if (!applySizes(*copy, choice))
    return {};
  // Sweeps may compute the same part again; those are joined later, and then live from
  // one walk to the next.
  if (choice.stripColumns) {
    IRRewriter rewriter(space.kernel.getContext());
    DominanceInfo dominance(*copy);
    eliminateCommonSubExpressions(rewriter, dominance, *copy);
  }
  return copy;
}

/// Assigns buffers and, where they fit, estimates the cost.
FailureOr<SizeSearch::Part> SizeSearch::assign(OwningOpRef<func::FuncOp> function) {
  FailureOr<BufferAssignment> buffers = BufferAssignment::create(*function, space.model);
  if (failed(buffers))
    return failure();
  CostEstimate cost;
  if (isRecorded || buffers->fits(space.model.getChip()))
    cost = estimateCost(*function, space.model, buffers->getPlacement());
  return Part{std::make_shared<const AssignedFunction>(
                  AssignedFunction{std::move(function), std::move(*buffers)}),
              cost};
}

SizeSearch::Result SizeSearch::apply(const SizeChoice &choice) {
  return choice.group ? applySplit(choice) : applyWhole(choice);
}

SizeSearch::Result SizeSearch::applyWhole(const SizeChoice &choice) {
  OwningOpRef<func::FuncOp> copy = bind(choice);
  if (!copy)
    return std::optional<Fitting>();
  FailureOr<Part> whole = assign(std::move(copy));
  if (failed(whole))
    return failure();
  return std::optional<Fitting>({choice, {whole->assigned}, whole->cost});
}

ChoiceAttr SizeSearch::makeKey(const SizeChoice &choice) const {
  return getChoice(func::FuncOp(space.kernel).getContext(), /*band=*/{}, /*softmax=*/{}, choice);
}

/// Whatever rows strips have.
ChoiceAttr SizeSearch::makeSplitKey(SizeChoice choice) const {
  choice.group->stripRows = 0;
  return makeKey(choice);
}

/// Whatever strips of rows and lag vector cores have: cube cores keep as much, and as much however
/// far they run ahead, if they do.
ChoiceAttr SizeSearch::makeCubeKey(SizeChoice choice) const {
  choice.group->lag = 0;
  choice.group->preload = std::min<int64_t>(choice.group->preload, 1);
  return makeSplitKey(choice);
}

/// Assigns the buffers of the phases that will be kernels of one kind of cores: those are not
/// split, so that each of their cores has all rows of a tile.
LogicalResult SizeSearch::assignPhases(func::FuncOp kernel, SmallVectorImpl<Part> &phases) {
  int64_t meetings = space.launchesPhases ? countMeetings(kernel) : 0;
  for (int64_t number = 0; meetings > 0 && number <= meetings; ++number) {
    OwningOpRef<func::FuncOp> phase(kernel.clone());
    if (failed(keepPhase(*phase, number)))
      return failure();
    if (CoreAssignment(*phase).usesBoth())
      continue;
    FailureOr<Part> assigned = assign(std::move(phase));
    if (failed(assigned))
      return failure();
    phases.push_back(std::move(*assigned));
  }
  return success();
}

/// Splits the kernel, which needs both kinds of cores: halves run at once.
SizeSearch::Result SizeSearch::applySplit(const SizeChoice &choice) {
  ChoiceAttr key = makeSplitKey(choice);
  if (!lastSplit || lastSplit->choice != key) {
    lastSplit.reset();
    OwningOpRef<func::FuncOp> copy = bind(choice);
    if (!copy)
      return std::optional<Fitting>();
    SmallVector<Part, 1> phases;
    if (failed(assignPhases(*copy, phases)))
      return failure();
    FailureOr<OwningOpRef<func::FuncOp>> cube = makeHalves(*copy, space.model, *choice.group);
    if (failed(cube))
      return failure();
    FailureOr<Part> cubeHalf = assign(std::move(*cube));
    if (failed(cubeHalf))
      return failure();
    lastSplit = SplitKernel{key, std::move(copy), std::move(*cubeHalf), std::move(phases)};
  }
  OwningOpRef<func::FuncOp> vector(lastSplit->vectorHalf.get().clone());
  finishVectorHalf(*vector, *choice.group);
  FailureOr<Part> vectorHalf = assign(std::move(vector));
  if (failed(vectorHalf))
    return failure();
  const Part &cubeHalf = lastSplit->cubeHalf;
  CostEstimate cost = joinHalves(vectorHalf->cost, cubeHalf.cost, CostModel(space.model.getChip()));
  for (const std::unique_ptr<ChoiceAxis> &axis : axes)
    cost.cycles *= axis->getSlowdown(choice);
  Fitting fitting{choice, {vectorHalf->assigned}, cost};
  for (const Part &phase : lastSplit->phases)
    fitting.functions.push_back(phase.assigned);
  fitting.functions.push_back(cubeHalf.assigned);
  return std::optional<Fitting>(std::move(fitting));
}

/// The choice without what makes no difference to the memory it takes: sizes that are not those of
/// tiles, and strips that cut nothing.
ChoiceAttr SizeSearch::getFootprint(SizeChoice choice) const {
  if (choice.group && lastSplit && lastSplit->choice == makeSplitKey(choice) &&
      !cutsRows(lastSplit->vectorHalf.get(), choice.group->stripRows))
    choice.group->stripRows = 0;
  for (BoundSize &bound : choice.sizes)
    if (!space.tileSymbols.contains(bound.symbol))
      bound.size = 0;
  return makeKey(choice);
}

/// Whether vector cores of a group seem to have no room for a choice, by what others took. That is
/// an estimate: it orders what is tried and refuses nothing.
bool SizeSearch::isTooLarge(const SizeChoice &choice) const {
  return choice.group && llvm::any_of(tooLarge, [&](auto &other) {
           return space.getLeastBytes(choice, other.first, other.second) >
                  space.model.getChip().getUsableBytes(tileMemory);
         });
}

void SizeSearch::noteTooLarge(const Fitting &fitting) {
  int64_t bytes = fitting.functions.front()->buffers.getBytes(tileMemory);
  if (fitting.choice.group && bytes > space.model.getChip().getUsableBytes(tileMemory))
    tooLarge.emplace_back(fitting.choice, bytes);
}

/// The choice applied, or none where it does not fit.
FailureOr<std::optional<Fitting>> SizeSearch::fit(const SizeChoice &choice) {
  if (!isRecorded && (refused.contains(getFootprint(choice)) ||
                      (choice.group && refusedCubes.contains(makeCubeKey(choice)))))
    return std::optional<Fitting>();
  FailureOr<std::optional<Fitting>> fitting = apply(choice);
  if (failed(fitting) || !*fitting)
    return fitting;
  bool isFitting = (*fitting)->fits(space.model.getChip());
  LLVM_DEBUG(llvm::dbgs() << space.kernel.getName() << ": " << describe(choice) << ", stages "
                          << choice.gridStages << " and " << choice.maxRangeStages << ": "
                          << (*fitting)->functions.front()->buffers.getBytes(tileMemory) << " bytes"
                          << (isFitting ? "" : ", too many") << ", " << (*fitting)->cost.cycles
                          << " cycles\n");
  if (onAlternative)
    (*fitting)->alternative = onAlternative(**fitting);
  if (!isFitting) {
    refused.insert(getFootprint(choice));
    // Strips of rows are those of the vector half, which is the first.
    if (choice.group && llvm::any_of(llvm::drop_begin((*fitting)->functions), [&](auto &assigned) {
          return !assigned->buffers.fits(space.model.getChip());
        }))
      refusedCubes.insert(makeCubeKey(choice));
    noteTooLarge(**fitting);
    fitting->reset();
  }
  return fitting;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

SizeSearch::Result SizeSearch::search(Axes undecided, const SizeChoice &choice) {
  if (undecided.empty())
    return fit(choice);
  ChoiceAxis *axis = undecided.front().get();
  Axes after = undecided.drop_front();
  switch (axis->getRule(choice)) {
  case AxisRule::First:
    return findFirst(after, axis->getCandidates(choice));
  case AxisRule::Best:
    return findFastest(after, axis->getCandidates(choice), axis);
  case AxisRule::BestByEstimate:
    return findFastestByEstimate(after, axis->getCandidates(choice));
  case AxisRule::Widest:
    return findWidest(after, axis->getCandidates(choice));
  case AxisRule::FewestBytes:
    return findFewestBytes(undecided, choice);
  }
  llvm_unreachable("all rules are handled");
}

SizeSearch::Result SizeSearch::findFirst(Axes after, const Choices &candidates) {
  for (const SizeChoice &candidate : candidates) {
    Result found = search(after, candidate);
    if (failed(found) || *found)
      return found;
  }
  return std::optional<Fitting>();
}

/// Without an `axis`, no candidate is covered by another.
SizeSearch::Result SizeSearch::findFastest(Axes after, const Choices &candidates,
                                           const ChoiceAxis *axis) {
  std::optional<Fitting> best;
  Choices fitting;
  for (const SizeChoice &candidate : candidates) {
    if (axis && llvm::any_of(fitting, [&](const SizeChoice &other) {
          return axis->isCovered(candidate, other);
        }))
      continue;
    Result found = search(after, candidate);
    if (failed(found))
      return failure();
    if (!*found)
      continue;
    fitting.push_back((*found)->choice);
    if (!best || (*found)->cost.cycles < best->cost.cycles)
      best = std::move(*found);
  }
  return best;
}

SizeSearch::Result SizeSearch::findFastestByEstimate(Axes after, const Choices &candidates) {
  TrialCopy trial(space);
  // Of equals the first is preferred.
  std::set<std::pair<double, size_t>> open;
  SmallVector<size_t> known(candidates.size()); // what was too large when it was estimated
  auto estimate = [&](size_t number) {
    Choices choices = expandFastest(after, candidates[number]);
    // With fewer stages the last may fit nevertheless.
    SizeChoice last = choices.back();
    llvm::erase_if(choices, [&](const SizeChoice &choice) { return isTooLarge(choice); });
    known[number] = tooLarge.size();
    FailureOr<double> cycles = trial.getLeastCycles(choices.empty() ? Choices{last} : choices);
    if (succeeded(cycles))
      open.emplace(*cycles, number);
    return LogicalResult(cycles);
  };
  for (size_t number = 0; number < candidates.size(); ++number)
    if (failed(estimate(number)))
      return failure();
  std::optional<Fitting> best;
  while (!open.empty() && (!best || best->cost.cycles > open.begin()->first)) {
    size_t number = open.extract(open.begin()).value().second;
    // What did not fit meanwhile may leave it slower choices only.
    if (known[number] != tooLarge.size()) {
      if (failed(estimate(number)))
        return failure();
      continue;
    }
    Result found = search(after, candidates[number]);
    if (failed(found))
      return failure();
    if (*found && (!best || (*found)->cost.cycles < best->cost.cycles))
      best = std::move(*found);
  }
  return best;
}

SizeSearch::Result SizeSearch::findWidest(Axes after, const Choices &candidates) {
  std::optional<Fitting> widest;
  size_t low = 0, high = candidates.size(); // what fits is below `high`
  while (low < high) {
    size_t middle = (low + high) / 2;
    Result found = search(after, candidates[middle]);
    if (failed(found))
      return failure();
    if (*found) {
      widest = std::move(*found);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return widest;
}

SizeSearch::Result SizeSearch::findFewestBytes(Axes undecided, const SizeChoice &choice) {
  Choices candidates = {choice};
  while (!undecided.empty() && undecided.front()->getRule(choice) == AxisRule::FewestBytes) {
    Choices longer;
    for (const SizeChoice &candidate : candidates)
      llvm::append_range(longer, undecided.front()->getCandidates(candidate));
    candidates = std::move(longer);
    undecided = undecided.drop_front();
  }
  constexpr double nearlyEqual = 1.02;
  double fewest = std::numeric_limits<double>::max();
  SmallVector<std::pair<double, SizeChoice>> fitting;
  for (const SizeChoice &candidate : candidates) {
    Result least = findFirst(/*after=*/{}, expandLeast(undecided, candidate));
    if (failed(least))
      return failure();
    if (!*least)
      continue;
    fitting.push_back({(*least)->cost.gmBytes, candidate});
    fewest = std::min(fewest, fitting.back().first);
  }
  Choices rivals;
  for (auto &[gmBytes, candidate] : fitting)
    if (gmBytes <= fewest * nearlyEqual)
      rivals.push_back(std::move(candidate));
  return findFastest(undecided, rivals, /*axis=*/nullptr);
}

/// The choices that may be the fastest of all that begin with `choice`.
SizeSearch::Choices SizeSearch::expandFastest(Axes undecided, const SizeChoice &choice) {
  Choices choices = {choice};
  for (const std::unique_ptr<ChoiceAxis> &axis : undecided) {
    Choices longer;
    for (const SizeChoice &before : choices)
      llvm::append_range(longer, axis->getFastest(before));
    choices = std::move(longer);
  }
  return choices;
}

/// The choices that may need the least memory of all that begin with `choice`.
SizeSearch::Choices SizeSearch::expandLeast(Axes undecided, const SizeChoice &choice) {
  Choices choices = {choice};
  for (const std::unique_ptr<ChoiceAxis> &axis : undecided) {
    Choices longer;
    for (const SizeChoice &before : choices)
      llvm::append_range(longer, axis->getLeast(before));
    choices = std::move(longer);
  }
  return choices;
}

//===----------------------------------------------------------------------===//
// Other questions
//===----------------------------------------------------------------------===//

FailureOr<bool> SizeSearch::fitsWhole() {
  // Rows are whole where the first axis says nothing else.
  Result found = apply(expandLeast(Axes(axes).drop_front(), {}).front());
  if (failed(found))
    return failure();
  return (*found)->fits(space.model.getChip());
}

FailureOr<std::optional<Fitting>> SizeSearch::findLargest() {
  for (ArrayRef<BoundSize> sizes : space.enumerateSizes())
    for (SizeChoice &choice : expandLeast(axes, {})) {
      choice.sizes.assign(sizes.begin(), sizes.end());
      Result found = fit(choice);
      if (failed(found) || *found)
        return found;
    }
  return std::optional<Fitting>();
}

FailureOr<std::optional<Fitting>> SizeSearch::findSmallest() {
  std::optional<Fitting> smallest;
  for (const SizeChoice &choice : expandLeast(axes, {})) {
    Result found = apply(choice);
    if (failed(found))
      return failure();
    auto getBytes = [](const Fitting &fitting) {
      return fitting.functions.front()->buffers.getBytes(tileMemory);
    };
    if (*found && (!smallest || getBytes(**found) < getBytes(*smallest)))
      smallest = std::move(*found);
  }
  return smallest;
}

/// Sizes for the products of a kernel on the host, by symbol: rows of the left operand so that a
/// copy of them fits the second cache beside the panels of the right one, of which one fits the
/// first.
static llvm::MapVector<StringAttr, int64_t> getProductSizes(func::FuncOp kernel) {
  constexpr int64_t rows = 192, inner = 256, cols = 256;
  llvm::MapVector<StringAttr, int64_t> sizes;
  auto limit = [&](Attribute dim, int64_t most) {
    auto sum = dyn_cast<SumAttr>(dim);
    if (auto symbol = sum ? sum.getSymbol() : dyn_cast<StringAttr>(dim)) {
      auto [known, isNew] = sizes.insert({symbol, most});
      known->second = std::min(known->second, most);
    }
  };
  kernel.walk([&](DotOp dot) {
    limit(dot.getLeftRows(), rows);
    limit(dot.getLeftInner(), inner);
    limit(dot.getRightCols(), cols);
  });
  return sizes;
}

/// Of the sizes that a symbol may take, the largest that is not above `most`, or else the smallest.
static int64_t getNearest(ArrayRef<SmallVector<BoundSize>> choices, StringAttr symbol,
                          int64_t most) {
  int64_t below = 0, smallest = std::numeric_limits<int64_t>::max();
  for (const SmallVector<BoundSize> &sizes : choices)
    for (const BoundSize &bound : sizes)
      if (bound.symbol == symbol) {
        smallest = std::min(smallest, bound.size);
        below = bound.size <= most ? std::max(below, bound.size) : below;
      }
  return below ? below : smallest;
}

/// Leaves the choices in which products have the sizes that are good for them.
static void keepProductSizes(func::FuncOp kernel, SmallVector<SmallVector<BoundSize>> &choices) {
  for (auto [symbol, most] : getProductSizes(kernel)) {
    int64_t size = getNearest(choices, symbol, most);
    llvm::erase_if(choices, [&, symbol = symbol](const SmallVector<BoundSize> &sizes) {
      return llvm::any_of(sizes, [&](const BoundSize &bound) {
        return bound.symbol == symbol && bound.size != size;
      });
    });
  }
}

SizeChoice SizeSearch::chooseForHost() {
  // Enough elements that loops and calls do not count; more would only leave the cache.
  constexpr int64_t enoughElements = 2048;
  auto getRows = [&](ArrayRef<BoundSize> sizes) {
    int64_t rows = 1;
    for (const BoundSize &bound : sizes)
      if (space.tileSymbols.contains(bound.symbol))
        rows = llvm::SaturatingMultiply<uint64_t>(rows, bound.size);
    return rows;
  };
  int64_t enoughRows = llvm::divideCeil(enoughElements, std::max<int64_t>(space.width, 1));
  SizeChoice choice;
  choice.maxRangeStages = space.askedStages;
  // Sizes come from large to small; what takes no memory stays at its largest.
  SmallVector<SmallVector<BoundSize>> choices = space.enumerateSizes();
  keepProductSizes(space.kernel, choices);
  for (SmallVector<BoundSize> &sizes : choices)
    if (choice.sizes.empty() ||
        (getRows(sizes) >= enoughRows && getRows(sizes) < getRows(choice.sizes)))
      choice.sizes = std::move(sizes);
  return choice;
}
