// Writes the exchange of tiles between cube and vector cores into a kernel; used by
// tile-split-cores and by the search.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_EXCHANGE_H
#define ATTN_TILEONCHIP_TRANSFORMS_EXCHANGE_H

#include "attn/TileOnChip/ExchangePlan.h"

namespace attn::onchip {

/// The kind of core that runs an op which says so itself: signals and waits.
constexpr llvm::StringLiteral coreName = "tile.core";
/// The level of an op in a loop that is run level by level, and how far the levels of that loop may
/// run apart.
constexpr llvm::StringLiteral levelName = "tile.level";
constexpr llvm::StringLiteral preloadName = "tile.preload";
constexpr llvm::StringLiteral lagName = "tile.lag";
/// On an index: which slot an iteration uses, where it is the one after that of the iteration
/// before.
constexpr llvm::StringLiteral turnName = "tile.turn";
/// A transfer of the exchange, through a workspace of the group.
constexpr llvm::StringLiteral exchangedName = "tile.exchanged";

/// Lets vector cores add what cube cores cannot start sums from.
void detachAccumulators(mlir::func::FuncOp kernel);

/// Replaces every tile that crosses by a store of the core that makes it, a load of the core that
/// takes it, and signals that order them. The kernel stays one function that computes the same.
mlir::LogicalResult insertExchange(mlir::func::FuncOp kernel, const tile::GroupChoice &choice);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_EXCHANGE_H
