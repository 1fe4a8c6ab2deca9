// How far two indices of a kernel can be apart, and what an index is a multiple of.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_INDEXBOUND_H
#define ATTN_DIALECT_TILE_ANALYSIS_INDEXBOUND_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::tile {

/// A number that `upper - lower` never exceeds, from sums, differences, minima and maxima of
/// numbers, bound sizes and whatever else cancels out; none where there is no such number.
std::optional<int64_t> getLargestDifference(mlir::Value upper, mlir::Value lower);

/// Whether an index is always a multiple of `factor`, as far as its computation tells.
bool isMultipleOf(mlir::Value index, int64_t factor);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_INDEXBOUND_H
