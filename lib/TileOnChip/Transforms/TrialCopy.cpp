// Estimates what choices of sizes cost on one copy of a kernel (tile on the chip).
#include "TrialCopy.h"
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "attn/TileOnChip/Transforms/Exchange.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

TrialCopy::TrialCopy(SearchSpace &space)
    : space(space), model(space.model), copy(space.kernel.clone()) {
  if (space.isMixed) {
    detachAccumulators(*copy);
    groupCosts.emplace(*copy, model);
  }
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
    if (Attribute edge = range->getAttr(cutName))
      edges.emplace_back(range, edge);
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

/// Masks cut through as many tiles of a loop whether rows are computed in strips or not.
void TrialCopy::setEdges(ArrayRef<BoundSize> sizes) {
  for (auto &[range, edge] : edges)
    range->setAttr(cutName, bindDim(edge, sizes));
}

/// Tiles that cross have two slots, so that transfers overlap with work.
bool TrialCopy::hasRoomForStrips() const {
  return 2 * groupCosts->getExchangedBytes() <= model.getChip().getUsableBytes(tileMemory);
}

/// Sets the sizes of a strip. Strips come from long to short: longer ones are not slower, if they
/// fit.
const SizeChoice &TrialCopy::setStripSizes(ArrayRef<SizeChoice> choices) {
  for (const SizeChoice &choice : choices) {
    setSizes(space.getStripSizes(choice));
    if (hasRoomForStrips())
      return choice;
  }
  return choices.back();
}

double TrialCopy::getLeastGroupCycles(ArrayRef<SizeChoice> choices) {
  // The first has the most stages.
  setStages(choices.front());
  CostEstimate cube = estimateHalf(*copy, *groupCosts, CoreKind::Cube);
  // The work of all strips is that of as many smaller tiles.
  setStripSizes(choices);
  CostEstimate vector = estimateHalf(*copy, *groupCosts, CoreKind::Vector);
  return joinHalves(vector, cube, groupCosts->getModel()).cycles;
}

const DistanceEstimate &TrialCopy::estimateDistances(ArrayRef<SizeChoice> choices) {
  if (!distances)
    distances.emplace(*copy, *groupCosts);
  if (!distances->isNeeded())
    return *distances;
  setSizes(choices.front().sizes);
  setEdges(choices.front().sizes);
  distances->noteCube(choices.front().group->part);
  distances->noteVector(space.countStrips(setStripSizes(choices)));
  return *distances;
}

FailureOr<double> TrialCopy::getLeastCycles(ArrayRef<SizeChoice> choices) {
  setSizes(choices.front().sizes);
  setEdges(choices.front().sizes);
  if (groupCosts)
    return getLeastGroupCycles(choices);
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
