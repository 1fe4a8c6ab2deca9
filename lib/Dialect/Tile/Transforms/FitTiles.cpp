// tile-fit-tiles: applies the sizes, stages and strips that were chosen (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/SizeChoice.h"
#include "attn/Launch/IR/LaunchOrder.h"

namespace attn {
#define GEN_PASS_DEF_FITTILESPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Binds the function that counts the tiles of `kernel`. It takes the same arguments, so workspaces
/// that were added for strips are added to it.
static void bindCounter(func::FuncOp kernel, ArrayRef<BoundSize> sizes) {
  func::FuncOp counter = launch::getCounter(kernel);
  if (!counter)
    return;
  bindSizes(counter, sizes);
  launch::addNewArguments(kernel);
}

namespace {
struct FitTiles : attn::impl::FitTilesPassBase<FitTiles> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(kernels))
      return signalPassFailure();
    for (func::FuncOp kernel : *kernels)
      if (failed(bind(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult bind(func::FuncOp kernel) {
    auto choice = kernel->getAttrOfType<ChoiceAttr>("tile.choice");
    if (!choice)
      return kernel.emitError("has no tile.choice: tile-choose must run first");
    SizeChoice sizes = getSizeChoice(choice);
    kernel->removeAttr("tile.choice");
    if (!applySizes(kernel, sizes))
      return kernel.emitError("cannot be computed in the strips of its tile.choice");
    bindCounter(kernel, sizes.sizes);
    ++kernelsBound;
    kernelsInStrips += sizes.stripColumns > 0;
    return success();
  }
};
} // namespace
