// Follows `launch.grid_of` and `launch.after` from a kernel to the functions that belong to it.
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace attn;

func::FuncOp launch::getCounter(func::FuncOp kernel) {
  auto module = dyn_cast_if_present<ModuleOp>(kernel->getParentOp());
  if (!module)
    return {};
  for (auto function : module.getOps<func::FuncOp>()) {
    auto of = function->getAttrOfType<FlatSymbolRefAttr>(gridOfName);
    if (of && of.getValue() == kernel.getName() && !function.isDeclaration())
      return function;
  }
  return {};
}

void launch::addNewArguments(func::FuncOp kernel) {
  func::FuncOp counter = getCounter(kernel);
  if (!counter)
    return;
  for (unsigned number = counter.getNumArguments(); number < kernel.getNumArguments(); ++number)
    (void)counter.insertArgument(number, kernel.getArgument(number).getType(),
                                 kernel.getArgAttrDict(number),
                                 kernel.getArgument(number).getLoc());
}

SmallVector<func::FuncOp> launch::getPhases(func::FuncOp kernel) {
  SmallVector<func::FuncOp> phases = {kernel};
  auto module = dyn_cast_if_present<ModuleOp>(kernel->getParentOp());
  for (size_t last = 0; module && last < phases.size(); ++last)
    for (auto function : module.getOps<func::FuncOp>()) {
      auto after = function->getAttrOfType<FlatSymbolRefAttr>(afterName);
      if (after && after.getValue() == phases[last].getName() &&
          !llvm::is_contained(phases, function))
        phases.push_back(function);
    }
  return phases;
}
