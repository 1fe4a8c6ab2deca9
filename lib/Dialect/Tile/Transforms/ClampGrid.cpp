// tile-clamp-grid: turns a kernel's grid into each core's contiguous share of it (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Machine/Chip.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace attn {
#define GEN_PASS_DEF_CLAMPGRIDPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static Value makeIndex(ImplicitLocOpBuilder &builder, int64_t number) {
  return arith::ConstantIndexOp::create(builder, number);
}

/// How many tiles each axis has. Block sizes must be numbers.
static FailureOr<SmallVector<Value>> countTiles(ImplicitLocOpBuilder &builder, GridOp grid,
                                                ValueRange extents) {
  SmallVector<Value> counts;
  for (auto [extent, block] : llvm::zip_equal(extents, grid.getBlocks())) {
    if (auto symbol = dyn_cast<StringAttr>(block))
      return grid.emitOpError() << "goes by '" << symbol.getValue()
                                << "', which is no number yet: run tile-fit-tiles before";
    if (isa<UnitAttr>(block))
      counts.push_back(extent);
    else
      counts.push_back(arith::CeilDivUIOp::create(
          builder, extent, makeIndex(builder, cast<IntegerAttr>(block).getInt())));
  }
  return counts;
}

static Value multiply(ImplicitLocOpBuilder &builder, ValueRange factors) {
  if (factors.empty())
    return makeIndex(builder, 1);
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = arith::MulIOp::create(builder, product, factor);
  return product;
}

/// The ops that compute `extents`, in order, where a host can run them.
static FailureOr<SmallVector<Operation *>> getHostSlice(ValueRange extents, Block &body) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist(extents);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !slice.insert(op))
      continue;
    auto dim = dyn_cast<DimOp>(op);
    bool onHost =
        dim ? isa<BlockArgument>(dim.getArray())
            : isa_and_present<arith::ArithDialect>(op->getDialect()) && op->getNumRegions() == 0;
    if (!onHost || op->getBlock() != &body)
      return op->emitOpError(
          "cannot be computed by the caller, but the extent of a grid needs it: use "
          "dimensions and scalar arguments only");
    worklist.append(op->operand_begin(), op->operand_end());
  }
  SmallVector<Operation *> ordered;
  for (Operation &op : body)
    if (slice.contains(&op))
      ordered.push_back(&op);
  return ordered;
}

/// Makes the function beside `kernel` that counts its tiles; 1 for a kernel without grid.
static LogicalResult makeCounter(func::FuncOp kernel, GridOp grid) {
  std::string name = (kernel.getName() + "_grid").str();
  if (SymbolTable::lookupNearestSymbolFrom(kernel, StringAttr::get(kernel.getContext(), name)))
    return kernel.emitError()
           << "the name '" << name
           << "' is taken, but the function that counts this kernel's tiles needs it";
  ImplicitLocOpBuilder builder(grid ? grid.getLoc() : kernel.getLoc(), kernel);
  builder.setInsertionPointAfter(kernel);
  FunctionType type = builder.getFunctionType(kernel.getArgumentTypes(), builder.getIndexType());
  auto counter = func::FuncOp::create(builder, name, type);
  counter->setAttr(launch::gridOfName, FlatSymbolRefAttr::get(kernel));
  if (ArrayAttr attributes = kernel.getAllArgAttrs())
    counter.setAllArgAttrs(attributes);
  Block *entry = builder.createBlock(&counter.getBody());
  IRMapping map;
  for (BlockArgument argument : kernel.getArguments())
    map.map(argument, entry->addArgument(argument.getType(), argument.getLoc()));
  if (!grid) {
    func::ReturnOp::create(builder, makeIndex(builder, 1));
    return success();
  }
  FailureOr<SmallVector<Operation *>> slice =
      getHostSlice(grid.getExtents(), kernel.getBody().front());
  if (failed(slice))
    return failure();
  for (Operation *op : *slice)
    builder.clone(*op, map);
  SmallVector<Value> extents =
      llvm::map_to_vector(grid.getExtents(), [&](Value extent) { return map.lookup(extent); });
  FailureOr<SmallVector<Value>> counts = countTiles(builder, grid, extents);
  if (failed(counts))
    return failure();
  func::ReturnOp::create(builder, multiply(builder, *counts));
  return success();
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

/// Replaces `grid` by a loop over the share of this block.
static LogicalResult clampGrid(GridOp grid) {
  ImplicitLocOpBuilder builder(grid.getLoc(), grid);
  FailureOr<SmallVector<Value>> counts = countTiles(builder, grid, grid.getExtents());
  if (failed(counts))
    return failure();
  Value total = multiply(builder, *counts);
  Value id = BlockIdOp::create(builder, builder.getIndexType());
  Value blocks = BlockCountOp::create(builder, builder.getIndexType());
  Value next = arith::AddIOp::create(builder, id, makeIndex(builder, 1));
  auto share = [&](Value block) -> Value {
    return arith::DivUIOp::create(builder, arith::MulIOp::create(builder, block, total), blocks);
  };
  Value lower = share(id), upper = share(next);
  auto range = RangeOp::create(builder, TypeRange(), lower, upper, ValueRange(), Attribute(),
                               builder.getI64IntegerAttr(grid.getStages()), builder.getUnitAttr());
  Block *body = builder.createBlock(&range.getBody());
  Value linear = body->addArgument(builder.getIndexType(), grid.getLoc());
  SmallVector<Value> indices = delinearise(builder, linear, *counts);
  for (auto [index, argument, extent] :
       llvm::zip_equal(indices, grid.getBody().getArguments(), grid.getExtents())) {
    auto span = dyn_cast<SpanType>(argument.getType());
    if (!span)
      continue;
    Value size = makeIndex(builder, cast<IntegerAttr>(span.getSize()).getInt());
    Value base = arith::MulIOp::create(builder, index, size);
    index = MakeSpanOp::create(builder, argument.getLoc(), span, base, extent, /*nonempty=*/true);
  }
  Block *old = &grid.getBody().front();
  for (auto [argument, index] : llvm::zip_equal(old->getArguments(), indices))
    argument.replaceAllUsesWith(index);
  body->getOperations().splice(body->end(), old->getOperations());
  grid.erase();
  return success();
}

namespace {
struct ClampGrid : attn::impl::ClampGridPassBase<ClampGrid> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    int64_t most = chip->isHost ? chip->maxGrid : std::min(chip->maxGrid, chip->vectorCores);
    for (func::FuncOp kernel : *kernels) {
      FailureOr<GridOp> grid = getGrid(kernel);
      if (failed(grid))
        return signalPassFailure();
      if (!*grid && kernel->hasAttr(launch::limitName))
        continue; // clamped before
      if (failed(makeCounter(kernel, *grid)) || (*grid && failed(clampGrid(*grid))))
        return signalPassFailure();
      kernel->setAttr(launch::limitName, Builder(kernel).getI64IntegerAttr(*grid ? most : 1));
    }
  }
};
} // namespace
