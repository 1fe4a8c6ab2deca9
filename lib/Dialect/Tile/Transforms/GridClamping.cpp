// Turns the grids of a kernel into each block's share of them (tile stage).
#include "attn/Dialect/Tile/Transforms/GridClamping.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// Accumulations
//===----------------------------------------------------------------------===//

using Accumulations = llvm::MapVector<Value, SmallVector<AccumulateOp>>; // by array

/// The array must have a row per block, and nothing may read it before all blocks have written
/// theirs.
static LogicalResult verifyArray(AccumulateOp first, func::FuncOp kernel) {
  auto argument = dyn_cast<BlockArgument>(first.getArray());
  auto dims = argument
                  ? kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), launch::dimsName)
                  : ArrayAttr();
  auto rows = dims && !dims.empty() ? dyn_cast<StringAttr>(dims[0]) : StringAttr();
  if (!rows || rows.getValue() != launch::blocksDim ||
      !kernel.getArgAttr(argument.getArgNumber(), launch::workspaceName))
    return first.emitOpError() << "needs a workspace with a row per block: an argument with '"
                               << launch::workspaceName << "' whose first dimension is '"
                               << launch::blocksDim << "'";
  for (Operation *user : argument.getUsers()) {
    auto other = dyn_cast<AccumulateOp>(user);
    bool isDim = isa<DimOp>(user);
    if (isDim || (other && other->getParentOp() == first->getParentOp()) ||
        (!other && hasPhaseBetween(first, user, kernel)))
      continue;
    InFlightDiagnostic diagnostic =
        other
            ? other.emitOpError("adds to a sum of another grid; each grid needs its own")
            : user->emitOpError("uses a sum before all blocks have added to it: a tile.phase must "
                                "be between them");
    diagnostic.attachNote(first.getLoc()) << "it is summed up here";
    return diagnostic;
  }
  return success();
}

static FailureOr<Accumulations> collectAccumulations(GridOp grid, func::FuncOp kernel) {
  Accumulations sums;
  for (auto accumulate : grid.getBody().getOps<AccumulateOp>())
    sums[accumulate.getArray()].push_back(accumulate);
  for (auto &[array, accumulations] : sums)
    if (failed(verifyArray(accumulations.front(), kernel)))
      return failure();
  return sums;
}

static LogicalResult verifyAccumulations(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](AccumulateOp op) -> WalkResult {
    if (isa<GridOp>(op->getParentOp()))
      return WalkResult::advance();
    return op.emitOpError(op->getParentOfType<GridOp>()
                              ? "must be directly in its grid, not inside a loop: carry the row "
                                "through the loop and add it afterwards"
                              : "is outside of any grid, so there is nothing to sum over");
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// A block size as a value: bound ones as numbers, others until tile-fit-tiles binds them.
static Value makeSize(ImplicitLocOpBuilder &builder, Attribute size) {
  if (auto number = dyn_cast<IntegerAttr>(size))
    return arith::ConstantIndexOp::create(builder, number.getInt());
  return SizeOp::create(builder, builder.getIndexType(), size);
}

SmallVector<Value> tile::countTiles(ImplicitLocOpBuilder &builder, GridOp grid,
                                    ValueRange extents) {
  SmallVector<Value> counts;
  for (auto [extent, block] : llvm::zip_equal(extents, grid.getBlocks()))
    counts.push_back(isa<UnitAttr>(block)
                         ? extent
                         : arith::CeilDivUIOp::create(builder, extent, makeSize(builder, block)));
  return counts;
}

Value tile::multiply(ImplicitLocOpBuilder &builder, ValueRange factors) {
  if (factors.empty())
    return arith::ConstantIndexOp::create(builder, 1);
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = arith::MulIOp::create(builder, product, factor);
  return product;
}

/// The index along each axis from the index over all tiles; the last axis runs fastest.
static SmallVector<Value> delinearise(ImplicitLocOpBuilder &builder, Value linear,
                                      ArrayRef<Value> counts) {
  SmallVector<Value> indices(counts.size());
  for (size_t axis = counts.size(); axis-- > 0;) {
    indices[axis] = axis == 0 ? linear : arith::RemUIOp::create(builder, linear, counts[axis]);
    if (axis > 0)
      linear = arith::DivUIOp::create(builder, linear, counts[axis]);
  }
  return indices;
}

/// Row and column of the tile with the number `linear`, where tiles are counted by bands of
/// `bandRows` rows, column by column; the last band may have fewer.
static SmallVector<Value> findInBands(ImplicitLocOpBuilder &builder, Value linear,
                                      ArrayRef<Value> counts, int64_t bandRows) {
  Value most = arith::ConstantIndexOp::create(builder, bandRows);
  Value tiles = arith::MulIOp::create(builder, most, counts[1]);
  Value band = arith::DivUIOp::create(builder, linear, tiles);
  Value inside = arith::RemUIOp::create(builder, linear, tiles);
  Value first = arith::MulIOp::create(builder, band, most);
  Value left = arith::SubIOp::create(builder, counts[0], first);
  Value rows = arith::MinUIOp::create(builder, left, most);
  Value row = arith::RemUIOp::create(builder, inside, rows);
  return {arith::AddIOp::create(builder, first, row),
          arith::DivUIOp::create(builder, inside, rows)};
}

/// The rows of tiles that are a band of `grid`; none where blocks have contiguous shares.
static std::optional<int64_t> getBandRows(GridOp grid, func::FuncOp kernel) {
  auto choice = kernel->getAttrOfType<ChoiceAttr>("tile.choice");
  bool isMatrix =
      grid.getBlocks().size() == 2 &&
      llvm::none_of(grid.getBlocks(), [](Attribute size) { return isa<UnitAttr>(size); });
  return choice && choice.getOrder() && isMatrix ? std::optional(choice.getOrder()) : std::nullopt;
}

/// The loop over every `blocks`-th of `total` tiles from this block's first on, with an empty body.
static RangeOp makeTurns(ImplicitLocOpBuilder &builder, Value total, int64_t stages,
                         ValueRange inits) {
  Value id = BlockIdOp::create(builder, builder.getIndexType());
  Value blocks = BlockCountOp::create(builder, builder.getIndexType());
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value after = arith::SubIOp::create(builder, arith::SubIOp::create(builder, blocks, one), id);
  Value turns =
      arith::DivUIOp::create(builder, arith::AddIOp::create(builder, total, after), blocks);
  return RangeOp::create(builder, inits.getTypes(), zero, turns, inits, Attribute(),
                         builder.getI64IntegerAttr(stages), builder.getUnitAttr());
}

/// The loop over this block's share of `total` tiles, with an empty body.
static RangeOp makeShare(ImplicitLocOpBuilder &builder, Value total, int64_t stages,
                         ValueRange inits) {
  Value id = BlockIdOp::create(builder, builder.getIndexType());
  Value blocks = BlockCountOp::create(builder, builder.getIndexType());
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value next = arith::AddIOp::create(builder, id, one);
  auto share = [&](Value block) -> Value {
    return arith::DivUIOp::create(builder, arith::MulIOp::create(builder, block, total), blocks);
  };
  Value lower = share(id), upper = share(next);
  return RangeOp::create(builder, inits.getTypes(), lower, upper, inits, Attribute(),
                         builder.getI64IntegerAttr(stages), builder.getUnitAttr());
}

/// The rows that are summed up, before the first iteration.
static SmallVector<Value> makeZeros(ImplicitLocOpBuilder &builder, Accumulations &sums) {
  SmallVector<Value> zeros;
  for (auto &[array, accumulations] : sums) {
    AccumulateOp first = accumulations.front();
    Location loc = first.getLoc();
    Value zero = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
    zeros.push_back(SplatOp::create(builder, loc, first.getValue().getType(), zero));
  }
  return zeros;
}

/// Adds up what the body accumulated; gives the rows to carry on.
static SmallVector<Value> addUp(RangeOp range, Accumulations &sums) {
  SmallVector<Value> next;
  for (auto [sum, carried] : llvm::zip_equal(sums, range.getCarried())) {
    Value row = carried;
    for (AccumulateOp accumulate : sum.second) {
      OpBuilder builder(accumulate);
      row = AddOp::create(builder, accumulate.getLoc(), row.getType(), row, accumulate.getValue());
      accumulate.erase();
    }
    next.push_back(row);
  }
  return next;
}

/// Writes the sums of this block to its row of each array.
static void storeSums(ImplicitLocOpBuilder &builder, RangeOp range, Accumulations &sums) {
  int64_t kinds[] = {ScalarIndex, FullIndex};
  for (auto [sum, row] : llvm::zip_equal(sums, range.getResults())) {
    Value id = BlockIdOp::create(builder, row.getLoc(), builder.getIndexType());
    StoreOp::create(builder, row.getLoc(), row, sum.first, id, builder.getDenseI64ArrayAttr(kinds));
  }
}

/// Replaces `grid` by a loop over the share of this block.
static LogicalResult clampGrid(GridOp grid, func::FuncOp kernel) {
  FailureOr<Accumulations> sums = collectAccumulations(grid, kernel);
  if (failed(sums))
    return failure();
  ImplicitLocOpBuilder builder(grid.getLoc(), grid);
  SmallVector<Value> counts = countTiles(builder, grid, grid.getExtents());
  Value total = multiply(builder, counts);
  std::optional<int64_t> bandRows = getBandRows(grid, kernel);
  SmallVector<Value> zeros = makeZeros(builder, *sums);
  RangeOp range = bandRows ? makeTurns(builder, total, grid.getStages(), zeros)
                           : makeShare(builder, total, grid.getStages(), zeros);
  Block *body = builder.createBlock(&range.getBody());
  Value linear = body->addArgument(builder.getIndexType(), grid.getLoc());
  for (auto [init, sum] : llvm::zip_equal(range.getInits(), *sums))
    body->addArgument(init.getType(), sum.second.front().getArray().getLoc());
  if (bandRows) {
    Value blocks = BlockCountOp::create(builder, builder.getIndexType());
    Value before = arith::MulIOp::create(builder, linear, blocks);
    Value id = BlockIdOp::create(builder, builder.getIndexType());
    linear = arith::AddIOp::create(builder, before, id);
  }
  SmallVector<Value> indices = bandRows ? findInBands(builder, linear, counts, *bandRows)
                                        : delinearise(builder, linear, counts);
  for (auto [index, argument, extent] :
       llvm::zip_equal(indices, grid.getBody().getArguments(), grid.getExtents())) {
    auto span = dyn_cast<SpanType>(argument.getType());
    if (!span)
      continue;
    Value base = arith::MulIOp::create(builder, index, makeSize(builder, span.getSize()));
    index = MakeSpanOp::create(builder, argument.getLoc(), span, base, extent, /*nonempty=*/true);
  }
  Block *old = &grid.getBody().front();
  for (auto [argument, index] : llvm::zip_equal(old->getArguments(), indices))
    argument.replaceAllUsesWith(index);
  body->getOperations().splice(body->end(), old->getOperations());
  SmallVector<Value> next = addUp(range, *sums);
  range.getYield()->setOperands(next);
  builder.setInsertionPointAfter(range);
  storeSums(builder, range, *sums);
  grid.erase();
  return success();
}

LogicalResult tile::clampGrids(func::FuncOp kernel) {
  FailureOr<SmallVector<GridOp>> grids = getGrids(kernel);
  if (failed(grids) || failed(verifyAccumulations(kernel)))
    return failure();
  for (GridOp grid : *grids)
    if (failed(clampGrid(grid, kernel)))
      return failure();
  return success();
}
