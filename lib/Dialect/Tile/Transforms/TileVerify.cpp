// tile-verify: the gate at the end of the tile stage.
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_TILEVERIFYPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// The first symbol in a type or dimension, or null.
template <typename TypeOrDim> static StringAttr findSymbol(TypeOrDim within) {
  StringAttr found;
  within.walk([&](StringAttr symbol) { found = found ? found : symbol; });
  return found;
}

static LogicalResult verifyBound(Operation *op) {
  auto checkSymbol = [&](StringAttr symbol) -> LogicalResult {
    if (!symbol)
      return success();
    return op->emitOpError() << "has the unbound block size '" << symbol.getValue()
                             << "': tile-fit-tiles must run first";
  };
  auto check = [&](Type type) -> LogicalResult {
    if (isa<SoftmaxStateType>(type))
      return op->emitOpError(
          "has a softmax state, which must be lowered first by tile-decompose-softmax");
    return isa<TileType, SpanType>(type) ? checkSymbol(findSymbol(type)) : success();
  };
  if (auto size = dyn_cast<SizeOp>(op); size && failed(checkSymbol(findSymbol(size.getDim()))))
    return failure();
  return failure(llvm::any_of(getDefinedValues(op),
                              [&](Value value) { return failed(check(value.getType())); }));
}

/// Columns must be contiguous in memory.
static LogicalResult verifySelection(Operation *op, ArrayRef<int64_t> kinds) {
  int64_t columns = getSelection(kinds).colDimension;
  if (columns < 0)
    return success();
  if (columns + 1 != static_cast<int64_t>(kinds.size()))
    return op->emitOpError() << "takes its columns from dimension " << columns
                             << "; they must come from the last, which is contiguous";
  return success();
}

static LogicalResult verifyBody(func::FuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (failed(verifyBound(op)))
      return WalkResult::interrupt();
    if (isa<GridOp, AccumulateOp>(op)) {
      op->emitOpError("must be lowered first by tile-clamp-grid");
      return WalkResult::interrupt();
    }
    auto mask = dyn_cast<BandMaskOp>(op);
    if (isa<BandDotOp, BandMixOp, BandSpreadOp>(op) || (mask && !mask.getTransposed())) {
      op->emitOpError("must be lowered first by tile-lower-band-gather");
      return WalkResult::interrupt();
    }
    if (auto load = dyn_cast<LoadOp>(op))
      return WalkResult(verifySelection(op, load.getKinds()));
    if (auto store = dyn_cast<StoreOp>(op))
      return WalkResult(verifySelection(op, store.getKinds()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyArguments(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto array = dyn_cast<ArrayType>(argument.getType());
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(number, launch::dimsName);
    if (!array) {
      if (dims || kernel.getArgAttr(number, launch::outputName) ||
          kernel.getArgAttr(number, launch::workspaceName))
        return kernel.emitError() << "argument " << number
                                  << " is described as an array, but is not one";
      continue;
    }
    if (!dims || static_cast<int64_t>(dims.size()) != array.getRank())
      return kernel.emitError() << "argument " << number << " needs '" << launch::dimsName
                                << "' with one entry per dimension";
    for (auto [dim, size] : llvm::zip_equal(dims, array.getShape())) {
      auto expected = dyn_cast<IntegerAttr>(dim);
      if (ShapedType::isDynamic(size) ? static_cast<bool>(expected)
                                      : !expected || expected.getInt() != size)
        return kernel.emitError() << "'" << launch::dimsName << "' of argument " << number
                                  << " says " << dim << " where the type is " << array;
    }
  }
  return success();
}

/// A later phase follows a kernel that takes the same arguments.
static LogicalResult verifyOrder(ModuleOp module, func::FuncOp kernel) {
  auto after = kernel->getAttrOfType<FlatSymbolRefAttr>(launch::afterName);
  if (!after)
    return success();
  auto before = module.lookupSymbol<func::FuncOp>(after.getAttr());
  if (!before || !before->hasAttr("tile.kernel") || before == kernel ||
      before.getArgumentTypes() != kernel.getArgumentTypes())
    return kernel.emitError() << "'" << launch::afterName << "' names '" << after.getValue()
                              << "', which is not another kernel with the same arguments";
  return success();
}

static LogicalResult verifyLaunch(ModuleOp module, func::FuncOp kernel) {
  if (!kernel->hasAttr(launch::limitName))
    return kernel.emitError() << "needs '" << launch::limitName
                              << "': tile-clamp-grid must run first";
  func::FuncOp counter;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto of = function->getAttrOfType<FlatSymbolRefAttr>(launch::gridOfName);
    if (!of || of.getValue() != kernel.getName())
      continue;
    if (counter)
      return function.emitError() << "is the second function that counts the tiles of '"
                                  << kernel.getName() << "'";
    counter = function;
  }
  if (!counter)
    return kernel.emitError("no function counts its tiles: tile-clamp-grid must run first");
  if (counter.getArgumentTypes() != kernel.getArgumentTypes() || counter.getNumResults() != 1 ||
      !counter.getResultTypes().front().isIndex() || counter.isDeclaration())
    return counter.emitError() << "must take the arguments of '" << kernel.getName()
                               << "' and return one index";
  WalkResult bound = counter.walk([](Operation *op) { return WalkResult(verifyBound(op)); });
  return failure(bound.wasInterrupted());
}

namespace {
struct TileVerify : attn::impl::TileVerifyPassBase<TileVerify> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels) {
      if (kernel->hasAttr("tile.symbols")) {
        kernel.emitError("has unbound block sizes: tile-fit-tiles must run first");
        return signalPassFailure();
      }
      if (failed(verifyBody(kernel)) || failed(verifyArguments(kernel)) ||
          failed(verifyOrder(getOperation(), kernel)) ||
          failed(verifyLaunch(getOperation(), kernel)))
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
