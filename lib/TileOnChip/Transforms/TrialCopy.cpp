// Estimates what choices of sizes cost on one copy of a kernel (tile on the chip).
#include "TrialCopy.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/CostEstimate.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

TrialCopy::TrialCopy(func::FuncOp kernel, const ChipModel &model)
    : model(model), copy(kernel.clone()) {
  copy->walk([&](Operation *op) {
    for (Value value : getDefinedValues(op))
      if (isa<TileType, SpanType>(value.getType()))
        types.emplace_back(value, value.getType());
    if (auto size = dyn_cast<SizeOp>(op))
      dims.emplace_back(size, size.getDim());
    if (auto grid = dyn_cast<GridOp>(op))
      grids.emplace_back(grid, grid.getBlocks());
    auto range = dyn_cast<RangeOp>(op);
    if (!range)
      return;
    loops.emplace_back(range, range.getStages());
    if (range.getBlock())
      blocks.emplace_back(range, *range.getBlock());
  });
}

void TrialCopy::setSizes(ArrayRef<BoundSize> sizes) {
  for (auto &[value, type] : types) {
    if (auto tile = dyn_cast<TileType>(type))
      value.setType(bindType(tile, sizes));
    else
      value.setType(bindType(cast<SpanType>(type), sizes));
  }
  for (auto &[range, block] : blocks)
    range.setBlockAttr(bindDim(block, sizes));
  for (auto &[size, dim] : dims)
    size.setDimAttr(bindDim(dim, sizes));
  for (auto &[grid, dims] : grids)
    grid.setBlocksAttr(ArrayAttr::get(
        copy->getContext(),
        llvm::map_to_vector(dims, [&](Attribute dim) { return bindDim(dim, sizes); })));
}

void TrialCopy::setStages(const SizeChoice &choice) {
  for (auto &[range, asked] : loops)
    range.setStages(range.getParallel() ? choice.gridStages
                                        : std::min(asked, choice.maxRangeStages));
  for (auto &[grid, dims] : grids)
    grid.setStages(choice.gridStages);
}

FailureOr<double> TrialCopy::getLeastCycles(ArrayRef<SizeChoice> choices) {
  setSizes(choices.front().sizes);
  FailureOr<Placement> placement = Placement::create(*copy, model);
  if (failed(placement))
    return failure();
  double least = std::numeric_limits<double>::max();
  for (const SizeChoice &choice : choices) {
    setStages(choice);
    least = std::min(least, estimateCost(*copy, model, *placement).cycles);
  }
  return least;
}
