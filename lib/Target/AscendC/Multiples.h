// What is known of the divisors of a number.
#ifndef ATTN_TARGET_ASCENDC_MULTIPLES_H
#define ATTN_TARGET_ASCENDC_MULTIPLES_H

#include "mlir/IR/Value.h"

namespace attn::ascendc {

/// Whether `number` is known to be a multiple of `unit`.
bool isMultipleOf(mlir::Value number, int64_t unit);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_MULTIPLES_H
