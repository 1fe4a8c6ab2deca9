// Which form of the chip arithmetic on tiles takes, from its shapes alone.
#ifndef ATTN_TILEONCHIP_FAMILIES_ELEMENTWISE_H
#define ATTN_TILEONCHIP_FAMILIES_ELEMENTWISE_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::onchip {

/// How the two operands of an elementwise op meet. "Full" is an operand of the result's shape.
enum class BinaryForm {
  Elements, // both are full
  Scalar,   // full and a splat, taken as a scalar
  Column,   // full and one value per row
  Row,      // full and one row
  One,      // full, of several rows, and a single value in memory
  Outer,    // a column and a row
};

struct BinaryShape {
  BinaryForm form;
  /// Whether the full operand (the column, for `Outer`) is the right one.
  bool swapped;

  unsigned getFullOperand() const { return swapped ? 1 : 0; }
  unsigned getOtherOperand() const { return swapped ? 0 : 1; }
};

/// The shape of an op for which `isBinary` holds.
BinaryShape getBinaryShape(mlir::Operation *op);

/// Whether the use takes a splat as a scalar and needs no buffer for it.
bool isScalarUse(mlir::OpOperand &use);

/// Attaches the models of arithmetic and casts.
void registerElementwise(mlir::MLIRContext *context);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_ELEMENTWISE_H
