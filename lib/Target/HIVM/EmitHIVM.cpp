// Prints the kernels of a module as one HIVM module.
#include "attn/Target/HIVM/EmitHIVM.h"
#include "KernelExporter.h"
#include "attn/Target/AscendC/Description.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

LogicalResult attn::hivm::emitHIVM(ModuleOp module, raw_ostream &os, const HIVMOptions &options) {
  FailureOr<SmallVector<func::FuncOp>> kernels = ascendc::getPrintableKernels(module, "HIVM");
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
