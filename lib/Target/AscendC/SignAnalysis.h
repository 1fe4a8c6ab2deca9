// Tells which integers of a kernel cannot be negative, so that unsigned ops need no casts in the
// text.
#ifndef ATTN_TARGET_ASCENDC_SIGNANALYSIS_H
#define ATTN_TARGET_ASCENDC_SIGNANALYSIS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::ascendc {

/// Sizes, strides and places stay far below 2^63, so sums and products of what is not negative are
/// not negative either.
class SignAnalysis {
public:
  bool isNonNegative(mlir::Value value);

private:
  llvm::DenseSet<mlir::Value> proven;
  llvm::DenseSet<mlir::Value> refuted;
};

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_SIGNANALYSIS_H
