// Which sums along rows are computed together with the product that they add up.
#ifndef ATTN_TILEONCHIP_FAMILIES_REDUCTIONS_H
#define ATTN_TILEONCHIP_FAMILIES_REDUCTIONS_H

#include "attn/TileOnChip/ChipModel.h"

namespace attn::onchip {

/// Whether a sum along the rows of a product is computed without writing the product: columns are
/// multiplied and added up one repeat at a time.
bool absorbsProduct(tile::ReduceOp sum, tile::MulOp product, const ChipModel &model);

/// Attaches the model of reductions.
void registerReductions(mlir::MLIRContext *context);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_REDUCTIONS_H
