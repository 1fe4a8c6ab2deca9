// tile-copy-sums: lets vector cores hand on products of f32 that are multiplied again (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Machine/Chip.h"
#include "attn/TileOnChip/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn {
#define GEN_PASS_DEF_COPYSUMSPASS
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Whether a tile is a product, or what a loop sums products up in.
static bool isSums(Value tile) {
  if (auto loop = tile.getDefiningOp<RangeOp>())
    return isSums(loop.getYield().getValues()[cast<OpResult>(tile).getResultNumber()]);
  return isa_and_present<DotOp>(tile.getDefiningOp());
}

/// Sums cannot leave L0C for L1 in f32, but arithmetic of vector cores may have them on its way:
/// that which changes nothing.
static void copyOperand(OpOperand &use) {
  auto type = dyn_cast<TileType>(use.get().getType());
  if (!type || !type.getElementType().isF32() || !isSums(use.get()))
    return;
  ImplicitLocOpBuilder builder(use.getOwner()->getLoc(), use.getOwner());
  IntegerAttr one = getDim(builder.getContext(), 1);
  Value number = arith::ConstantOp::create(builder, builder.getF32FloatAttr(1.0f));
  Value factor = SplatOp::create(
      builder, TileType::get(builder.getContext(), one, one, builder.getF32Type()), number);
  use.set(MulOp::create(builder, type, use.get(), factor));
}

namespace {
struct CopySums : attn::impl::CopySumsPassBase<CopySums> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    if (chip->isHost)
      return;
    for (func::FuncOp kernel : *kernels)
      kernel.walk([](Operation *op) {
        if (auto dot = dyn_cast<DotOp>(op)) {
          copyOperand(dot.getAMutable());
          copyOperand(dot.getBMutable());
        } else if (auto push = dyn_cast<SoftmaxPushOp>(op); push && !push.getPerRow()) {
          copyOperand(push.getValuesMutable());
        }
      });
  }
};
} // namespace
