// Which columns of a tile a mask of positions leaves to its rows.
#ifndef ATTN_CPU_TRANSFORMS_SEENCOLUMNS_H
#define ATTN_CPU_TRANSFORMS_SEENCOLUMNS_H

#include "ProductSteps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn::jit {

/// Where a mask lets row `r` of the result of a product see its first `r + offset` columns, and
/// replaces all others before they are looked at: that offset, computed before the product.
/// Otherwise null.
mlir::Value findSeenResult(mlir::linalg::MatmulOp product);

/// The same for the left operand of a product: its other columns were computed from what a mask has
/// put there. Whether that is zero is not known.
mlir::Value findSeenLeft(mlir::linalg::MatmulOp product);

/// The columns of a row that sees `seen` of them, in whole vectors.
mlir::Value roundUpSeen(mlir::ImplicitLocOpBuilder &builder, mlir::Value seen, int64_t lanes);

/// Whether all is zero that rows of a left operand do not see, but for the rest of the last vector
/// of what they see.
mlir::Value createZeroCheck(mlir::ImplicitLocOpBuilder &builder, const Matrix &left,
                            mlir::Value offset, int64_t lanes);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_SEENCOLUMNS_H
