// Prints host functions that launch kernels, for libraries that register themselves.
#ifndef ATTN_TARGET_ASCENDC_EMITLAUNCHER_H
#define ATTN_TARGET_ASCENDC_EMITLAUNCHER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace attn::ascendc {

/// Prints a file that includes the kernels' text (`kernels`, a file name) and has for each kernel a
/// function `launch_<kernel>` that takes the number of blocks, the stream and the kernel's
/// arguments. The kernels' own text stays plain C++.
mlir::LogicalResult emitLauncher(mlir::ModuleOp module, llvm::StringRef kernels,
                                 llvm::raw_ostream &os);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_EMITLAUNCHER_H
