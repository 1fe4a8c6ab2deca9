// What every pass on the tile dialect asks about a kernel.
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

FailureOr<SmallVector<func::FuncOp>> tile::getKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("tile.kernel") || function.isDeclaration())
      continue;
    if (!function.getBody().hasOneBlock())
      return function.emitError("a kernel must be one block, without branches");
    kernels.push_back(function);
  }
  return kernels;
}

FailureOr<SmallVector<GridOp>> tile::getGrids(func::FuncOp kernel) {
  WalkResult nested = kernel.walk([&](GridOp grid) -> WalkResult {
    if (grid->getParentOp() == kernel)
      return WalkResult::advance();
    return grid.emitOpError("must be directly in the body of the kernel, not inside a loop");
  });
  if (nested.wasInterrupted())
    return failure();
  SmallVector<GridOp> grids;
  bool isSeparated = true;
  for (Operation &op : kernel.getBody().front()) {
    isSeparated |= isa<PhaseOp>(op);
    auto grid = dyn_cast<GridOp>(op);
    if (!grid)
      continue;
    if (!isSeparated) {
      InFlightDiagnostic diagnostic = grid.emitOpError(
          "follows another grid without a tile.phase between, so blocks would not wait for it");
      diagnostic.attachNote(grids.back().getLoc()) << "the other is here";
      return diagnostic;
    }
    grids.push_back(grid);
    isSeparated = false;
  }
  return grids;
}

bool tile::hasPhaseBetween(Operation *first, Operation *second, func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  first = body.findAncestorOpInBlock(*first);
  second = body.findAncestorOpInBlock(*second);
  for (Operation *op = first; op && op != second; op = op->getNextNode())
    if (isa<PhaseOp>(op))
      return first->isBeforeInBlock(second);
  return false;
}

std::optional<int64_t> tile::getFoldedConstant(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<OpFoldResult, 1> folded;
  if (isa_and_present<SizeOp, DimOp>(op) && succeeded(op->fold(folded)))
    return getConstantIntValue(folded.front());
  return getConstantIntValue(value);
}

Attribute tile::getSizeName(Value size) {
  if (std::optional<int64_t> number = getFoldedConstant(size))
    return *number > 0 ? getDim(size.getContext(), *number) : IntegerAttr();
  auto dim = size.getDefiningOp<DimOp>();
  auto argument = dim ? dyn_cast<BlockArgument>(dim.getArray()) : BlockArgument();
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!function)
    return {};
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), launch::dimsName);
  int64_t dimension = dim.getDimension();
  return names && dimension < static_cast<int64_t>(names.size()) ? names[dimension] : Attribute();
}

SmallVector<Value> tile::getDefinedValues(Operation *op) {
  SmallVector<Value> values(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(values, block.getArguments());
  return values;
}

bool tile::hasProducts(func::FuncOp kernel) {
  return kernel.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool tile::isWritten(Value array) {
  return llvm::any_of(array.getUsers(), [](Operation *user) {
    return isa<StoreOp, AccumulateOp>(user); // no other operand of theirs is an array
  });
}

std::string tile::getSourceName(Value value) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    return name.getName().str();
  Operation *op = value.getDefiningOp();
  return op ? op->getName().getStringRef().str() : "carried";
}
