// Starts the sums that a loop of a cube half carries before the loop, where that exchanges tiles
// (tile on the chip).
#include "attn/TileOnChip/Placement.h"
#include "attn/TileOnChip/SumsOutput.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Numbers the products that start sums. Each is changed in its place by a loop of its own, so that
/// equal ones must not be joined.
static constexpr llvm::StringLiteral startName = "tile.start";

/// Whether an iteration waits for the other half or signals to it.
static bool exchangesTiles(RangeOp range) {
  return range.getBody()
      .walk([](Operation *op) {
        return isa<SignalOp, AwaitOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A product that adds to what a loop carries, maybe in a loop inside.
static DotOp findProduct(Value sums) {
  for (OpOperand &use : sums.getUses()) {
    if (auto dot = dyn_cast<DotOp>(use.getOwner()))
      return dot;
    if (auto carried = getCarriedPosition(use); carried && isa<RangeOp>(use.getOwner()))
      if (DotOp dot = findProduct(carried->first.getCarried()[carried->second]))
        return dot;
  }
  return {};
}

/// Zeros of the type that `like` multiplies, added to `start`. The right operand is stored by
/// columns, as every type can be.
static DotOp addNothing(ImplicitLocOpBuilder &builder, Value start, DotOp like) {
  auto type = cast<TileType>(start.getType());
  Type element = like.getA().getType().getElementType();
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(element));
  auto inner = builder.getI64IntegerAttr(getFractalUnit(element));
  auto makeZeros = [&](Attribute rows) -> Value {
    return SplatOp::create(builder, TileType::get(builder.getContext(), rows, inner, element),
                           zero);
  };
  return DotOp::create(builder, type, makeZeros(type.getRows()), makeZeros(type.getCols()), start,
                       /*transpose_a=*/false, /*transpose_b=*/true);
}

void onchip::startSums(func::FuncOp cubeHalf) {
  int64_t started = 0;
  cubeHalf.walk<WalkOrder::PreOrder>([&](RangeOp range) {
    if (!exchangesTiles(range))
      return;
    ImplicitLocOpBuilder builder(range.getLoc(), range);
    for (OpOperand &init : range.getInitsMutable()) {
      Operation *maker = init.get().getDefiningOp();
      unsigned position = getCarriedPosition(init)->second;
      DotOp product = findProduct(range.getCarried()[position]);
      if (!isa_and_present<SplatOp, BroadcastOp>(maker) || !product)
        continue;
      DotOp start = addNothing(builder, init.get(), product);
      start->setAttr(startName, builder.getI64IntegerAttr(started++));
      init.set(start.getResult());
    }
  });
}
