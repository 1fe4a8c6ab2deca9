// The axes of the search over sizes, stages and strips (tile on the chip).
#include "attn/TileOnChip/Transforms/ChoiceAxis.h"
#include "GroupAxis.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/StripPlan.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Groups.h"
#include "attn/TileOnChip/CoreAssignment.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// What can be chosen
//===----------------------------------------------------------------------===//

SearchSpace::SearchSpace(func::FuncOp kernel, const Chip &chip, ArrayRef<BoundSize> given,
                         int64_t strips)
    : kernel(kernel), model(chip, kernel), given(given), strips(strips),
      isOnCube(hasProducts(kernel) && !chip.isHost),
      isMixed(isOnCube && CoreAssignment(kernel).usesBoth()),
      // Fractals are not cut into strips.
      width(isOnCube ? 0 : getRowWidth(kernel)) {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op); range && !range.getParallel())
      askedStages = std::max<int64_t>(askedStages, range.getStages());
    if (auto dot = dyn_cast<DotOp>(op); dot && isMixed)
      dot.getLeftRows().walk([&](StringAttr symbol) { sharedSymbols.insert(symbol); });
    if (auto range = dyn_cast<RangeOp>(op); range && isMixed)
      for (Value carried : range.getCarried())
        if (auto type = dyn_cast<TileType>(carried.getType()))
          carriedTypes.insert(type);
    bool isTurned = !chip.isHost && isa<TransposeOp>(op) &&
                    !cast<TileType>(op->getResult(0).getType()).getElementType().isF32();
    for (Type type : op->getResultTypes())
      if (isa<TileType>(type))
        type.walk([&](StringAttr symbol) {
          tileSymbols.insert(symbol);
          if (isTurned)
            turnedSymbols.insert(symbol);
        });
  });
}

/// The sizes a symbol may take, from large to small: both ends of its range, the powers of two
/// between, and half-way between these where that is still a multiple of eight.
static SmallVector<int64_t> enumerateSizesOf(AutoAttr range) {
  constexpr int64_t smallestHalfway = 24;
  int64_t highest = std::min(range.getHi(), SearchSpace::maxRows);
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

SmallVector<SmallVector<BoundSize>> SearchSpace::enumerateSizes() const {
  SmallVector<SmallVector<BoundSize>> choices = {{}};
  auto symbols = func::FuncOp(kernel)->getAttrOfType<DictionaryAttr>("tile.symbols");
  for (NamedAttribute symbol : symbols ? symbols.getValue() : ArrayRef<NamedAttribute>()) {
    StringAttr name = symbol.getName();
    const auto *fixed = llvm::find_if(given, [&](auto &bound) { return bound.symbol == name; });
    SmallVector<int64_t> sizes = fixed != given.end()
                                     ? SmallVector<int64_t>{fixed->size}
                                     : enumerateSizesOf(cast<AutoAttr>(symbol.getValue()));
    // Fractals are whole, so that other sizes only compute with padding, and squares are turned
    // over as a whole.
    auto isInFractals = [](int64_t size) { return size % architecture::fractalRows == 0; };
    if ((isOnCube || turnedSymbols.contains(name)) && llvm::any_of(sizes, isInFractals))
      llvm::erase_if(sizes, [&](int64_t size) { return !isInFractals(size); });
    SmallVector<SmallVector<BoundSize>> longer;
    for (const SmallVector<BoundSize> &choice : choices)
      for (int64_t size : sizes)
        longer.emplace_back(choice).push_back({name, size});
    choices = std::move(longer);
  }
  return choices;
}

SmallVector<int64_t> SearchSpace::enumerateStrips() const {
  if (mustHaveStrips())
    return {strips};
  SmallVector<int64_t> widths;
  for (int64_t columns = getMinStripColumns(); columns < width; columns *= 2)
    widths.push_back(columns);
  return widths;
}

const std::optional<SmallVector<Value>> &SearchSpace::findKeepableRows() {
  if (!hasLookedForRows && width > getMinStripColumns())
    keepableRows = StripPlan::findCandidates(kernel, width, reasonAgainstStrips);
  hasLookedForRows = true;
  return keepableRows;
}

/// A vector core has half of the rows.
int64_t SearchSpace::getHalf(int64_t rows) const {
  return llvm::alignTo(llvm::divideCeil(rows, vectorCoresPerGroup),
                       architecture::getElementsPerBlock(/*elementBytes=*/4));
}

SmallVector<BoundSize> SearchSpace::getStripSizes(const SizeChoice &choice) const {
  int64_t strip = choice.group->stripRows;
  SmallVector<BoundSize> sizes = choice.sizes;
  for (BoundSize &bound : sizes)
    if (sharedSymbols.contains(bound.symbol)) {
      int64_t half = getHalf(bound.size);
      // Strips have equally many rows, or there are none.
      bound.size = strip && half % strip == 0 ? strip : half;
    }
  return sizes;
}

double SearchSpace::countStrips(const SizeChoice &choice) const {
  double strips = 1, shared = 0;
  for (auto [strip, whole] : llvm::zip_equal(getStripSizes(choice), choice.sizes))
    if (sharedSymbols.contains(whole.symbol)) {
      strips *= static_cast<double>(getHalf(whole.size)) / strip.size;
      ++shared;
    }
  // Rows that are a number are those of both cores.
  return shared ? strips : 1.0 / vectorCoresPerGroup;
}

/// What has the rows of a vector core as a whole, however it is computed: what loops carry. Columns
/// also wait in a stack for late work, and are computed beside the last.
int64_t SearchSpace::getKeptBytes(const SizeChoice &choice) const {
  int64_t bytes = 0;
  for (TileType type : carriedTypes) {
    TileType bound = bindType(type, choice.sizes);
    int64_t copies = bound.getColCount() == 1 ? choice.group->lag + 3 : 1;
    bytes += copies * getHalf(bound.getRowCount()) * bound.getColCount() * getElementBytes(bound);
  }
  return bytes;
}

int64_t SearchSpace::getLeastBytes(const SizeChoice &choice, const SizeChoice &other,
                                   int64_t bytes) const {
  auto isInStripsOfRows = [&](const SizeChoice &of) {
    return llvm::any_of(llvm::zip_equal(getStripSizes(of), of.sizes), [&](auto pair) {
      auto [strip, whole] = pair;
      return strip.size < whole.size && strip.size < getHalf(whole.size);
    });
  };
  // Without strips other tiles are alive together.
  if (isInStripsOfRows(choice) != isInStripsOfRows(other) || choice.gridStages < other.gridStages ||
      choice.maxRangeStages < other.maxRangeStages || choice.group->lag < other.group->lag)
    return 0;
  // No tile becomes smaller by more than its sizes.
  double inStrips = bytes - getKeptBytes(other);
  for (auto [mine, its] : llvm::zip_equal(getStripSizes(choice), getStripSizes(other)))
    inStrips *= std::min(1.0, static_cast<double>(mine.size) / its.size);
  return getKeptBytes(choice) + static_cast<int64_t>(inStrips);
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static bool isInStrips(const SizeChoice &choice) { return choice.stripColumns != 0; }

namespace {

/// Whole rows, or else strips, which compute or move some values several times.
class RowsAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    Choices choices = getLeast(choice);
    if (space.mustHaveStrips())
      choices.erase(choices.begin());
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override {
    Choices choices = {choice};
    if (SmallVector<int64_t> widths = space.enumerateStrips(); !widths.empty())
      choices.emplace_back(choice).stripColumns = widths.front();
    return choices;
  }

  AxisRule getRule(const SizeChoice &) const override { return AxisRule::First; }
};

class SizesAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    Choices choices;
    // Where a kernel is split, its tiles become parts of products and strips of rows.
    bool isCut = isInStrips(choice) || space.isMixed;
    for (SmallVector<BoundSize> &sizes : space.enumerateSizes())
      if (isCut || space.fits(getLargestTileBytes(sizes)))
        choices.emplace_back(choice).sizes = std::move(sizes);
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override {
    Choices choices = {choice};
    choices.front().sizes = space.enumerateSizes().back();
    return choices;
  }

  AxisRule getRule(const SizeChoice &choice) const override {
    if (space.isOnCube)
      return AxisRule::BestByEstimate;
    return isInStrips(choice) ? AxisRule::FewestBytes : AxisRule::Best;
  }

  /// Sizes below others that are double-buffered throughout only cost more instructions for the
  /// same rows.
  bool isCovered(const SizeChoice &candidate, const SizeChoice &fitting) const override {
    // The sizes of a product decide which pipe has the most to do.
    return !space.isOnCube && fitting.gridStages == 2 &&
           fitting.maxRangeStages == space.askedStages &&
           llvm::all_of(llvm::zip_equal(candidate.sizes, fitting.sizes), [&](auto pair) {
             auto [mine, its] = pair;
             return space.tileSymbols.contains(mine.symbol) ? mine.size <= its.size
                                                            : mine.size == its.size;
           });
  }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    for (const BoundSize &bound : choice.sizes)
      columns.emplace_back(bound.symbol.str(), std::to_string(bound.size));
  }

private:
  /// No choice of these sizes with whole rows needs less: the bytes of the largest tile.
  int64_t getLargestTileBytes(ArrayRef<BoundSize> sizes) {
    if (tileTypes.empty())
      space.kernel.walk([&](Operation *op) {
        // A splat may be a scalar operand and have no bytes at all.
        if (!isa<SplatOp>(op))
          for (Type type : op->getResultTypes())
            if (auto tile = dyn_cast<TileType>(type))
              tileTypes.insert(tile);
      });
    int64_t largest = 0;
    for (TileType type : tileTypes)
      largest = std::max(largest, space.model.getBufferBytes(bindType(type, sizes)));
    return largest;
  }

  llvm::SmallSetVector<TileType, 16> tileTypes; // that take bytes
};

/// Which rows strips keep whole, so that they need neither be computed again nor be spilled.
class KeptRowsAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    Choices choices = getLeast(choice);
    llvm::erase_if(choices,
                   [&](const SizeChoice &kept) { return !space.fits(getKeptBytes(kept)); });
    return choices;
  }

  /// A row that is not kept may take more, for what it is computed from.
  Choices getLeast(const SizeChoice &choice) override {
    if (!isInStrips(choice))
      return {choice};
    const std::optional<SmallVector<Value>> &rows = space.findKeepableRows();
    Choices choices;
    for (unsigned bits = 0; rows && bits < (1u << rows->size()); ++bits) {
      SizeChoice &kept = choices.emplace_back(choice);
      for (size_t number = 0; number < rows->size(); ++number)
        kept.keep.push_back((bits >> number) & 1);
    }
    return choices;
  }

  AxisRule getRule(const SizeChoice &choice) const override {
    return isInStrips(choice) ? AxisRule::FewestBytes : AxisRule::First;
  }

private:
  int64_t getKeptBytes(const SizeChoice &choice) {
    int64_t bytes = 0;
    for (auto [number, isKept] : llvm::enumerate(choice.keep)) {
      auto type = cast<TileType>((*space.findKeepableRows())[number].getType());
      bytes += isKept ? space.model.getBufferBytes(bindType(type, choice.sizes)) : 0;
    }
    return bytes;
  }
};

/// How far loads run ahead: with whole rows more is never slower, strips are narrower for it.
class StagesAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    if (isInStrips(choice))
      return {with(choice, 1, space.askedStages), with(choice, 1, 1)};
    Choices choices = {with(choice, 2, space.askedStages)};
    for (int64_t stages = space.askedStages; stages > 0; --stages)
      choices.push_back(with(choice, 1, stages));
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override { return {with(choice, 1, 1)}; }

  Choices getFastest(const SizeChoice &choice) override {
    Choices choices = getCandidates(choice);
    if (!isInStrips(choice))
      choices.truncate(1);
    return choices;
  }

  AxisRule getRule(const SizeChoice &choice) const override {
    return isInStrips(choice) ? AxisRule::Best : AxisRule::First;
  }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    columns.emplace_back("grid stages", std::to_string(choice.gridStages));
    columns.emplace_back("loop stages", std::to_string(choice.maxRangeStages));
  }

private:
  static SizeChoice with(SizeChoice choice, int64_t gridStages, int64_t rangeStages) {
    choice.gridStages = gridStages;
    choice.maxRangeStages = rangeStages;
    return choice;
  }
};

class StripColumnsAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    if (!isInStrips(choice))
      return {choice};
    Choices choices;
    for (int64_t columns : space.enumerateStrips())
      choices.emplace_back(choice).stripColumns = columns;
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override { return {getCandidates(choice).front()}; }

  AxisRule getRule(const SizeChoice &) const override { return AxisRule::Widest; }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    columns.emplace_back("strips",
                         isInStrips(choice) ? std::to_string(choice.stripColumns) : "whole rows");
  }
};

/// In which order cores take the tiles of a matrix of products. Of the orders the one is taken with
/// which all cores together read the fewest bytes at a time: what several of them read comes from
/// L2, the rest from HBM where L2 does not hold the matrices.
class OrderAxis : public ChoiceAxis {
public:
  explicit OrderAxis(SearchSpace &space) : ChoiceAxis(space) {
    if (space.isOnCube && !space.isMixed)
      space.kernel.walk([&](LoadOp load) { add(load); });
  }

  Choices getCandidates(const SizeChoice &choice) override {
    Choices choices = {choice};
    if (isOpen())
      choices.front().order = space.givenOrder ? *space.givenOrder : findBest(choice);
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override { return {choice}; }

  AxisRule getRule(const SizeChoice &) const override { return AxisRule::First; }

  /// The estimate does not know of L2.
  Choices getFastest(const SizeChoice &choice) override { return {choice}; }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    if (!isOpen())
      return;
    columns.emplace_back("order", choice.order ? "bands of " + std::to_string(choice.order)
                                               : std::string("shares"));
    columns.emplace_back("read at a time", std::to_string(getBytesAtATime(choice, choice.order)));
  }

private:
  bool isOpen() const { return !ofRows.empty() && !ofCols.empty(); }

  /// Which axis of the grid a span runs along, where the grid has two: its share is counted row by
  /// row.
  static std::optional<int64_t> getAxis(Value span) {
    auto make = span.getDefiningOp<MakeSpanOp>();
    auto base = make ? make.getBase().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    Operation *index = base ? base.getLhs().getDefiningOp() : nullptr;
    if (!isa_and_present<arith::DivUIOp, arith::RemUIOp>(index))
      return std::nullopt;
    auto linear = dyn_cast<BlockArgument>(index->getOperand(0));
    auto share = linear ? dyn_cast<RangeOp>(linear.getOwner()->getParentOp()) : RangeOp();
    if (!share || !share.getParallel())
      return std::nullopt;
    return isa<arith::DivUIOp>(index) ? 0 : 1;
  }

  void add(LoadOp load) {
    bool isAlong[2] = {};
    for (Value index : load.getIndices())
      if (std::optional<int64_t> axis = getAxis(index))
        isAlong[*axis] = true;
    if (isAlong[0] != isAlong[1])
      (isAlong[0] ? ofRows : ofCols).push_back(load.getResult().getType());
  }

  int64_t getBytesAtATime(const SizeChoice &choice, int64_t order) const {
    auto getBytes = [&](ArrayRef<TileType> types) {
      int64_t bytes = 0;
      for (TileType type : types) {
        TileType bound = bindType(type, choice.sizes);
        bytes += bound.getRowCount() * bound.getColCount() * getElementBytes(bound);
      }
      return bytes;
    };
    int64_t cores = space.model.getChip().cubeCores;
    int64_t rows = order ? std::min(order, cores) : cores;
    int64_t cols = order ? llvm::divideCeil(cores, rows) : cores;
    return rows * getBytes(ofRows) + cols * getBytes(ofCols);
  }

  int64_t findBest(const SizeChoice &choice) const {
    int64_t best = 0;
    // Of equals the higher: bands are gone through more seldom.
    for (int64_t order = 1; order <= space.model.getChip().cubeCores; order *= 2)
      if (getBytesAtATime(choice, order) <= getBytesAtATime(choice, best))
        best = order;
    return best;
  }

  /// The tiles that are loaded for every row of tiles, and for every column.
  SmallVector<TileType> ofRows, ofCols;
};

} // namespace

SmallVector<std::unique_ptr<ChoiceAxis>> onchip::getChoiceAxes(SearchSpace &space) {
  SmallVector<std::unique_ptr<ChoiceAxis>> axes;
  axes.push_back(std::make_unique<RowsAxis>(space));
  axes.push_back(std::make_unique<SizesAxis>(space));
  axes.push_back(std::make_unique<KeptRowsAxis>(space));
  axes.push_back(std::make_unique<StagesAxis>(space));
  axes.push_back(std::make_unique<StripColumnsAxis>(space));
  axes.push_back(std::make_unique<OrderAxis>(space));
  addGroupAxes(space, axes);
  return axes;
}
