// Prints the kernels of a module as one HIVM module.
#include "attn/Target/HIVM/EmitHIVM.h"
#include "KernelExporter.h"
#include "attn/Machine/LaunchDialect.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

/// The kernels of a module, or a diagnostic.
static FailureOr<SmallVector<func::FuncOp>> getKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (Operation &op : module.getBody()->getOperations()) {
    // The grid of a kernel is counted on the host.
    if (op.hasAttr(launch::gridOfName))
      continue;
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (kernel && kernel->hasAttr("tile.kernel"))
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' is not on the chip yet; run convert-tile-to-ascend before";
    if (!kernel || !kernel->hasAttr("ascend.kernel"))
      return op.emitError("cannot be printed as HIVM: only functions with 'ascend.kernel' can");
    kernels.push_back(kernel);
  }
  if (kernels.empty())
    return module.emitError("has no kernel to print as HIVM");
  return kernels;
}

LogicalResult attn::hivm::emitHIVM(ModuleOp module, raw_ostream &os, const HIVMOptions &options) {
  FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(module);
  if (failed(kernels))
    return failure();
  module.getContext()->loadDialect<HIVMDialect, hacc::HACCDialect, memref::MemRefDialect>();
  OwningOpRef<ModuleOp> exported = ModuleOp::create(module.getLoc());
  (*exported)->setAttr("hivm.module_core_type",
                       ModuleCoreTypeAttr::get(module.getContext(), ModuleCoreType::AIV));
  std::string header;
  llvm::raw_string_ostream headerStream(header);
  for (func::FuncOp kernel : *kernels) {
    KernelExporter exporter(kernel, *exported);
    if (failed(exporter.run()))
      return failure();
    exporter.describe(headerStream);
  }
  // Whatever is printed can be read.
  if (failed(verify(*exported)))
    return failure();
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix();
  if (options.locations)
    flags.enableDebugInfo();
  os << headerStream.str();
  exported->print(os, flags);
  return success();
}
