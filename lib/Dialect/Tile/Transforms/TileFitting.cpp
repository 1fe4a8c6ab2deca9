// Finds sizes, stages and strips with which a kernel fits local memory (tile stage).
#include "attn/Dialect/Tile/Transforms/TileFitting.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "attn/Dialect/Tile/Transforms/StripMine.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// The next strip is loaded while one is computed: strips are short, so waiting for each would cost
/// more than they gain.
static constexpr int64_t stripStages = 2;

std::string tile::describe(const FitChoice &choice) {
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
// Binding
//===----------------------------------------------------------------------===//

static Attribute bindDim(Attribute dim, ArrayRef<BoundSize> sizes) {
  auto sum = dyn_cast<SumAttr>(dim);
  for (const BoundSize &bound : sizes)
    if ((sum ? sum.getSymbol() : dim) == bound.symbol)
      return getDim(dim.getContext(), bound.size + (sum ? sum.getMore() : 0));
  return dim;
}

static TileType bindType(TileType type, ArrayRef<BoundSize> sizes) {
  return TileType::get(type.getContext(), bindDim(type.getRows(), sizes),
                       bindDim(type.getCols(), sizes), type.getElementType());
}

void tile::bindSizes(func::FuncOp function, ArrayRef<BoundSize> sizes) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](TileType type) { return bindType(type, sizes); });
  replacer.addReplacement([&](SpanType type) {
    return SpanType::get(type.getContext(), bindDim(type.getSize(), sizes), type.getFilled(),
                         type.getMapped());
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/false, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  function.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op); range && range.getBlock())
      range.setBlockAttr(bindDim(*range.getBlock(), sizes));
    if (auto size = dyn_cast<SizeOp>(op))
      size.setDimAttr(bindDim(size.getDim(), sizes));
    if (auto grid = dyn_cast<GridOp>(op))
      grid.setBlocksAttr(ArrayAttr::get(op->getContext(),
                                        llvm::map_to_vector(grid.getBlocks(), [&](Attribute dim) {
                                          return bindDim(dim, sizes);
                                        })));
  });
}

/// Binds the sizes of a kernel and notes them for the caller.
static void bindKernel(func::FuncOp kernel, ArrayRef<BoundSize> sizes) {
  bindSizes(kernel, sizes);
  Builder builder(kernel.getContext());
  NamedAttrList chosen;
  for (const BoundSize &bound : sizes)
    chosen.set(bound.symbol, builder.getI64IntegerAttr(bound.size));
  kernel->setAttr(launch::sizesName, chosen.getDictionary(kernel.getContext()));
  kernel->removeAttr("tile.symbols");
}

static void limitStages(func::FuncOp kernel, const FitChoice &choice) {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op))
      range.setStages(range.getParallel()
                          ? choice.gridStages
                          : std::min<int64_t>(range.getStages(), choice.maxRangeStages));
    if (auto grid = dyn_cast<GridOp>(op))
      grid.setStages(choice.gridStages);
  });
}

//===----------------------------------------------------------------------===//
// What can be chosen
//===----------------------------------------------------------------------===//

TileFitter::TileFitter(func::FuncOp kernel, const Chip &chip, ArrayRef<BoundSize> given,
                       int64_t strips)
    : kernel(kernel), chip(chip), given(given), strips(strips) {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op); range && !range.getParallel())
      askedStages = std::max<int64_t>(askedStages, range.getStages());
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<TileType>(type);
      if (!tile)
        continue;
      if (auto cols = dyn_cast<IntegerAttr>(tile.getCols()))
        width = std::max(width, cols.getInt());
      tile.walk([&](StringAttr symbol) { tileSymbols.insert(symbol); });
    }
  });
}

/// The sizes a symbol may take, from large to small: both ends of its range, the powers of two
/// between, and half-way between these where that is still a multiple of eight.
static SmallVector<int64_t> enumerateSizes(AutoAttr range) {
  constexpr int64_t smallestHalfway = 24;
  int64_t highest = std::min(range.getHi(), TileFitter::maxRows);
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

SmallVector<SmallVector<BoundSize>> TileFitter::enumerateSizes() {
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

SmallVector<SmallVector<bool>> TileFitter::enumerateKeeps() {
  SmallVector<SmallVector<bool>> keeps;
  for (unsigned bits = 0; bits < (1u << candidates.size()); ++bits) {
    SmallVector<bool> &keep = keeps.emplace_back();
    for (size_t number = 0; number < candidates.size(); ++number)
      keep.push_back((bits >> number) & 1);
  }
  return keeps;
}

/// No choice of these sizes needs less: the bytes of the largest tile.
int64_t TileFitter::getLargestTileBytes(ArrayRef<BoundSize> sizes) {
  int64_t largest = 0;
  kernel.walk([&](Operation *op) {
    // A splat may be a scalar operand and have no bytes at all.
    if (isa<SplatOp>(op))
      return;
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<TileType>(type))
        largest = std::max(largest, getBufferBytes(bindType(tile, sizes)));
  });
  return largest;
}

int64_t TileFitter::getKeptBytes(ArrayRef<BoundSize> sizes, ArrayRef<bool> keep) {
  int64_t bytes = 0;
  for (auto [row, isKept] : llvm::zip_equal(candidates, keep))
    if (isKept)
      bytes += getBufferBytes(bindType(cast<TileType>(row.getType()), sizes));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

FailureOr<std::optional<Fitting>> TileFitter::apply(const FitChoice &choice) {
  OwningOpRef<func::FuncOp> copy(kernel.clone());
  bindKernel(*copy, choice.sizes);
  limitStages(*copy, choice);
  if (choice.stripColumns) {
    std::string reason;
    std::optional<StripPlan> plan = StripPlan::create(*copy, width, choice.keep, reason);
    if (!plan)
      return std::optional<Fitting>();
    stripMine(*copy, *plan, choice.stripColumns, stripStages);
  }
  FailureOr<BufferAssignment> buffers = BufferAssignment::create(*copy);
  if (failed(buffers))
    return failure();
  int64_t bytes = buffers->getPackedBytes();
  CostEstimate cost = estimateCost(*copy, chip);
  return std::optional<Fitting>(Fitting{choice, std::move(copy), std::move(*buffers), bytes, cost});
}

/// The choice applied, or none where it does not fit.
FailureOr<std::optional<Fitting>> TileFitter::fit(const FitChoice &choice) {
  FailureOr<std::optional<Fitting>> fitting = apply(choice);
  if (failed(fitting) || !*fitting)
    return fitting;
  if (onAlternative)
    onAlternative(**fitting);
  if ((*fitting)->bytes > chip.getUsableBytes(LocalMemory::UB))
    fitting->reset();
  return fitting;
}

/// Whether no size of `sizes` is larger than that of `other`, and what takes no memory is equal.
bool TileFitter::isCovered(ArrayRef<BoundSize> sizes, ArrayRef<BoundSize> other) const {
  return llvm::all_of(llvm::zip_equal(sizes, other), [&](auto pair) {
    auto [mine, its] = pair;
    return tileSymbols.contains(mine.symbol) ? mine.size <= its.size : mine.size == its.size;
  });
}

FailureOr<std::optional<Fitting>> TileFitter::findWhole() {
  std::optional<Fitting> best;
  // Sizes below these, which are double-buffered throughout, only cost more instructions for the
  // same rows.
  SmallVector<SmallVector<BoundSize>> overlapped;
  for (ArrayRef<BoundSize> sizes : enumerateSizes()) {
    auto covers = [&](ArrayRef<BoundSize> other) { return isCovered(sizes, other); };
    if (getLargestTileBytes(sizes) > chip.getUsableBytes(LocalMemory::UB) ||
        llvm::any_of(overlapped, covers))
      continue;
    FailureOr<std::optional<Fitting>> fitting = findStages(sizes);
    if (failed(fitting))
      return failure();
    if (!*fitting)
      continue;
    const FitChoice &choice = (*fitting)->choice;
    if (choice.gridStages == 2 && choice.maxRangeStages == askedStages)
      overlapped.push_back(choice.sizes);
    if (!best || (*fitting)->cost.cycles < best->cost.cycles)
      best = std::move(*fitting);
  }
  return best;
}

/// The most stages that fit with these sizes: more are never slower.
FailureOr<std::optional<Fitting>> TileFitter::findStages(ArrayRef<BoundSize> sizes) {
  FitChoice choice;
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
SmallVector<int64_t> TileFitter::enumerateStrips() const {
  if (mustHaveStrips())
    return {strips};
  SmallVector<int64_t> widths;
  for (int64_t columns = minStripColumns; columns < width; columns *= 2)
    widths.push_back(columns);
  return widths;
}

/// The widest strips that fit, with the sizes and kept rows of `narrowest`, which fits.
FailureOr<std::optional<Fitting>> TileFitter::widenStrips(const FitChoice &narrowest) {
  SmallVector<int64_t> widths = enumerateStrips();
  std::optional<Fitting> best;
  for (int64_t stages : {askedStages, int64_t(1)}) {
    size_t low = 0, high = widths.size(); // what fits is below `high`
    std::optional<Fitting> widest;
    while (low < high) {
      size_t middle = (low + high) / 2;
      FitChoice choice = narrowest;
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

FailureOr<std::optional<Fitting>> TileFitter::findStrips() {
  SmallVector<std::pair<double, FitChoice>> fitting;
  for (ArrayRef<BoundSize> sizes : enumerateSizes())
    for (ArrayRef<bool> keep : enumerateKeeps()) {
      if (getKeptBytes(sizes, keep) > chip.getUsableBytes(LocalMemory::UB))
        continue;
      FitChoice choice;
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
bool TileFitter::prepareStrips(std::string &reason) {
  std::optional<SmallVector<Value>> rows;
  if (width > minStripColumns)
    rows = StripPlan::findCandidates(kernel, width, reason);
  if (rows)
    candidates = std::move(*rows);
  return rows.has_value();
}

FailureOr<std::optional<Fitting>> TileFitter::findBest() {
  std::string reason;
  if (!mustHaveStrips()) {
    FailureOr<std::optional<Fitting>> best = findWhole();
    if (failed(best) || *best || !prepareStrips(reason))
      return best;
  }
  return findStrips();
}

FitChoice TileFitter::getSmallestChoice() {
  FitChoice choice;
  choice.sizes = enumerateSizes().back();
  choice.maxRangeStages = 1;
  return choice;
}

FailureOr<bool> TileFitter::fitsWhole() {
  FitChoice choice = getSmallestChoice();
  if (getLargestTileBytes(choice.sizes) > chip.getUsableBytes(LocalMemory::UB))
    return false;
  FailureOr<std::optional<Fitting>> fitting = apply(choice);
  if (failed(fitting))
    return failure();
  return (*fitting)->bytes <= chip.getUsableBytes(LocalMemory::UB);
}

FailureOr<std::optional<Fitting>> TileFitter::findLargest() {
  std::string reason;
  bool hasStrips = prepareStrips(reason);
  for (ArrayRef<BoundSize> sizes : enumerateSizes()) {
    FitChoice choice;
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

FailureOr<std::optional<Fitting>> TileFitter::findSmallest() {
  FitChoice choice = getSmallestChoice();
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
    if (*other && (*other)->bytes < (*smallest)->bytes)
      *smallest = std::move(*other);
  }
  return smallest;
}

FitChoice TileFitter::chooseForHost() {
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
  FitChoice choice;
  choice.maxRangeStages = askedStages;
  // Sizes come from large to small; what takes no memory stays at its largest.
  for (SmallVector<BoundSize> &sizes : enumerateSizes())
    if (choice.sizes.empty() ||
        (getRows(sizes) >= enoughRows && getRows(sizes) < getRows(choice.sizes)))
      choice.sizes = std::move(sizes);
  return choice;
}
