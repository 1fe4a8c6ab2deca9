// Prints chip kernels as AscendC C++: the last stage on the way to the vendor's compiler.
#ifndef ATTN_TARGET_ASCENDC_EMITASCENDC_H
#define ATTN_TARGET_ASCENDC_EMITASCENDC_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace attn::ascendc {

/// How a kernel says which cores it is for.
enum class KernelForm {
  /// `__global__ __vector__ void`, from CANN 8.5 on.
  Attribute,
  /// `__global__ __aicore__ void`, and `KERNEL_TASK_TYPE_DEFAULT` as first statement.
  TaskType,
};

struct AscendCOptions {
  /// Print `#line` directives that map statements to the author's Python.
  bool lineDirectives = true;
  KernelForm kernelForm = KernelForm::Attribute;
  /// Kernels whose blocks meet say that they start only once all their cores are free. A launcher
  /// of objects says so with each launch; functions of a library cannot.
  bool waitsForCores = false;
};

/// Prints the kernels of `module` as one AscendC translation unit. They must be planned and
/// synchronised (the pipeline `attn-ascend`); what is not gives a diagnostic that names the missing
/// pass, and nothing is printed.
mlir::LogicalResult emitAscendC(mlir::ModuleOp module, llvm::raw_ostream &os,
                                const AscendCOptions &options = {});

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_EMITASCENDC_H
