// Choosing between rows of an array and a buffer, by whether all rows of a tile exist. CPU stage,
// on tensors.
#ifndef ATTN_CPU_COMPILER_WHOLEROWS_H
#define ATTN_CPU_COMPILER_WHOLEROWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// Whether `rows` are all rows of a buffer of the given type.
mlir::Value createIsWhole(mlir::ImplicitLocOpBuilder &builder, mlir::Value rows,
                          mlir::MemRefType type);

mlir::Value createNot(mlir::ImplicitLocOpBuilder &builder, mlir::Value condition);

/// `part`, whose rows are a runtime number, with the rows of `type` instead: only for where that
/// number is the same.
mlir::Value createWholeView(mlir::ImplicitLocOpBuilder &builder, mlir::memref::SubViewOp part,
                            mlir::MemRefType type);

/// One of two memrefs of rank 2 and equal shape, whose rows lie at any distance.
mlir::Value createChoice(mlir::ImplicitLocOpBuilder &builder, mlir::Value condition,
                         mlir::Value view, mlir::Value buffer);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_WHOLEROWS_H
