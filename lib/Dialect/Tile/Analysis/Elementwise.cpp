// Which tile ops compute element by element (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

bool tile::isBinary(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp>(op);
}

bool tile::isUnary(Operation *op) {
  return isa<ExpOp, LogOp, SqrtOp, RsqrtOp, AbsOp, LeakyReluOp>(op);
}

bool tile::isElementwise(Operation *op) {
  return isBinary(op) || isUnary(op) || isa<CompareOp, SelectOp>(op);
}

bool tile::isSplat(Value value) { return value.getDefiningOp<SplatOp>() != nullptr; }

std::optional<APFloat> tile::getSplatConstant(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  FloatAttr constant;
  if (!splat || !matchPattern(splat.getValue(), m_Constant(&constant)))
    return std::nullopt;
  return constant.getValue();
}
