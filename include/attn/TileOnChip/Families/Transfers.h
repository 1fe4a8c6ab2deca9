// How loads and stores move a tile between memory and the chip.
#ifndef ATTN_TILEONCHIP_FAMILIES_TRANSFERS_H
#define ATTN_TILEONCHIP_FAMILIES_TRANSFERS_H

#include "attn/TileOnChip/ChipModel.h"

namespace attn::onchip {

enum class TransferForm {
  Rows,             // rows of contiguous elements
  ContiguousColumn, // one run of elements that become a column
  StridedColumn,    // one element per row, gathered through a buffer of one data block per row
  Unsupported,
};

TransferForm getTransferForm(tile::LoadOp op);
TransferForm getTransferForm(tile::StoreOp op);

/// Attaches the models of loads and stores.
void registerTransfers(mlir::MLIRContext *context);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_TRANSFERS_H
