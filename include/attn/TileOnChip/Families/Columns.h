// Columns whose elements lie one per data block: scratch and instructions that loads, stores and
// parts share.
#ifndef ATTN_TILEONCHIP_FAMILIES_COLUMNS_H
#define ATTN_TILEONCHIP_FAMILIES_COLUMNS_H

#include "attn/TileOnChip/Lowering.h"

namespace attn::onchip {

/// What kept composites need to spread a column to data blocks or to gather it from them.
ScratchNeed getCompositeColumn(tile::TileType column, const ChipModel &model);

/// A column as f32, as whole data blocks.
ScratchNeed getWideColumn(Scratch scratch, tile::TileType column, const ChipModel &model);

/// A column as f32, written to `wide` where it is narrower.
mlir::Value widen(Lowering &lowering, mlir::Value column, mlir::Value wide, int64_t elements);

/// Gathers the first element of each `rowElements` of `blocks` into `column`, for `op`. There are
/// `rows` of them, and never more than `bound`.
void gatherColumn(Lowering &lowering, mlir::Operation *op, mlir::Value column, mlir::Value blocks,
                  mlir::Value rows, int64_t bound, int64_t rowElements);

/// Fills one data block of `blocks` with each element of `column`, for `op`.
void spreadColumn(Lowering &lowering, mlir::Operation *op, mlir::Value blocks, mlir::Value column,
                  mlir::Value rows, int64_t bound);

/// The same, each `rowElements`, by composites: all `rows`, of f32.
void spreadByComposite(Lowering &lowering, mlir::Operation *op, mlir::Value blocks,
                       mlir::Value column, int64_t rows, int64_t rowElements);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_COLUMNS_H
