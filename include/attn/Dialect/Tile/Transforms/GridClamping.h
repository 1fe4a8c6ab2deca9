// Turns the grids of a kernel into each block's share of them; used by tile-clamp-grid, and by
// passes that try what a kernel would cost.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_GRIDCLAMPING_H
#define ATTN_DIALECT_TILE_TRANSFORMS_GRIDCLAMPING_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::tile {

/// Replaces every grid of `kernel` by a `parallel` range over the tiles of the block that runs it,
/// in the order of its `tile.choice`, and every accumulation by a row that the range carries. A
/// kernel without grids is left alone.
mlir::LogicalResult clampGrids(mlir::func::FuncOp kernel);

/// How many tiles each axis of `grid` has over `extents`.
llvm::SmallVector<mlir::Value> countTiles(mlir::ImplicitLocOpBuilder &builder, GridOp grid,
                                          mlir::ValueRange extents);

/// The product of index values; 1 for none.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange factors);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_GRIDCLAMPING_H
