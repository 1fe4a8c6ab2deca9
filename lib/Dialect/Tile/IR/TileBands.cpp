// Bands in the tile dialect: rules.
#include "ElementwiseRules.h"

using namespace mlir;
using namespace attn::tile;

/// Checks that `band` has a tap for each row of a window around `rows` rows.
static LogicalResult verifyBand(Operation *op, Attribute rows, Attribute window, TileType band) {
  auto taps = dyn_cast<IntegerAttr>(band.getCols());
  if (!taps)
    return op->emitOpError() << "needs a number of taps, not those of " << band;
  if (band.getRows() != rows)
    return op->emitOpError() << "has taps " << band << " for other rows";
  if (addToDim(rows, taps.getInt() - 1) != window)
    return op->emitOpError() << "needs a window of " << taps.getInt() - 1
                             << " rows more than its rows for " << taps.getInt() << " taps";
  return success();
}

/// Checks the tiles of rows and of the window besides: same columns, f32.
static LogicalResult verifyBand(Operation *op, TileType rows, TileType window, TileType band) {
  for (TileType type : {rows, window, band})
    if (failed(verifyArithmeticType(op, type.getElementType())))
      return failure();
  if (rows.getCols() != window.getCols())
    return op->emitOpError() << "has rows " << rows << " and a window " << window
                             << " of other columns";
  return verifyBand(op, rows.getRows(), window.getRows(), band);
}

LogicalResult BandDotOp::verify() {
  return verifyBand(*this, getRows().getType(), getWindow().getType(), getResult().getType());
}

LogicalResult BandMixOp::verify() {
  return verifyBand(*this, getResult().getType(), getWindow().getType(), getWeights().getType());
}

LogicalResult BandSpreadOp::verify() {
  return verifyBand(*this, getRows().getType(), getResult().getType(), getWeights().getType());
}

LogicalResult BandMaskOp::verify() {
  TileType band = transposeIf(getResult().getType(), getTransposed());
  if (!getWindow().getType().getFilled())
    return emitOpError("takes the span of a window, which is 'filled'");
  if (failed(verifyArithmeticType(*this, band.getElementType())))
    return failure();
  return verifyBand(*this, band.getRows(), getWindow().getType().getSize(), band);
}
