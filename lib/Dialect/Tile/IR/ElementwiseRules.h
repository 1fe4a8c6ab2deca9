// Rules of tile ops that compute on elements, for the files that define some.
#ifndef ATTN_DIALECT_TILE_IR_ELEMENTWISERULES_H
#define ATTN_DIALECT_TILE_IR_ELEMENTWISERULES_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// Checks that the vector unit computes on such elements.
mlir::LogicalResult verifyArithmeticType(mlir::Operation *op, mlir::Type elementType);

/// The type of a part in its whole, where it may lie transposed.
TileType transposeIf(TileType part, bool transposed);

/// Checks that all operands are tiles of f32 that can be broadcast to the result, and nothing
/// larger.
mlir::LogicalResult verifyElementwise(mlir::Operation *op);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_IR_ELEMENTWISERULES_H
