// Formulas over the sizes and numbers of a call, as small trees of JSON that a loader evaluates.
#ifndef ATTN_TARGET_SIDECAR_FORMULA_H
#define ATTN_TARGET_SIDECAR_FORMULA_H

#include "Parameters.h"

namespace attn::sidecar {

/// What the function returns, as a formula; a diagnostic at the op that has no place in one.
/// `parameters` are those of its kernel, which takes the same arguments.
mlir::FailureOr<llvm::json::Value> makeFormula(mlir::func::FuncOp function,
                                               const Parameters &parameters);

} // namespace attn::sidecar

#endif // ATTN_TARGET_SIDECAR_FORMULA_H
