// What the modelled chip takes of HIVM.
#ifndef ATTN_LIB_SIMULATOR_HIVM_CHECKFORM_H
#define ATTN_LIB_SIMULATOR_HIVM_CHECKFORM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn::hivm {

/// Emits an error at the first part of `entry` that the modelled chip cannot run. What passes is
/// run without looking at its form again.
mlir::LogicalResult checkForm(mlir::func::FuncOp entry);

} // namespace attn::hivm

#endif // ATTN_LIB_SIMULATOR_HIVM_CHECKFORM_H
