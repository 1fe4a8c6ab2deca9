// What a bound kernel would cost on the chip: vector instructions and bytes, overlapped where
// stages allow.
#include "attn/Dialect/Tile/Analysis/CostEstimate.h"
#include "attn/Dialect/Tile/Analysis/IndexBound.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "attn/Dialect/Tile/Analysis/OpForms.h"
#include "attn/Machine/Costs.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Trips of a loop whose bounds are known only when the kernel runs.
constexpr double assumedTrips = 8;
/// Elements of the grid (rows, for one axis by blocks) that fall to one core, and of a loop by
/// blocks whose bounds are known only when the kernel runs.
constexpr double assumedShare = 256;

/// Work that may overlap, vector beside transfers, and work that stands alone.
struct Work {
  double gmBytes = 0;
  double vectorCycles = 0;
  double vector = 0;
  double transfer = 0;
  double serial = 0;
  /// Until the first iteration's data have arrived and after the last one has been computed,
  /// nothing overlaps.
  double fill = 0;

  double getCycles() const { return std::max(vector, transfer) + serial + fill; }
};

class Estimator {
public:
  explicit Estimator(const Chip &chip) : chip(chip) {
    double cores = std::max<double>(1, chip.vectorCores);
    double clock = std::max<double>(1, chip.clockHz);
    hbmBytesPerCycle = std::max(1e-3, chip.hbmPoolBytesPerSecond / cores / clock);
  }

  /// One run of a block. With one stage nothing in it overlaps, except inside nested loops and
  /// where a loop only casts what is transferred.
  Work getWork(Block &block, int64_t stages) {
    bool isLoop = isa<RangeOp, GridOp>(block.getParentOp());
    Work total;
    for (Operation &op : block) {
      Work work = getWork(&op, stages);
      total.gmBytes += work.gmBytes;
      total.vectorCycles += work.vectorCycles;
      bool overlaps = stages > 1 || (isLoop && (work.transfer == 0 || isOnlyCast(&op)));
      if (overlaps) {
        total.vector += work.vector;
        total.transfer += work.transfer;
        total.serial += work.serial;
        total.fill = std::max(total.fill, work.fill);
      } else {
        total.serial += work.getCycles();
      }
    }
    return total;
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
      return repeat(grid.getBody().front(), std::max(1.0, assumedShare / elements),
                    grid.getStages());
    }
    if (auto load = dyn_cast<LoadOp>(op))
      return transfer(load.getResult().getType(), getSelection(load), /*isLoad=*/true, stages);
    if (auto store = dyn_cast<StoreOp>(op))
      return transfer(store.getValue().getType(), getSelection(store), /*isLoad=*/false, stages);
    Work work;
    work.vectorCycles = work.vector = getVectorCycles(op);
    return work;
  }

  double getTrips(RangeOp range) {
    if (range.getParallel())
      return std::max(1.0, assumedShare / getElementsPerTile(range));
    auto block = range.getBlock() ? dyn_cast<IntegerAttr>(*range.getBlock()) : IntegerAttr();
    double step = block ? block.getInt() : 1;
    if (std::optional<int64_t> most = getLargestDifference(range.getUpper(), range.getLower()))
      return std::max(0.0, std::ceil(*most / step));
    return block ? std::max(1.0, assumedShare / step) : assumedTrips;
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
        elements *= std::max<int64_t>(1, getConstant(count.getRhs()).value_or(1));
      else if (isa_and_present<arith::MulIOp, arith::DivUIOp>(op))
        slice.insert(op->operand_begin(), op->operand_end());
    }
    return elements;
  }

  Work repeat(Block &body, double trips, int64_t stages) {
    Work work = getWork(body, stages);
    for (double *part :
         {&work.gmBytes, &work.vectorCycles, &work.vector, &work.transfer, &work.serial})
      *part *= trips;
    return work;
  }

  Work transfer(TileType type, const Selection &selection, bool isLoad, int64_t stages) {
    Work work;
    bool perRow = selection.form == TransferForm::StridedColumn;
    double bytes = type.getRowCount() * type.getColCount() * getElementBytes(type);
    int64_t rows = selection.form == TransferForm::ContiguousColumn ? 1 : type.getRowCount();
    // HBM moves whole blocks, however little of one is wanted.
    double moved = perRow ? type.getRowCount() * chip.blockBytes : bytes;
    work.gmBytes = bytes;
    work.transfer = std::max(
        {costs.copyIssue, getCopyWork(costs, isLoad, rows, bytes), moved / hbmBytesPerCycle});
    double start = isLoad ? costs.loadStart : costs.storeStart;
    if (stages == 1)
      work.transfer += start;
    else
      work.fill = work.transfer + start;
    return work;
  }

  /// `instructions` of one family over `repeats` in all, each waiting for the one before.
  double cycles(VectorFamily family, double instructions, double repeats) {
    VectorCost cost = getVectorCost(family, /*elementBytes=*/4);
    double fewest = std::ceil(repeats / std::max<double>(1, chip.maxRepeats));
    return std::max(instructions, fewest) * (cost.start + cost.drain) + repeats * cost.slope;
  }

  static double getRepeats(TileType type) {
    return std::ceil(type.getRowCount() * getPitch(type) / 64.0);
  }

  double getBinaryCycles(Operation *op, VectorFamily family) {
    auto result = cast<TileType>(op->getResult(0).getType());
    double repeats = getRepeats(result);
    // A row or a column is repeated by strides: along rows or along columns, whatever is shorter.
    double steps = std::min<double>(result.getRowCount(), std::ceil(result.getColCount() / 64.0));
    switch (getBinaryShape(op).form) {
    case BinaryForm::Elements:
      return cycles(family, 1, repeats);
    case BinaryForm::Scalar:
      return cycles(family == VectorFamily::Div ? family : VectorFamily::WithScalar, 1, repeats);
    case BinaryForm::Row:
      return cycles(family, steps, repeats);
    case BinaryForm::Column:
    case BinaryForm::One:
    case BinaryForm::Outer:
      return cycles(VectorFamily::Brcb, 1, std::ceil(result.getRowCount() / 8.0)) +
             cycles(family, steps, repeats);
    }
    llvm_unreachable("all forms are counted");
  }

  double getReduceCycles(ReduceOp op) {
    TileType input = op.getInput().getType();
    double rows = input.getRowCount(), repeats = getRepeats(input);
    // Down the columns: an instruction for each row, or for each 64 columns.
    if (op.getAxis() == 0)
      return cycles(VectorFamily::AddSubMaxMin,
                    1 + std::min(rows - 1, std::ceil(getPitch(input) / 64.0)), repeats);
    VectorFamily blocks = op.getKind() == ReduceKind::Sum ? VectorFamily::BlockReduceSum
                                                          : VectorFamily::BlockReduceMaxMin;
    double cols = input.getColCount();
    auto product = op.getInput().getDefiningOp<MulOp>();
    if (product && absorbsProduct(op, product)) {
      // Beyond the product itself: what is added up, 64 columns at a time.
      double slices = std::ceil(cols / productColumns) - 1;
      return cycles(VectorFamily::AddSubMaxMin, slices, slices * rows) + cycles(blocks, 1, rows) +
             cycles(blocks, 1, std::ceil(rows / 8));
    }
    if (cols <= productColumns)
      return cols == productColumns && rows >= 8
                 ? cycles(blocks, 1, rows) + cycles(blocks, 1, std::ceil(rows / 8))
                 : cycles(VectorFamily::WholeReduce, 1, rows);
    // 64 elements to 8, those to 1, and what is left of each row at once.
    return cycles(blocks, 1, repeats) + cycles(blocks, 1, std::ceil(repeats / 8)) +
           cycles(VectorFamily::WholeReduce, 1, rows);
  }

  double getVectorCycles(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return getReduceCycles(reduce);
    if (isa<AddOp, SubOp, MaximumOp, MinimumOp>(op))
      return getBinaryCycles(op, VectorFamily::AddSubMaxMin);
    if (isa<MulOp>(op))
      return getBinaryCycles(op, VectorFamily::Mul);
    if (isa<DivOp>(op))
      return getBinaryCycles(op, VectorFamily::Div);
    auto result =
        op->getNumResults() == 1 ? dyn_cast<TileType>(op->getResult(0).getType()) : TileType();
    if (!result)
      return 0;
    double repeats = getRepeats(result);
    if (isa<CastOp>(op))
      return cycles(VectorFamily::Cast, 1, repeats);
    if (isa<ExpOp>(op))
      return cycles(VectorFamily::Exp, 1, repeats);
    if (isa<LogOp>(op))
      return cycles(VectorFamily::Ln, 1, repeats);
    if (isa<SqrtOp>(op))
      return cycles(VectorFamily::Sqrt, 1, repeats);
    if (isa<RsqrtOp>(op))
      return cycles(VectorFamily::Sqrt, 1, repeats) + cycles(VectorFamily::Div, 1, repeats);
    if (isa<AbsOp>(op))
      return cycles(VectorFamily::WithScalar, 1, repeats);
    if (auto splat = dyn_cast<SplatOp>(op))
      return result.getRowCount() * result.getColCount() == 1
                 ? 0
                 : cycles(VectorFamily::Duplicate, 1, repeats);
    return isa<UndefinedOp, ExtractOp, InsertOp>(op) ? getPartCycles(op) : 0;
  }

  /// Some parts are worked on in place; others are copied.
  double getPartCycles(Operation *op) {
    auto extract = dyn_cast<ExtractOp>(op);
    auto insert = dyn_cast<InsertOp>(op);
    if (!extract && !insert)
      return 0;
    TileType part = extract ? extract.getResult().getType() : insert.getPart().getType();
    PartForm form = extract ? getPartForm(extract) : getPartForm(insert);
    if (form == PartForm::InPlace)
      return 0;
    if (form == PartForm::Blocks)
      return cycles(VectorFamily::WholeReduce, 2, part.getRowCount() * part.getColCount());
    return cycles(VectorFamily::Duplicate, form == PartForm::Rows ? part.getRowCount() : 1,
                  getRepeats(part));
  }

  const Chip &chip;
  Costs costs;
  double hbmBytesPerCycle;
};

} // namespace

CostEstimate tile::estimateCost(func::FuncOp kernel, const Chip &chip) {
  Work work = Estimator(chip).getWork(kernel.getBody().front(), /*stages=*/1);
  return {work.gmBytes, work.vectorCycles, work.getCycles()};
}
