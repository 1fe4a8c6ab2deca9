// Prints the kernels of a module as one HIVM module, below a description of each.
#include "attn/Target/HIVM/EmitHIVM.h"
#include "attn/Conversion/AscendToHIVM/Passes.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/Convention/Description.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

/// What a launcher must know of a kernel, as a comment.
static LogicalResult describe(func::FuncOp kernel, raw_ostream &os) {
  launch::NameTable names;
  FailureOr<launch::Signature> signature = launch::getSignature(kernel, names);
  if (failed(signature))
    return failure();
  for (const std::string &line : launch::describeKernel(kernel, *signature)) {
    os << "// " << line << "\n";
    if (line == launch::argumentsLine && launch::doCoresSignal(kernel))
      os << "//     ffts: int64_t, where flags between cores lie, given by the launcher\n";
  }
  return success();
}

LogicalResult attn::hivm::emitHIVM(ModuleOp module, raw_ostream &os, const HIVMOptions &options) {
  FailureOr<OwningOpRef<ModuleOp>> converted = convertToHIVM(module);
  if (failed(converted))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr("ascend.kernel") && !kernel->hasAttr(ascend::halfOfName) &&
        failed(describe(kernel, os)))
      return failure();
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix();
  flags.assumeVerified(); // by the conversion
  if (options.locations)
    flags.enableDebugInfo();
  (*converted)->print(os, flags);
  return success();
}
