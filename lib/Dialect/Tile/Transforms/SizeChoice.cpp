// Applies chosen sizes, stages and strips to a kernel (tile stage).
#include "attn/Dialect/Tile/Transforms/SizeChoice.h"
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Dialect/Tile/Transforms/StripMine.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// The next strip is loaded while one is computed: strips are short, so waiting for each would cost
/// more than they gain.
static constexpr int64_t stripStages = 2;

GroupChoice tile::getGroupChoice(GroupAttr group) {
  return {group.getPreload(),   group.getLag(),  group.getSlots(),
          group.getStripRows(), group.getPart(), group.getRunOn()};
}

GroupAttr tile::getGroup(MLIRContext *context, const GroupChoice &choice) {
  return GroupAttr::get(context, choice.preload, choice.lag, choice.slots, choice.stripRows,
                        choice.part, choice.runOn);
}

SizeChoice tile::getSizeChoice(ChoiceAttr choice) {
  SizeChoice sizes;
  for (NamedAttribute size : choice.getSizes())
    sizes.sizes.push_back({size.getName(), cast<IntegerAttr>(size.getValue()).getInt()});
  sizes.gridStages = choice.getGridStages();
  sizes.maxRangeStages = choice.getRangeStages();
  sizes.stripColumns = choice.getStripColumns();
  if (DenseBoolArrayAttr keep = choice.getKeep())
    llvm::append_range(sizes.keep, keep.asArrayRef());
  if (GroupAttr group = choice.getGroup())
    sizes.group = getGroupChoice(group);
  sizes.order = choice.getOrder();
  return sizes;
}

static DictionaryAttr getDictionary(MLIRContext *context, ArrayRef<BoundSize> sizes) {
  NamedAttrList named;
  for (const BoundSize &bound : sizes)
    named.set(bound.symbol, Builder(context).getI64IntegerAttr(bound.size));
  return named.getDictionary(context);
}

ChoiceAttr tile::getChoice(MLIRContext *context, StringAttr band, StringAttr softmax,
                           const SizeChoice &sizes) {
  auto keep =
      sizes.keep.empty() ? DenseBoolArrayAttr() : DenseBoolArrayAttr::get(context, sizes.keep);
  return ChoiceAttr::get(context, band, softmax, getDictionary(context, sizes.sizes),
                         sizes.gridStages, sizes.maxRangeStages, sizes.stripColumns, keep,
                         sizes.group ? getGroup(context, *sizes.group) : GroupAttr(), sizes.order);
}

Attribute tile::bindDim(Attribute dim, ArrayRef<BoundSize> sizes) {
  auto sum = dyn_cast<SumAttr>(dim);
  for (const BoundSize &bound : sizes)
    if ((sum ? sum.getSymbol() : dim) == bound.symbol)
      return getDim(dim.getContext(), bound.size + (sum ? sum.getMore() : 0));
  return dim;
}

TileType tile::bindType(TileType type, ArrayRef<BoundSize> sizes) {
  return TileType::get(type.getContext(), bindDim(type.getRows(), sizes),
                       bindDim(type.getCols(), sizes), type.getElementType());
}

SpanType tile::bindType(SpanType type, ArrayRef<BoundSize> sizes) {
  return SpanType::get(type.getContext(), bindDim(type.getSize(), sizes), type.getFilled(),
                       type.getMapped(), type.getListed());
}

void tile::bindSizes(func::FuncOp function, ArrayRef<BoundSize> sizes) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](TileType type) { return bindType(type, sizes); });
  replacer.addReplacement([&](SpanType type) { return bindType(type, sizes); });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/false, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  function.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op); range && range.getBlock())
      range.setBlockAttr(bindDim(*range.getBlock(), sizes));
    if (Attribute edge = op->getAttr(cutName))
      op->setAttr(cutName, bindDim(edge, sizes));
    if (auto size = dyn_cast<SizeOp>(op))
      size.setDimAttr(bindDim(size.getDim(), sizes));
    if (auto grid = dyn_cast<GridOp>(op))
      grid.setBlocksAttr(ArrayAttr::get(op->getContext(),
                                        llvm::map_to_vector(grid.getBlocks(), [&](Attribute dim) {
                                          return bindDim(dim, sizes);
                                        })));
  });
}

int64_t tile::getRowWidth(func::FuncOp kernel) {
  int64_t width = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<TileType>(type))
        if (auto cols = dyn_cast<IntegerAttr>(tile.getCols()))
          width = std::max(width, cols.getInt());
  });
  return width;
}

/// Binds the sizes of a kernel and notes them for the caller.
static void bindKernel(func::FuncOp kernel, ArrayRef<BoundSize> sizes) {
  bindSizes(kernel, sizes);
  kernel->setAttr(launch::sizesName, getDictionary(kernel.getContext(), sizes));
  kernel->removeAttr("tile.symbols");
}

static void limitStages(func::FuncOp kernel, const SizeChoice &choice) {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<RangeOp>(op))
      range.setStages(range.getParallel()
                          ? choice.gridStages
                          : std::min<int64_t>(range.getStages(), choice.maxRangeStages));
    if (auto grid = dyn_cast<GridOp>(op))
      grid.setStages(choice.gridStages);
  });
}

bool tile::applySizes(func::FuncOp kernel, const SizeChoice &choice) {
  // Columns may be symbols: rows are as wide as before sizes are bound.
  int64_t width = choice.stripColumns ? getRowWidth(kernel) : 0;
  bindKernel(kernel, choice.sizes);
  limitStages(kernel, choice);
  if (choice.group)
    kernel->setAttr(groupName, getGroup(kernel.getContext(), *choice.group));
  if (!choice.stripColumns)
    return true;
  std::string reason;
  std::optional<StripPlan> plan = StripPlan::create(kernel, width, choice.keep, reason);
  if (plan)
    stripMine(kernel, *plan, choice.stripColumns, stripStages);
  return plan.has_value();
}
