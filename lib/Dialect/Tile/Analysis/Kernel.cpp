// What every pass on the tile dialect asks about a kernel.
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/IR/Matchers.h"

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

FailureOr<GridOp> tile::getGrid(func::FuncOp kernel) {
  SmallVector<GridOp> grids;
  kernel.walk([&](GridOp grid) { grids.push_back(grid); });
  for (GridOp grid : grids)
    if (grid->getParentOp() != kernel)
      return grid.emitOpError("must stand directly in the kernel, not inside a loop");
  if (grids.size() > 1) {
    InFlightDiagnostic diagnostic =
        grids[1].emitOpError("is the second grid of its kernel; a kernel has one");
    diagnostic.attachNote(grids[0].getLoc()) << "the first is here";
    return diagnostic;
  }
  return grids.empty() ? GridOp() : grids.front();
}

std::optional<int64_t> tile::getConstant(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(64))
    return number.getSExtValue();
  auto dim = value.getDefiningOp<DimOp>();
  if (!dim)
    return std::nullopt;
  int64_t size = dim.getArray().getType().getShape()[dim.getDimension()];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

Attribute tile::getSizeName(Value size) {
  if (std::optional<int64_t> number = getConstant(size))
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

bool tile::isWritten(Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<StoreOp>(user);
    return store && store.getArray() == array;
  });
}

std::string tile::getSourceName(Value value) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    return name.getName().str();
  Operation *op = value.getDefiningOp();
  return op ? op->getName().getStringRef().str() : "carried";
}
