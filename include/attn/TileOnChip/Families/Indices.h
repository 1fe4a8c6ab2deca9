// Integers that the scalar unit reads from memory, and brings inside arrays.
#ifndef ATTN_TILEONCHIP_FAMILIES_INDICES_H
#define ATTN_TILEONCHIP_FAMILIES_INDICES_H

#include "attn/TileOnChip/Lowering.h"

namespace attn::onchip {

/// The integer of an array of the tile function at indices of the lowered one.
mlir::Value loadIndex(Lowering &lowering, mlir::Value array, llvm::ArrayRef<mlir::Value> indices);

/// The nearest number to `given` that does no harm as an index of an array of the tile function;
/// the modelled chip is told where that is another one, unless it is told elsewhere.
mlir::Value boundIndex(Lowering &lowering, mlir::Value given, tile::BoundKind kind,
                       mlir::Value array, int64_t dimension, bool isTold = true);

/// As above, for the first of `amount` indices that follow each other.
mlir::Value boundRun(Lowering &lowering, mlir::Value given, mlir::Value amount, mlir::Value array,
                     int64_t dimension);

/// The size of a dimension of an array of the tile function.
mlir::Value getSize(Lowering &lowering, mlir::Value array, int64_t dimension);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_INDICES_H
