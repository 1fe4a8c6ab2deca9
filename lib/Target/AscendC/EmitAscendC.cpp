// Prints the kernels of a module as one AscendC translation unit.
#include "attn/Target/AscendC/EmitAscendC.h"
#include "KernelEmitter.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Machine/LaunchDialect.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;

LogicalResult attn::ascendc::emitAscendC(ModuleOp module, raw_ostream &os,
                                         const AscendCOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "#include \"kernel_operator.h\"\n";
  bool hasKernel = false;
  for (Operation &op : module.getBody()->getOperations()) {
    // The grid of a kernel is counted on the host.
    if (op.hasAttr(launch::gridOfName))
      continue;
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (kernel && kernel->hasAttr("tile.kernel"))
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' is not on the chip yet; run convert-tile-to-ascend before";
    if (!kernel || !kernel->hasAttr("ascend.kernel"))
      return op.emitError("cannot be printed as AscendC: only functions with 'ascend.kernel' can");
    hasKernel = true;
    stream << "\n";
    if (failed(KernelEmitter(kernel, stream, options.lineDirectives).emit()))
      return failure();
  }
  if (!hasKernel)
    return module.emitError("has no kernel to print as AscendC");
  os << stream.str();
  return success();
}
