// ascend-group-loads: loads of a loop side by side, where they are too many for an event each
// (after planning, before synchronisation).
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {
#define GEN_PASS_DEF_GROUPLOADSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Whether two buffers have bytes in common.
bool shareBytes(AllocOp a, AllocOp b) {
  if (a == b || !a.getAddress() || !b.getAddress())
    return true;
  int64_t first = *a.getAddress(), second = *b.getAddress();
  return first < second + b.getByteSize() && second < first + a.getByteSize();
}

/// Whether a load may come before an operation that it stands behind: that neither touches the
/// bytes it fills, nor writes the array it reads, nor waits for other blocks.
bool mayPass(CopyInOp load, AllocOp buffer, Operation *op) {
  SmallVector<Access> accesses;
  WalkResult result = op->walk([&](Operation *inner) -> WalkResult {
    auto store = dyn_cast<CopyOutOp>(inner);
    if (isa<SyncAllOp>(inner) || (store && getArray(store.getDst()) == getArray(load.getSrc())))
      return WalkResult::interrupt();
    auto instruction = dyn_cast<InstructionOpInterface>(inner);
    if (!instruction)
      return WalkResult::advance();
    accesses.clear();
    instruction.getAccesses(accesses);
    for (const Access &access : accesses) {
      AllocOp touched = getBuffer(access.memory);
      if (touched && shareBytes(buffer, touched))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Collects what an operation is computed from behind `place` in its block, the sources first.
/// Returns whether all of that can move.
bool collectSources(Operation *op, Operation *place, llvm::SetVector<Operation *> &sources) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != op->getBlock() || !place->isBeforeInBlock(source) ||
        sources.contains(source))
      continue;
    if (source->getNumRegions() != 0 || !isMemoryEffectFree(source) ||
        !collectSources(source, place, sources))
      return false;
    sources.insert(source);
  }
  return true;
}

class GroupLoads : public attn::impl::GroupLoadsPassBase<GroupLoads> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    kernel.walk([&](scf::ForOp loop) {
      auto loads = llvm::to_vector(loop.getBody()->getOps<CopyInOp>());
      int64_t ids = 0;
      for (CopyInOp load : loads)
        if (AllocOp buffer = getBuffer(load.getDst()))
          ids += buffer.getSlotCount();
      if (ids > chip->eventIds)
        group(loads);
    });
  }

  /// Moves each load up to those before it.
  static void group(ArrayRef<CopyInOp> loads) {
    Operation *place = loads.front();
    for (CopyInOp load : loads.drop_front()) {
      AllocOp buffer = getBuffer(load.getDst());
      llvm::SetVector<Operation *> sources;
      if (!buffer || !collectSources(load, place, sources))
        continue;
      auto passed = llvm::make_range(std::next(place->getIterator()), load->getIterator());
      if (!llvm::all_of(passed, [&](Operation &op) { return mayPass(load, buffer, &op); }))
        continue;
      for (Operation *source : sources)
        source->moveBefore(place);
      load->moveAfter(place);
      place = load;
    }
  }
};

} // namespace
