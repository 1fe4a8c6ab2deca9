// Computes long rows in strips of columns; used by tile-fit-tiles where whole rows do not fit.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_STRIPMINE_H
#define ATTN_DIALECT_TILE_TRANSFORMS_STRIPMINE_H

#include "attn/Dialect/Tile/Analysis/StripPlan.h"

namespace attn::tile {

/// Rewrites a bound kernel as `plan`, made for it, says: rows in strips of `columns`, and what is
/// left over as a last, narrower strip. Loops over strips have `stages`.
void stripMine(mlir::func::FuncOp kernel, const StripPlan &plan, int64_t columns, int64_t stages);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_STRIPMINE_H
