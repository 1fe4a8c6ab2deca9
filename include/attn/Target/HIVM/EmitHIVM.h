// Prints chip kernels as HIVM text, for the vendor's compiler: our memory plan, flags and barriers
// in its IR.
#ifndef ATTN_TARGET_HIVM_EMITHIVM_H
#define ATTN_TARGET_HIVM_EMITHIVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace attn::hivm {

struct HIVMOptions {
  /// Print the location of each op, which names the author's Python.
  bool locations = true;
};

/// Prints the kernels of `module` as one HIVM module. They must keep their composites and be
/// planned and synchronised (the pipeline `attn-hivm`); what is not, and what HIVM has no op for,
/// gives a diagnostic at its place, and nothing is printed.
mlir::LogicalResult emitHIVM(mlir::ModuleOp module, llvm::raw_ostream &os,
                             const HIVMOptions &options = {});

} // namespace attn::hivm

#endif // ATTN_TARGET_HIVM_EMITHIVM_H
