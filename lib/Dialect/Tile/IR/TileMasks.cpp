// Masks in the tile dialect: rules.
#include "ElementwiseRules.h"

using namespace mlir;
using namespace attn::tile;

LogicalResult RampOp::verify() {
  TileType type = getResult().getType();
  IntegerAttr one = getDim(getContext(), 1);
  if (!type.getElementType().isF32() || (type.getRows() != one && type.getCols() != one))
    return emitOpError() << "gives a row or a column of f32, not " << type;
  return success();
}

LogicalResult CompareOp::verify() { return verifyElementwise(*this); }

LogicalResult SelectOp::verify() { return verifyElementwise(*this); }
