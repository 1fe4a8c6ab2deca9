// Prints chip kernels as AscendC C++: the last stage on the way to the vendor's compiler.
#ifndef ATTN_TARGET_ASCENDC_EMITASCENDC_H
#define ATTN_TARGET_ASCENDC_EMITASCENDC_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <map>
#include <string>
#include <vector>

namespace attn::ascendc {

/// How a kernel says which cores it is for.
enum class KernelForm {
  /// `__global__ __vector__ void`, from CANN 8.5 on.
  Attribute,
  /// `__global__ __aicore__ void`, and `KERNEL_TASK_TYPE_DEFAULT` as first statement.
  TaskType,
};

/// The lines of files by their names.
using SourceLines = std::map<std::string, std::vector<std::string>>;

struct AscendCOptions {
  /// Print `#line` directives that map statements to the author's Python.
  bool lineDirectives = true;
  KernelForm kernelForm = KernelForm::Attribute;
  /// Kernels whose blocks meet say that they start only once all their cores are free. A launcher
  /// of objects says so with each launch; functions of a library cannot.
  bool waitsForCores = false;
  /// The author's files. Statements that come from a line of theirs stand below a comment with it.
  SourceLines sources;
};

/// The files that the locations of `module` name.
std::vector<std::string> getSourceFiles(mlir::ModuleOp module);

/// Those of them that can be read here.
SourceLines readSources(mlir::ModuleOp module);

/// Prints the kernels of `module` as one AscendC translation unit. They must be planned and
/// synchronised (the pipeline `attn-ascend`); what is not gives a diagnostic that names the missing
/// pass, and nothing is printed.
mlir::LogicalResult emitAscendC(mlir::ModuleOp module, llvm::raw_ostream &os,
                                const AscendCOptions &options = {});

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_EMITASCENDC_H
