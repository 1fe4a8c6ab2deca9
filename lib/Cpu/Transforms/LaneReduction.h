// Folds the lanes of vectors into scalars, in a fixed order. CPU stage, on vectors.
#ifndef ATTN_CPU_COMPILER_LANEREDUCTION_H
#define ATTN_CPU_COMPILER_LANEREDUCTION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// `lhs` and `rhs` combined as `combiner` combines its operands.
mlir::Value combine(mlir::ImplicitLocOpBuilder &builder, mlir::Operation *combiner, mlir::Value lhs,
                    mlir::Value rhs);

/// One scalar per value, which are vectors or scalars already: of each vector, the upper half is
/// combined with the lower one until one lane is left. Vectors with the same combiner share the
/// work.
llvm::SmallVector<mlir::Value> combineLanes(mlir::ImplicitLocOpBuilder &builder,
                                            llvm::ArrayRef<mlir::Operation *> combiners,
                                            llvm::ArrayRef<mlir::Value> values);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_LANEREDUCTION_H
