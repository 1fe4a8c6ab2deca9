// convert-ascend-to-hivm: chip kernels in the vendor's dialect.
#include "KernelExporter.h"
#include "attn/Conversion/AscendToHIVM/Passes.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/Convention/Description.h"
#include "mlir/IR/Verifier.h"

namespace attn {
#define GEN_PASS_DEF_CONVERTASCENDTOHIVMPASS
#include "attn/Conversion/AscendToHIVM/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

/// The cores that the kernels of a module run on.
static ModuleCoreType getCores(ArrayRef<func::FuncOp> kernels) {
  auto isForCubes = [](func::FuncOp kernel) {
    return ascend::getCoreKind(kernel) == CoreKind::Cube;
  };
  auto isMixed = [](func::FuncOp kernel) {
    return ascend::getKernelKind(kernel) == ascend::KernelKind::Mixed;
  };
  if (llvm::any_of(kernels, isMixed))
    return ModuleCoreType::MIX;
  if (llvm::all_of(kernels, isForCubes))
    return ModuleCoreType::AIC;
  return llvm::none_of(kernels, isForCubes) ? ModuleCoreType::AIV : ModuleCoreType::MIX;
}

FailureOr<OwningOpRef<ModuleOp>> attn::convertToHIVM(ModuleOp module) {
  FailureOr<SmallVector<func::FuncOp>> kernels = launch::getPrintableKernels(module, "HIVM");
  if (failed(kernels))
    return failure();
  module.getContext()->loadDialect<HIVMDialect, hacc::HACCDialect, memref::MemRefDialect>();
  OwningOpRef<ModuleOp> converted = ModuleOp::create(module.getLoc());
  (*converted)
      ->setAttr("hivm.module_core_type",
                ModuleCoreTypeAttr::get(module.getContext(), getCores(*kernels)));
  for (func::FuncOp kernel : *kernels)
    for (func::FuncOp function : ascend::getFunctions(kernel))
      if (failed(KernelExporter(function, kernel, *converted).run()))
        return failure();
  // Whatever is printed can be read.
  if (failed(verify(*converted)))
    return failure();
  return converted;
}

namespace {

struct ConvertAscendToHIVM : attn::impl::ConvertAscendToHIVMPassBase<ConvertAscendToHIVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<OwningOpRef<ModuleOp>> converted = convertToHIVM(module);
    if (failed(converted))
      return signalPassFailure();
    module->setAttrs((**converted)->getAttrDictionary());
    module.getBodyRegion().takeBody((*converted)->getBodyRegion());
  }
};

} // namespace
