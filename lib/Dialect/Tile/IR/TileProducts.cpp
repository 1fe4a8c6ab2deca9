// Products of matrices in the tile dialect, and what their sums start from: rules and folds.
#include "attn/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace attn::tile;

Type DotOp::getSumType(Type elementType) {
  if (elementType.isF16() || elementType.isBF16() || elementType.isF32())
    return Float32Type::get(elementType.getContext());
  return elementType.isInteger(8) ? IntegerType::get(elementType.getContext(), 32) : Type();
}

Attribute DotOp::getLeftRows() {
  return getTransposeA() ? getA().getType().getCols() : getA().getType().getRows();
}
Attribute DotOp::getLeftInner() {
  return getTransposeA() ? getA().getType().getRows() : getA().getType().getCols();
}
Attribute DotOp::getRightInner() {
  return getTransposeB() ? getB().getType().getCols() : getB().getType().getRows();
}
Attribute DotOp::getRightCols() {
  return getTransposeB() ? getB().getType().getRows() : getB().getType().getCols();
}

LogicalResult DotOp::verify() {
  TileType a = getA().getType(), b = getB().getType();
  if (a.getElementType() != b.getElementType())
    return emitOpError() << "multiplies " << a << " by " << b
                         << ", but both must have one element type";
  Type sum = getSumType(a.getElementType());
  if (!sum)
    return emitOpError() << "multiplies f16, bf16, f32 or i8, not " << a.getElementType();
  if (getLeftInner() != getRightInner())
    return emitOpError() << "multiplies " << a << (getTransposeA() ? " (transposed)" : "") << " by "
                         << b << (getTransposeB() ? " (transposed)" : "")
                         << ": the columns of the left and the rows of the right must agree";
  auto expected = TileType::get(getContext(), getLeftRows(), getRightCols(), sum);
  if (getResult().getType() != expected)
    return emitOpError() << "gives " << expected << ", not " << getResult().getType();
  if (getAcc() && getAcc().getType() != expected)
    return emitOpError() << "adds to " << expected << ", not to " << getAcc().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  TileType row = getRow().getType(), result = getResult().getType();
  if (row.getRows() != getDim(getContext(), 1))
    return emitOpError() << "repeats a single row, not " << row;
  if (row.getCols() != result.getCols() || row.getElementType() != result.getElementType())
    return emitOpError() << "cannot make " << result << " of rows " << row;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getRow().getType() == getResult().getType() ? getRow() : Value();
}
