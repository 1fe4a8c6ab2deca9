// Writes out products of matrices that lie in L1.
#ifndef ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_MATMULEXPANSION_H
#define ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_MATMULEXPANSION_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// Writes `op` out before itself as a loop over parts of k: loads of both operands and a product.
/// `group` is a free number of `apartName`.
mlir::LogicalResult expandMatmul(MatmulOp op, const IndexRanges &ranges, int64_t group);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_MATMULEXPANSION_H
