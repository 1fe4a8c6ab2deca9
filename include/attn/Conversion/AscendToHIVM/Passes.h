// The passes of Conversion/AscendToHIVM.
#ifndef ATTN_CONVERSION_ASCENDTOHIVM_PASSES_H
#define ATTN_CONVERSION_ASCENDTOHIVM_PASSES_H

#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Conversion/AscendToHIVM/Passes.h.inc"

/// The kernels of `module`, which keep their composites and are planned and synchronised, as a
/// module of the vendor's dialect. What is not ready, and what HIVM has no op for, gives a
/// diagnostic.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> convertToHIVM(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_CONVERSION_ASCENDTOHIVM_PASSES_H
