// Which cores run a kernel, as its attributes say.
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Machine/Groups.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

KernelKind ascend::getKernelKind(func::FuncOp kernel) {
  auto kind = kernel->getAttrOfType<KernelKindAttr>(kindName);
  return kind ? kind.getValue() : KernelKind::Vector;
}

CoreKind ascend::getCoreKind(func::FuncOp kernel) {
  KernelKind kind = getKernelKind(kernel);
  bool isCube =
      kind == KernelKind::Cube || (kind == KernelKind::Mixed && kernel->hasAttr(halfOfName));
  return isCube ? CoreKind::Cube : CoreKind::Vector;
}

func::FuncOp ascend::getCubeHalf(func::FuncOp kernel) {
  auto module = dyn_cast_if_present<ModuleOp>(kernel->getParentOp());
  if (!module)
    return {};
  for (auto function : module.getOps<func::FuncOp>()) {
    auto of = function->getAttrOfType<FlatSymbolRefAttr>(halfOfName);
    if (of && of.getValue() == kernel.getName())
      return function;
  }
  return {};
}

SmallVector<func::FuncOp, 2> ascend::getFunctions(func::FuncOp kernel) {
  SmallVector<func::FuncOp, 2> functions;
  if (getKernelKind(kernel) == KernelKind::Mixed)
    if (func::FuncOp half = getCubeHalf(kernel))
      functions.push_back(half);
  functions.push_back(kernel);
  return functions;
}

int64_t ascend::getCoresPerBlock(KernelKind kind) {
  return kind == KernelKind::Mixed ? vectorCoresPerGroup : 1;
}
