// Prints chip kernels as AscendC C++: the last stage on the way to the vendor's compiler.
#ifndef ATTN_TARGET_ASCENDC_EMITASCENDC_H
#define ATTN_TARGET_ASCENDC_EMITASCENDC_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace attn::ascendc {

struct AscendCOptions {
  /// Print `#line` directives that map statements to the author's Python.
  bool lineDirectives = true;
};

/// Prints the kernels of `module` as one AscendC translation unit. They must be planned and
/// synchronised (the pipeline `attn-ascend`); what is not gives a diagnostic that names the missing
/// pass, and nothing is printed.
mlir::LogicalResult emitAscendC(mlir::ModuleOp module, llvm::raw_ostream &os,
                                const AscendCOptions &options = {});

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_EMITASCENDC_H
