// tile-clamp-grid: turns a kernel's grids into each core's contiguous share of them (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/GridClamping.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Machine/Chip.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace attn {
#define GEN_PASS_DEF_CLAMPGRIDPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Whether the dimension is the number of blocks, which the caller knows only after counting.
static bool isBlockCount(DimOp dim) {
  auto name = dyn_cast_if_present<StringAttr>(getSizeName(dim.getResult()));
  return name && name.getValue() == launch::blocksDim;
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
        dim ? isa<BlockArgument>(dim.getArray()) && !isBlockCount(dim)
            : isa<SizeOp>(op) || (isa_and_present<arith::ArithDialect>(op->getDialect()) &&
                                  op->getNumRegions() == 0);
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

/// The number of tiles of `grid`, computed from the arguments that `map` gives.
static FailureOr<Value> countOnHost(ImplicitLocOpBuilder &builder, GridOp grid, Block &body,
                                    IRMapping &map) {
  FailureOr<SmallVector<Operation *>> slice = getHostSlice(grid.getExtents(), body);
  if (failed(slice))
    return failure();
  builder.setLoc(grid.getLoc());
  for (Operation *op : *slice)
    if (!map.contains(op->getResult(0)))
      builder.clone(*op, map);
  SmallVector<Value> extents =
      llvm::map_to_vector(grid.getExtents(), [&](Value extent) { return map.lookup(extent); });
  return multiply(builder, countTiles(builder, grid, extents));
}

/// Makes the function beside `kernel` that counts its tiles, where it has several grids those of
/// the largest; 1 for a kernel without grid.
static LogicalResult makeCounter(func::FuncOp kernel, ArrayRef<GridOp> grids) {
  std::string name = (kernel.getName() + "_grid").str();
  if (SymbolTable::lookupNearestSymbolFrom(kernel, StringAttr::get(kernel.getContext(), name)))
    return kernel.emitError()
           << "the name '" << name
           << "' is taken, but the function that counts this kernel's tiles needs it";
  ImplicitLocOpBuilder builder(kernel.getLoc(), kernel);
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
  Value most;
  for (GridOp grid : grids) {
    FailureOr<Value> count = countOnHost(builder, grid, kernel.getBody().front(), map);
    if (failed(count))
      return failure();
    most = most ? arith::MaxUIOp::create(builder, most, *count) : *count;
  }
  func::ReturnOp::create(builder, most ? most : multiply(builder, {}));
  return success();
}

/// Lets a grid over less than nothing be empty: tiles are counted without a sign. Only the host has
/// to bear scalars that make no sense.
static void limitExtents(GridOp grid) {
  ImplicitLocOpBuilder builder(grid.getLoc(), grid);
  for (OpOperand &extent : grid->getOpOperands())
    if (!extent.get().getDefiningOp<DimOp>() && !getConstantIntValue(extent.get()))
      extent.set(arith::MaxSIOp::create(builder, extent.get(),
                                        arith::ConstantIndexOp::create(builder, 0)));
}

/// How many blocks of a kernel run at once.
static int64_t getMostBlocks(func::FuncOp kernel, const Chip &chip) {
  if (chip.isHost)
    return chip.maxGrid;
  return std::min(chip.maxGrid, hasProducts(kernel) ? chip.cubeCores : chip.vectorCores);
}

namespace {
struct ClampGrid : attn::impl::ClampGridPassBase<ClampGrid> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels) {
      FailureOr<SmallVector<GridOp>> grids = getGrids(kernel);
      if (failed(grids))
        return signalPassFailure();
      if (grids->empty() && kernel->hasAttr(launch::limitName))
        continue; // clamped before
      int64_t limit = grids->empty() ? 1 : getMostBlocks(kernel, *chip);
      if (chip->isHost)
        llvm::for_each(*grids, limitExtents);
      if (failed(makeCounter(kernel, *grids)) || failed(clampGrids(kernel)))
        return signalPassFailure();
      gridsClamped += grids->size();
      kernel->setAttr(launch::limitName, Builder(kernel).getI64IntegerAttr(limit));
    }
  }
};
} // namespace
