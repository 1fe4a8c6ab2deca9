// What a bound kernel would cost on the chip: instructions and bytes, overlapped where stages
// allow.
#include "attn/TileOnChip/CostEstimate.h"
#include "attn/Dialect/Tile/Analysis/CutLoops.h"
#include "attn/Dialect/Tile/Analysis/IndexBound.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Machine/Groups.h"
#include "attn/TileOnChip/OnChipOpInterface.h"
#include "attn/TileOnChip/Placement.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

/// Trips of a loop over the tiles of `step` elements that a mask cuts through, whose edge goes
/// through `edge` elements: between the fewest, where it begins at a tile, and the mean of all
/// places where it may begin.
double getCutTrips(double edge, double step) {
  return (std::max(1.0, edge / step) + edge / step + 1) / 2;
}

/// Trips of a loop whose bounds are known only when the kernel runs.
constexpr double assumedTrips = 8;

/// What is assumed of sizes that are known only when the kernel runs.
struct AssumedSizes {
  explicit AssumedSizes(func::FuncOp kernel) {
    // Either half of a kernel has the sizes of the whole.
    if (hasProducts(kernel) || kernel->hasAttr(mixedName)) {
      share = 1 << 19;
      inner = 1 << 12;
    }
  }
  /// Elements of the grid (rows, for one axis by a block size) that fall to one core. Products are
  /// worth cutting for matrices of some thousands of rows and columns.
  double share = 1 << 8;
  /// Elements of a loop by a block size.
  double inner = 1 << 8;
};

/// Work that may overlap, by the pipes that do it, and work that stands alone.
struct Work {
  double gmBytes = 0;
  double vectorCycles = 0;
  double vector = 0;
  double transfer = 0;
  double feed = 0;
  double product = 0;
  double out = 0;
  double serial = 0;
  /// Until the first iteration's data have arrived and after the last one has been computed,
  /// nothing overlaps.
  double fill = 0;

  double getCycles() const {
    return std::max({vector, transfer, feed, product, out}) + serial + fill;
  }
  bool isOnCube() const { return feed > 0 || product > 0 || out > 0; }
};

class Estimator {
public:
  /// `getCost` says what one op costs.
  Estimator(func::FuncOp kernel, function_ref<OpCost(Operation *)> getCost)
      : getCost(getCost), assumed(kernel) {}

  /// One run of a block. With one stage nothing in it overlaps, except inside nested loops and
  /// where a loop only casts what is transferred.
  Work getWork(Block &block, int64_t stages) {
    bool isLoop = isa<RangeOp, GridOp>(block.getParentOp());
    Work total;
    for (Operation &op : block) {
      Work work = getWork(&op, stages);
      total.gmBytes += work.gmBytes;
      total.vectorCycles += work.vectorCycles;
      // With a single slot in L0C sums go out before products go on; loads go on meanwhile. A loop
      // inside has slots of its own.
      if (stages == 1 && !isa<RangeOp, GridOp>(op))
        work.product += std::exchange(work.out, 0);
      bool overlaps =
          stages > 1 || work.isOnCube() || (isLoop && (work.transfer == 0 || isOnlyCast(&op)));
      if (overlaps) {
        total.vector += work.vector;
        total.transfer += work.transfer;
        total.feed += work.feed;
        total.product += work.product;
        total.out += work.out;
        total.serial += work.serial;
        total.fill = std::max(total.fill, work.fill);
      } else {
        total.serial += work.getCycles();
      }
    }
    return total;
  }

  Work getWork(Operation *op, int64_t stages) {
    if (auto range = dyn_cast<RangeOp>(op)) {
      double trips = getTrips(range);
      // A loop of one trip is as good as no loop.
      return trips == 1 ? getWork(range.getBody().front(), stages)
                        : repeat(range.getBody().front(), trips, range.getStages());
    }
    if (auto grid = dyn_cast<GridOp>(op)) {
      double elements = 1;
      for (Attribute block : grid.getBlocks())
        if (auto number = dyn_cast<IntegerAttr>(block))
          elements *= number.getInt();
      return repeat(grid.getBody().front(), std::max(1.0, assumed.share / elements),
                    grid.getStages());
    }
    if (auto choice = dyn_cast<IfOp>(op)) {
      Work then = getWork(choice.getThenBody().front(), stages);
      Work other =
          choice.getElseBody().empty() ? Work() : getWork(choice.getElseBody().front(), stages);
      return then.getCycles() < other.getCycles() ? other : then;
    }
    Work work;
    OpCost cost = getCost(op);
    work.gmBytes = cost.gmBytes;
    work.vectorCycles = work.vector = cost.vectorCycles;
    work.transfer = cost.transferCycles;
    work.feed = cost.feedCycles;
    work.product = cost.productCycles;
    work.out = cost.outCycles;
    if (stages == 1)
      work.transfer += cost.transferStart;
    else if (cost.transferCycles > 0)
      work.fill = cost.transferCycles + cost.transferStart;
    return work;
  }

  double getTrips(RangeOp range) {
    if (range.getParallel())
      return std::max(1.0, assumed.share / getElementsPerTile(range));
    // Of a loop that was cut into three by its distance, the one of the steady state stands for
    // all.
    auto steadyStep = range->getAttrOfType<IntegerAttr>(steadyStepName);
    if (steadyStep && steadyStep.getInt() == 0)
      return 0;
    auto block = range.getBlock() ? dyn_cast<IntegerAttr>(*range.getBlock()) : steadyStep;
    double step = block ? block.getInt() : 1;
    if (auto edge = range->getAttrOfType<IntegerAttr>(cutName))
      return getCutTrips(edge.getInt(), step);
    if (steadyStep)
      return std::max(1.0, assumed.inner / step);
    if (std::optional<int64_t> most = getLargestDifference(range.getUpper(), range.getLower()))
      return std::max(0.0, std::ceil(*most / step));
    return block ? std::max(1.0, assumed.inner / step) : assumedTrips;
  }

private:
  /// Whether a transfer shares its buffer with a cast only, so that even a single slot is free
  /// while everything else is computed.
  static bool isOnlyCast(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load->hasOneUse() && isa<CastOp>(*load->user_begin());
    auto store = dyn_cast<StoreOp>(op);
    return store && store.getValue().hasOneUse() && store.getValue().getDefiningOp<CastOp>();
  }

  /// The elements of the grid in one iteration of a block's share: what the number of tiles, which
  /// the bounds of the share are made of, divides the extents by.
  static double getElementsPerTile(RangeOp share) {
    double elements = 1;
    llvm::SmallSetVector<Value, 8> slice;
    slice.insert(share.getUpper());
    for (size_t next = 0; next < slice.size(); ++next) {
      Operation *op = slice[next].getDefiningOp();
      if (auto count = dyn_cast_if_present<arith::CeilDivUIOp>(op))
        elements *= std::max<int64_t>(1, getFoldedConstant(count.getRhs()).value_or(1));
      else if (isa_and_present<arith::MulIOp, arith::DivUIOp>(op))
        slice.insert(op->operand_begin(), op->operand_end());
    }
    return elements;
  }

  Work repeat(Block &body, double trips, int64_t stages) {
    Work work = getWork(body, stages);
    for (double *part : {&work.gmBytes, &work.vectorCycles, &work.vector, &work.transfer,
                         &work.feed, &work.product, &work.out, &work.serial})
      *part *= trips;
    return work;
  }

  function_ref<OpCost(Operation *)> getCost;
  AssumedSizes assumed;
};

} // namespace

CostEstimate onchip::estimateCost(func::FuncOp kernel, const ChipModel &model,
                                  const Placement &placement) {
  CostModel costs(model.getChip());
  auto getCost = [&](Operation *op) {
    auto onChip = dyn_cast<OnChipOpInterface>(op);
    if (!onChip)
      return OpCost();
    return placement.isOnCube(op) ? cast<OnCubeOpInterface>(op).getCubeCost(model, placement, costs)
                                  : onChip.getCost(model, costs);
  };
  Work work = Estimator(kernel, getCost).getWork(kernel.getBody().front(), /*stages=*/1);
  return {work.gmBytes, work.vectorCycles, work.getCycles()};
}

CostEstimate onchip::joinHalves(const CostEstimate &vector, const CostEstimate &cube,
                                const CostModel &costs) {
  CostEstimate group;
  group.gmBytes = cube.gmBytes + vectorCoresPerGroup * vector.gmBytes;
  group.vectorCycles = vector.vectorCycles;
  group.cycles = std::max({vector.cycles, cube.cycles, costs.getGroupCycles(group.gmBytes)});
  return group;
}

CostEstimate onchip::estimateHalf(func::FuncOp kernel, const GroupCosts &costs, CoreKind core) {
  auto getCost = [&](Operation *op) { return costs.getCost(op, core); };
  Work work = Estimator(kernel, getCost).getWork(kernel.getBody().front(), /*stages=*/1);
  // Until the first tile has come, a part of one may do.
  double cores = core == CoreKind::Vector ? vectorCoresPerGroup : 1;
  return {work.gmBytes / cores, work.vectorCycles / cores, (work.getCycles() - work.fill) / cores};
}

OpCost onchip::estimateOp(Operation *op, const GroupCosts &costs, CoreKind core) {
  auto getCost = [&](Operation *inner) { return costs.getCost(inner, core); };
  Work work = Estimator(op->getParentOfType<func::FuncOp>(), getCost).getWork(op, /*stages=*/2);
  OpCost cost{work.gmBytes, work.vector, work.transfer, work.feed, work.product, work.out};
  // What stands alone keeps the core from everything else.
  (core == CoreKind::Vector ? cost.vectorCycles : cost.productCycles) += work.serial;
  return cost;
}

double onchip::estimateTrips(RangeOp range) {
  auto getCost = [](Operation *) { return OpCost(); };
  return Estimator(range->getParentOfType<func::FuncOp>(), getCost).getTrips(range);
}

std::string onchip::describeShape(func::FuncOp kernel) {
  llvm::SmallSetVector<StringRef, 4> names;
  std::string text;
  llvm::raw_string_ostream stream(text);
  AssumedSizes sizes(kernel);
  kernel.walk<WalkOrder::PreOrder>([&](RangeOp range) {
    if (range.getParallel() || getLargestDifference(range.getUpper(), range.getLower()))
      return;
    auto name = dyn_cast_if_present<StringAttr>(getSizeName(range.getUpper()));
    double assumed = range.getBlock() ? sizes.inner : assumedTrips;
    if (name && names.insert(name.getValue()))
      stream << name.getValue().ltrim('@') << " = " << static_cast<int64_t>(assumed) << ", ";
  });
  stream << static_cast<int64_t>(sizes.share) << (hasProducts(kernel) ? " elements" : " rows")
         << " of the grid for each core";
  return text;
}
