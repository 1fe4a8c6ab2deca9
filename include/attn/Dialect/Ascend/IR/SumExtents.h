// How large the sums of products are, for who orders products.
#ifndef ATTN_DIALECT_ASCEND_IR_SUMEXTENTS_H
#define ATTN_DIALECT_ASCEND_IR_SUMEXTENTS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace attn::ascend {

struct SumExtents {
  mlir::Value rows, cols;
};

/// The sums of `op`; none where it is not a product.
std::optional<SumExtents> getSumExtents(mlir::Operation *op);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_IR_SUMEXTENTS_H
