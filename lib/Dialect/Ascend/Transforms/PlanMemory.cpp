// ascend-plan-memory: gives every buffer its address (after double buffering, before
// synchronisation).
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Analysis/MemoryPlan.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

class PlanMemory : public attn::impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    eraseUnused(kernel);
    FailureOr<MemoryPlan> plan = MemoryPlan::make(kernel, *chip);
    if (failed(plan) || failed(plan->verify(kernel, *chip)))
      return signalPassFailure();
    kernel.walk([&](AllocOp buffer) {
      buffer.setAddress(plan->getAddress(buffer));
      buffer.removeCountedAttr();
    });
    for (const LocalMemoryFacts &row : getLocalMemories()) {
      bytes += plan->getByteSize(row.memory);
      asCounted += plan->isAsCounted(row.memory);
    }
  }

  /// Buffers that no instruction touches, and the views of them.
  static void eraseUnused(func::FuncOp kernel) {
    SmallVector<Operation *> views;
    kernel.walk([&](Operation *op) {
      if (isa<AllocOp, SlotOp, SliceOp>(op))
        views.push_back(op);
    });
    for (Operation *view : llvm::reverse(views))
      if (view->use_empty())
        view->erase();
  }
};

} // namespace
