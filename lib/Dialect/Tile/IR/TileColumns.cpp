// Columns that a span lacks, and rows as columns, in the tile dialect: rules.
#include "attn/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace attn::tile;

LogicalResult FillColumnsOp::verify() {
  TileType type = getResult().getType();
  SpanType span = getSpan().getType();
  if (!type.getElementType().isF32())
    return emitOpError() << "fills tiles of f32, not of " << type.getElementType();
  if (span.getFilled())
    return emitOpError() << "takes a span of which only the last columns may be missing, not "
                         << span;
  if (span.getSize() != type.getCols())
    return emitOpError() << "takes a span of as many columns as " << type << " has, not " << span;
  return success();
}

LogicalResult TransposeOp::verify() {
  TileType input = getInput().getType();
  auto expected =
      TileType::get(getContext(), input.getCols(), input.getRows(), input.getElementType());
  if (getResult().getType() != expected)
    return emitOpError() << "gives " << expected << ", not " << getResult().getType();
  return success();
}
