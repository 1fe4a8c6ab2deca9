// The families of tile ops that have no forms of their own to ask about.
#ifndef ATTN_TILEONCHIP_FAMILIES_REGISTRATION_H
#define ATTN_TILEONCHIP_FAMILIES_REGISTRATION_H

#include "mlir/IR/MLIRContext.h"

namespace attn::onchip {

/// Attaches the models of loops, conditions, their yields and phases.
void registerLoops(mlir::MLIRContext *context);

/// Attaches the models of spans, sizes, dimensions and block numbers.
void registerScalars(mlir::MLIRContext *context);

/// Attaches the models of integers from memory, lists of rows, and indices brought inside arrays.
void registerIndices(mlir::MLIRContext *context);

/// Attaches the models of band masks, and of what must be lowered before the chip: grids, softmax
/// states, band products.
void registerBands(mlir::MLIRContext *context);

/// Attaches the models of columns that a span lacks.
void registerColumnTails(mlir::MLIRContext *context);

/// Attaches what loads, stores and conversions are on cube cores.
void registerCubeTransfers(mlir::MLIRContext *context);

/// Attaches the models of ramps, comparisons and choices by masks.
void registerMasks(mlir::MLIRContext *context);

/// Attaches the models of rows as columns.
void registerTransposes(mlir::MLIRContext *context);

/// Attaches the models of products and of the rows that their sums start from.
void registerProducts(mlir::MLIRContext *context);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_REGISTRATION_H
