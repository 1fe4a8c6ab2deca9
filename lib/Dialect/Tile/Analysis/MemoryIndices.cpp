// Which indices of a kernel depend on integers from memory (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/MemoryIndices.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

MemoryIndices::MemoryIndices(func::FuncOp kernel, Sources sources) {
  if (sources == Sources::MemoryAndArguments)
    for (BlockArgument argument : kernel.getArguments())
      add(argument);
  kernel.walk([&](LoadIndexOp load) { add(load.getResult()); });
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses())
      addUser(use);
}

/// Tiles are not indices.
void MemoryIndices::add(Value value) {
  if ((value.getType().isIntOrIndex() || isa<SpanType>(value.getType())) &&
      found.insert(value).second)
    worklist.push_back(value);
}

void MemoryIndices::addUser(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto range = dyn_cast<RangeOp>(op)) {
    if (use.get() == range.getLower() || use.get() == range.getUpper())
      add(range.getInductionVar());
    for (auto [init, argument, result] :
         llvm::zip_equal(range.getInits(), range.getCarried(), range.getResults()))
      if (init == use.get()) {
        add(argument);
        add(result);
      }
    return;
  }
  if (auto yield = dyn_cast<YieldOp>(op)) {
    auto range = cast<RangeOp>(yield->getParentOp());
    add(range.getCarried()[use.getOperandNumber()]);
    add(range.getResult(use.getOperandNumber()));
    return;
  }
  for (Value result : op->getResults())
    add(result);
}
