// The syntax of a tile dimension, a number, a symbol or their sum, for types and loops of the tile
// dialect.
#ifndef ATTN_LIB_DIALECT_TILE_IR_DIMENSION_H
#define ATTN_LIB_DIALECT_TILE_IR_DIMENSION_H

#include "mlir/IR/OpImplementation.h"

namespace attn::tile {

mlir::ParseResult parseDim(mlir::AsmParser &parser, mlir::Attribute &dim);

/// Prints what is not a dimension as the attribute it is, so that broken IR can still be shown.
void printDim(mlir::AsmPrinter &printer, mlir::Attribute dim);

mlir::LogicalResult verifyDim(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                              mlir::Attribute dim);

} // namespace attn::tile

#endif // ATTN_LIB_DIALECT_TILE_IR_DIMENSION_H
