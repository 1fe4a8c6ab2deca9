// Which tile ops compute element by element, and which tiles are one value repeated.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_ELEMENTWISE_H
#define ATTN_DIALECT_TILE_ANALYSIS_ELEMENTWISE_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::tile {

/// Arithmetic on two tiles.
bool isBinary(mlir::Operation *op);
/// A function of one tile, and of scalars besides.
bool isUnary(mlir::Operation *op);

/// Whether each element of the result is computed from those of the operands at the same place:
/// arithmetic, functions, comparisons and choices.
bool isElementwise(mlir::Operation *op);

/// Whether `value` is a splat, so that it can be created again wherever it is needed.
bool isSplat(mlir::Value value);

/// The number that a splat is filled with, or none where it is not a constant.
std::optional<llvm::APFloat> getSplatConstant(mlir::Value splat);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_ELEMENTWISE_H
