// Fills the columns that spans lack where a reduction would see them; used by tile-fill-columns,
// and by passes that try what a kernel would cost.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_COLUMNFILLING_H
#define ATTN_DIALECT_TILE_TRANSFORMS_COLUMNFILLING_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// Writes a `tile.fill_columns` before every reduction along columns of which some may be missing.
/// Returns how many were written.
int64_t fillColumns(mlir::func::FuncOp kernel);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_COLUMNFILLING_H
