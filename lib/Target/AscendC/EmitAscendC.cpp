// Prints the kernels of a module as one AscendC translation unit.
#include "attn/Target/AscendC/EmitAscendC.h"
#include "KernelEmitter.h"
#include "attn/Launch/Convention/Description.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

LogicalResult attn::ascendc::emitAscendC(ModuleOp module, raw_ostream &os,
                                         const AscendCOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "#include \"kernel_operator.h\"\n";
  FailureOr<SmallVector<func::FuncOp>> kernels = getPrintableKernels(module, "AscendC");
  if (failed(kernels))
    return failure();
  for (func::FuncOp kernel : *kernels) {
    stream << "\n";
    if (failed(KernelEmitter(kernel, stream, options).emit()))
      return failure();
  }
  os << stream.str();
  return success();
}
