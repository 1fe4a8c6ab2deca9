// Finds sizes, stages and strips with which a kernel fits local memory (tile on the chip).
#include "attn/TileOnChip/Transforms/SizeSearch.h"
#include "attn/Dialect/Tile/Analysis/StripPlan.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/Debug.h"

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

//===----------------------------------------------------------------------===//
// What can be chosen
//===----------------------------------------------------------------------===//

SizeSearch::SizeSearch(func::FuncOp kernel, const Chip &chip, ArrayRef<BoundSize> given,
                       int64_t strips)
    : kernel(kernel), model(chip, kernel), given(given), strips(strips),
      width(getRowWidth(kernel)) {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op); range && !range.getParallel())
      askedStages = std::max<int64_t>(askedStages, range.getStages());
    for (Type type : op->getResultTypes())
      if (isa<TileType>(type))
        type.walk([&](StringAttr symbol) { tileSymbols.insert(symbol); });
  });
}

/// The sizes a symbol may take, from large to small: both ends of its range, the powers of two
/// between, and half-way between these where that is still a multiple of eight.
static SmallVector<int64_t> enumerateSizes(AutoAttr range) {
  constexpr int64_t smallestHalfway = 24;
  int64_t highest = std::min(range.getHi(), SizeSearch::maxRows);
  SmallVector<int64_t> sizes = {highest};
  for (int64_t size = llvm::bit_floor<uint64_t>(highest); size > range.getLo(); size /= 2) {
    int64_t halfway = size + size / 2;
    if (halfway >= smallestHalfway && halfway < highest)
      sizes.push_back(halfway);
    if (size < highest)
      sizes.push_back(size);
  }
  if (range.getLo() < highest)
    sizes.push_back(range.getLo());
  return sizes;
}

SmallVector<SmallVector<BoundSize>> SizeSearch::enumerateSizes() {
  SmallVector<SmallVector<BoundSize>> choices = {{}};
  auto symbols = kernel->getAttrOfType<DictionaryAttr>("tile.symbols");
  for (NamedAttribute symbol : symbols ? symbols.getValue() : ArrayRef<NamedAttribute>()) {
    StringAttr name = symbol.getName();
    const auto *fixed = llvm::find_if(given, [&](auto &bound) { return bound.symbol == name; });
    SmallVector<int64_t> sizes = fixed != given.end()
                                     ? SmallVector<int64_t>{fixed->size}
                                     : ::enumerateSizes(cast<AutoAttr>(symbol.getValue()));
    SmallVector<SmallVector<BoundSize>> longer;
    for (const SmallVector<BoundSize> &choice : choices)
      for (int64_t size : sizes)
        longer.emplace_back(choice).push_back({name, size});
    choices = std::move(longer);
  }
  return choices;
}

SmallVector<SmallVector<bool>> SizeSearch::enumerateKeeps() {
  SmallVector<SmallVector<bool>> keeps;
  for (unsigned bits = 0; bits < (1u << candidates.size()); ++bits) {
    SmallVector<bool> &keep = keeps.emplace_back();
    for (size_t number = 0; number < candidates.size(); ++number)
      keep.push_back((bits >> number) & 1);
  }
  return keeps;
}

/// No choice of these sizes needs less: the bytes of the largest tile.
int64_t SizeSearch::getLargestTileBytes(ArrayRef<BoundSize> sizes) {
  int64_t largest = 0;
  kernel.walk([&](Operation *op) {
    // A splat may be a scalar operand and have no bytes at all.
    if (isa<SplatOp>(op))
      return;
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<TileType>(type))
        largest = std::max(largest, model.getBufferBytes(bindType(tile, sizes)));
  });
  return largest;
}

int64_t SizeSearch::getKeptBytes(ArrayRef<BoundSize> sizes, ArrayRef<bool> keep) {
  int64_t bytes = 0;
  for (auto [row, isKept] : llvm::zip_equal(candidates, keep))
    if (isKept)
      bytes += model.getBufferBytes(bindType(cast<TileType>(row.getType()), sizes));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

FailureOr<std::optional<Fitting>> SizeSearch::apply(const SizeChoice &choice) {
  OwningOpRef<func::FuncOp> copy(kernel.clone());
  if (!applySizes(*copy, choice))
    return std::optional<Fitting>();
  // Sweeps may compute the same part again; those are joined later, and then live from
  // one walk to the next.
  if (choice.stripColumns) {
    IRRewriter rewriter(kernel.getContext());
    DominanceInfo dominance(*copy);
    eliminateCommonSubExpressions(rewriter, dominance, *copy);
  }
  FailureOr<BufferAssignment> buffers = BufferAssignment::create(*copy, model);
  if (failed(buffers))
    return failure();
  CostEstimate cost = estimateCost(*copy, model);
  return std::optional<Fitting>(Fitting{choice, std::move(copy), std::move(*buffers), cost});
}

/// The choice applied, or none where it does not fit.
FailureOr<std::optional<Fitting>> SizeSearch::fit(const SizeChoice &choice) {
  FailureOr<std::optional<Fitting>> fitting = apply(choice);
  if (failed(fitting) || !*fitting)
    return fitting;
  bool isFitting = (*fitting)->buffers.fits(model.getChip());
  LLVM_DEBUG(llvm::dbgs() << kernel.getName() << ": " << describe(choice) << ", stages "
                          << choice.gridStages << " and " << choice.maxRangeStages << ": "
                          << (*fitting)->buffers.getBytes(tileMemory) << " bytes"
                          << (isFitting ? "" : ", too many") << ", " << (*fitting)->cost.cycles
                          << " cycles\n");
  if (onAlternative)
    (*fitting)->alternative = onAlternative(**fitting);
  if (!isFitting)
    fitting->reset();
  return fitting;
}

/// Whether no size of `sizes` is larger than that of `other`, and what takes no memory is equal.
bool SizeSearch::isCovered(ArrayRef<BoundSize> sizes, ArrayRef<BoundSize> other) const {
  return llvm::all_of(llvm::zip_equal(sizes, other), [&](auto pair) {
    auto [mine, its] = pair;
    return tileSymbols.contains(mine.symbol) ? mine.size <= its.size : mine.size == its.size;
  });
}

FailureOr<std::optional<Fitting>> SizeSearch::findWhole() {
  std::optional<Fitting> best;
  // Sizes below these, which are double-buffered throughout, only cost more instructions for the
  // same rows.
  SmallVector<SmallVector<BoundSize>> overlapped;
  for (ArrayRef<BoundSize> sizes : enumerateSizes()) {
    auto covers = [&](ArrayRef<BoundSize> other) { return isCovered(sizes, other); };
    if (!fits(getLargestTileBytes(sizes)) || llvm::any_of(overlapped, covers))
      continue;
    FailureOr<std::optional<Fitting>> fitting = findStages(sizes);
    if (failed(fitting))
      return failure();
    if (!*fitting)
      continue;
    const SizeChoice &choice = (*fitting)->choice;
    if (choice.gridStages == 2 && choice.maxRangeStages == askedStages)
      overlapped.push_back(choice.sizes);
    if (!best || (*fitting)->cost.cycles < best->cost.cycles)
      best = std::move(*fitting);
  }
  return best;
}

/// The most stages that fit with these sizes: more are never slower.
FailureOr<std::optional<Fitting>> SizeSearch::findStages(ArrayRef<BoundSize> sizes) {
  SizeChoice choice;
  choice.sizes.assign(sizes.begin(), sizes.end());
  choice.gridStages = 2;
  choice.maxRangeStages = askedStages;
  while (true) {
    FailureOr<std::optional<Fitting>> fitting = fit(choice);
    if (failed(fitting) || *fitting)
      return fitting;
    if (choice.gridStages == 2)
      choice.gridStages = 1;
    else if (--choice.maxRangeStages == 0)
      return std::optional<Fitting>();
  }
}

/// The columns that strips may have, from narrow to wide.
SmallVector<int64_t> SizeSearch::enumerateStrips() const {
  if (mustHaveStrips())
    return {strips};
  SmallVector<int64_t> widths;
  for (int64_t columns = getMinStripColumns(); columns < width; columns *= 2)
    widths.push_back(columns);
  return widths;
}

/// The widest strips that fit, with the sizes and kept rows of `narrowest`, which fits.
FailureOr<std::optional<Fitting>> SizeSearch::widenStrips(const SizeChoice &narrowest) {
  SmallVector<int64_t> widths = enumerateStrips();
  std::optional<Fitting> best;
  for (int64_t stages : {askedStages, int64_t(1)}) {
    size_t low = 0, high = widths.size(); // what fits is below `high`
    std::optional<Fitting> widest;
    while (low < high) {
      size_t middle = (low + high) / 2;
      SizeChoice choice = narrowest;
      choice.maxRangeStages = stages;
      choice.stripColumns = widths[middle];
      FailureOr<std::optional<Fitting>> fitting = fit(choice);
      if (failed(fitting))
        return failure();
      if (*fitting) {
        widest = std::move(*fitting);
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (widest && (!best || widest->cost.cycles < best->cost.cycles))
      best = std::move(widest);
  }
  return best;
}

FailureOr<std::optional<Fitting>> SizeSearch::findStrips() {
  SmallVector<std::pair<double, SizeChoice>> fitting;
  for (ArrayRef<BoundSize> sizes : enumerateSizes())
    for (ArrayRef<bool> keep : enumerateKeeps()) {
      if (!fits(getKeptBytes(sizes, keep)))
        continue;
      SizeChoice choice;
      choice.sizes.assign(sizes.begin(), sizes.end());
      choice.keep.assign(keep.begin(), keep.end());
      choice.maxRangeStages = 1;
      choice.stripColumns = enumerateStrips().front();
      FailureOr<std::optional<Fitting>> narrowest = fit(choice);
      if (failed(narrowest))
        return failure();
      if (*narrowest)
        fitting.push_back({(*narrowest)->cost.gmBytes, choice});
    }
  // The fewest bytes; among nearly equals the fastest.
  constexpr double nearlyEqual = 1.02;
  double fewest = std::numeric_limits<double>::max();
  for (auto &[gmBytes, choice] : fitting)
    fewest = std::min(fewest, gmBytes);
  std::optional<Fitting> best;
  for (auto &[gmBytes, choice] : fitting) {
    if (gmBytes > fewest * nearlyEqual)
      continue;
    FailureOr<std::optional<Fitting>> widest = widenStrips(choice);
    if (failed(widest))
      return failure();
    if (*widest && (!best || (*widest)->cost.cycles < best->cost.cycles))
      best = std::move(*widest);
  }
  return best;
}

/// Finds out whether rows can be computed in strips, and which of them strips may keep.
bool SizeSearch::prepareStrips(std::string &reason) {
  std::optional<SmallVector<Value>> rows;
  if (width > getMinStripColumns())
    rows = StripPlan::findCandidates(kernel, width, reason);
  if (rows)
    candidates = std::move(*rows);
  return rows.has_value();
}

FailureOr<std::optional<Fitting>> SizeSearch::findBest() {
  std::string reason;
  if (!mustHaveStrips()) {
    FailureOr<std::optional<Fitting>> best = findWhole();
    if (failed(best) || *best || !prepareStrips(reason))
      return best;
  }
  return findStrips();
}

SizeChoice SizeSearch::getSmallestChoice() {
  SizeChoice choice;
  choice.sizes = enumerateSizes().back();
  choice.maxRangeStages = 1;
  return choice;
}

FailureOr<bool> SizeSearch::fitsWhole() {
  SizeChoice choice = getSmallestChoice();
  if (!fits(getLargestTileBytes(choice.sizes)))
    return false;
  FailureOr<std::optional<Fitting>> fitting = apply(choice);
  if (failed(fitting))
    return failure();
  return (*fitting)->buffers.fits(model.getChip());
}

FailureOr<std::optional<Fitting>> SizeSearch::findLargest() {
  std::string reason;
  bool hasStrips = prepareStrips(reason);
  for (ArrayRef<BoundSize> sizes : enumerateSizes()) {
    SizeChoice choice;
    choice.sizes.assign(sizes.begin(), sizes.end());
    choice.maxRangeStages = 1;
    if (!mustHaveStrips()) {
      FailureOr<std::optional<Fitting>> fitting = fit(choice);
      if (failed(fitting) || *fitting)
        return fitting;
    }
    for (size_t number = 0; hasStrips && number < (size_t(1) << candidates.size()); ++number) {
      choice.stripColumns = enumerateStrips().front();
      choice.keep = enumerateKeeps()[number];
      FailureOr<std::optional<Fitting>> fitting = fit(choice);
      if (failed(fitting) || *fitting)
        return fitting;
    }
  }
  return std::optional<Fitting>();
}

FailureOr<std::optional<Fitting>> SizeSearch::findSmallest() {
  SizeChoice choice = getSmallestChoice();
  FailureOr<std::optional<Fitting>> smallest = apply(choice);
  std::string reason;
  if (failed(smallest) || !prepareStrips(reason))
    return smallest;
  choice.stripColumns = enumerateStrips().front();
  for (ArrayRef<bool> keep : enumerateKeeps()) {
    choice.keep.assign(keep.begin(), keep.end());
    FailureOr<std::optional<Fitting>> other = apply(choice);
    if (failed(other))
      return failure();
    if (*other &&
        (*other)->buffers.getBytes(tileMemory) < (*smallest)->buffers.getBytes(tileMemory))
      *smallest = std::move(*other);
  }
  return smallest;
}

SizeChoice SizeSearch::chooseForHost() {
  // Enough elements that loops and calls do not count; more would only leave the cache.
  constexpr int64_t enoughElements = 2048;
  auto getRows = [&](ArrayRef<BoundSize> sizes) {
    int64_t rows = 1;
    for (const BoundSize &bound : sizes)
      if (tileSymbols.contains(bound.symbol))
        rows = llvm::SaturatingMultiply<uint64_t>(rows, bound.size);
    return rows;
  };
  int64_t enoughRows = llvm::divideCeil(enoughElements, std::max<int64_t>(width, 1));
  SizeChoice choice;
  choice.maxRangeStages = askedStages;
  // Sizes come from large to small; what takes no memory stays at its largest.
  for (SmallVector<BoundSize> &sizes : enumerateSizes())
    if (choice.sizes.empty() ||
        (getRows(sizes) >= enoughRows && getRows(sizes) < getRows(choice.sizes)))
      choice.sizes = std::move(sizes);
  return choice;
}
