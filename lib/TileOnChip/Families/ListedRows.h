// Rows of a list in memory that follow each other in the array (tile on the chip).
#ifndef ATTN_LIB_TILEONCHIP_FAMILIES_LISTEDROWS_H
#define ATTN_LIB_TILEONCHIP_FAMILIES_LISTEDROWS_H

#include "attn/TileOnChip/Families/ArrayPlace.h"

namespace attn::onchip {

/// Whether rows of a list that follow each other are moved at once: where each on its own takes the
/// pipe so much longer that it pays for looking at the next one.
bool mayFormRuns(tile::TileType type);

/// Moves the rows of a list, `length` elements of each and padded by `rightPad`, those that follow
/// each other in the array at once.
void copyRuns(Lowering &lowering, tile::LoadOp op, const ArrayPlace &place, mlir::Value length,
              int64_t rightPad);

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_FAMILIES_LISTEDROWS_H
