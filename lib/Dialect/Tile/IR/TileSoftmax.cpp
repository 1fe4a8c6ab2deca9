// Softmax states in the tile dialect: rules.
#include "attn/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace attn::tile;

/// Whether a state is several parts of so many rows.
static bool hasParts(SoftmaxStateType state, TileType part) {
  auto all = dyn_cast<IntegerAttr>(state.getRows()), some = dyn_cast<IntegerAttr>(part.getRows());
  return all && some && all.getInt() % some.getInt() == 0;
}

LogicalResult SoftmaxPushOp::verify() {
  SoftmaxStateType state = getState().getType();
  TileType scores = getScores().getType(), values = getValues().getType();
  if (!scores.getElementType().isF32())
    return emitOpError() << "takes f32 scores, not " << scores.getElementType();
  if (!getPart() && scores.getRows() != state.getRows())
    return emitOpError() << "has scores " << scores << " for a state of other rows, " << state;
  if (getPart() && !hasParts(state, scores))
    return emitOpError() << "pushes scores " << scores << " to a part of " << state
                         << ", whose rows are not parts of as many";
  if (values.getCols() != state.getCols())
    return emitOpError() << "has values " << values << " for a state of other columns, " << state;
  Attribute one = getDim(getContext(), 1);
  if (getPerRow() && (scores.getCols() != one || values.getRows() != scores.getRows()))
    return emitOpError() << "per row needs scores m x 1 and values m x d, not " << scores << " and "
                         << values;
  if (!getPerRow() && scores.getCols() != values.getRows())
    return emitOpError() << "shared needs scores m x k and values k x d, not " << scores << " and "
                         << values;
  if (getPerRow() && !values.getElementType().isF32())
    return emitOpError() << "per row takes f32 values, not " << values.getElementType();
  if (!isa<FloatType>(values.getElementType()))
    return emitOpError() << "takes f16, bf16 or f32 values, not " << values.getElementType();
  return success();
}

LogicalResult SoftmaxFinishOp::verify() {
  SoftmaxStateType state = getState().getType();
  Type f32 = Float32Type::get(getContext());
  auto output = TileType::get(getContext(), state.getRows(), state.getCols(), f32);
  auto lse = TileType::get(getContext(), state.getRows(), getDim(getContext(), 1), f32);
  if (getOutput().getType() != output || getLse().getType() != lse)
    return emitOpError() << "gives " << output << " and " << lse;
  return success();
}
