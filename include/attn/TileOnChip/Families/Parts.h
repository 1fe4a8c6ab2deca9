// How the part of a tile that an extraction or insertion names is reached on the chip.
#ifndef ATTN_TILEONCHIP_FAMILIES_PARTS_H
#define ATTN_TILEONCHIP_FAMILIES_PARTS_H

#include "attn/TileOnChip/ChipModel.h"

namespace attn::onchip {

enum class PartForm {
  InPlace,  // one run of the whole's elements: instructions work on it where it lies
  Rows,     // rows that start at data blocks of the whole: copied one by one
  Elements, // a run that starts at a data block, with something after it: copied element by element
  Blocks,   // a run of a column that starts anywhere: through one data block per element
  Unsupported,
};

PartForm getPartForm(tile::ExtractOp op, const ChipModel &model);
PartForm getPartForm(tile::InsertOp op, const ChipModel &model);

/// Attaches the models of splats, undefined tiles, extractions and insertions.
void registerParts(mlir::MLIRContext *context);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_PARTS_H
