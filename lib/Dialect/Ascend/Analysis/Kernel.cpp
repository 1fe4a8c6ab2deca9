// Kernels and their chip.
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

using namespace mlir;
using namespace attn;

bool ascend::isKernel(func::FuncOp function) {
  return function->hasAttr("ascend.kernel") && llvm::hasSingleElement(function.getBody());
}

FailureOr<Chip> ascend::getKernelChip(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module)
    return kernel.emitError("is not in a module, which would name its chip");
  FailureOr<Chip> chip = getTargetChip(module);
  if (succeeded(chip) && chip->isHost)
    return kernel.emitError() << "is for a chip with pipes, but the module's target is '"
                              << chip->name << "'";
  return chip;
}
