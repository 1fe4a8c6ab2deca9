// ascend-group-loads: loads of a loop side by side, where they are too many for an event each
// (after planning, before synchronisation).
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-group-loads"

namespace attn {
#define GEN_PASS_DEF_GROUPLOADSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// A load: what it fills, if that is a buffer of the kernel, and the array it reads.
struct Load {
  InstructionOpInterface op;
  AllocOp buffer;
  Value array;
};

/// The instruction as a load: one that reads an array and writes local memory.
std::optional<Load> getLoad(InstructionOpInterface op) {
  SmallVector<Access> accesses;
  op.getAccesses(accesses);
  Load load{op, {}, {}};
  bool fills = false;
  for (const Access &access : accesses) {
    bool isGlobal = getSpace(access.memory.getType()) == Space::GM;
    if (isGlobal == access.isWrite)
      return std::nullopt;
    fills |= access.isWrite;
    if (isGlobal)
      load.array = getArray(access.memory);
    else
      load.buffer = getBuffer(access.memory);
  }
  return fills && load.array ? std::optional(load) : std::nullopt;
}

/// Whether a load may move before an operation that it follows: one that neither touches the
/// bytes it fills, nor writes the array it reads, nor waits for other cores.
bool mayPass(const Load &load, Operation *op) {
  SmallVector<Access> accesses;
  WalkResult result = op->walk([&](Operation *inner) -> WalkResult {
    if (isa<SyncAllOp, CrossWaitOp>(inner))
      return WalkResult::interrupt();
    auto instruction = dyn_cast<InstructionOpInterface>(inner);
    if (!instruction)
      return WalkResult::advance();
    accesses.clear();
    instruction.getAccesses(accesses);
    for (const Access &access : accesses) {
      AllocOp touched = getBuffer(access.memory);
      if ((touched && shareBytes(load.buffer, touched)) ||
          (access.isWrite && getArray(access.memory) == load.array))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Collects what an operation is computed from after `place` in its IR block, the sources first.
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
    bool isCrowded = false;
    kernel.walk([&](scf::ForOp loop) {
      SmallVector<Load> loads;
      for (auto op : loop.getBody()->getOps<InstructionOpInterface>())
        if (std::optional<Load> load = getLoad(op))
          loads.push_back(*load);
      int64_t ids = 0;
      for (Load &load : loads)
        if (load.buffer)
          ids += load.buffer.getSlotCount();
      if (ids <= chip->eventIds)
        return;
      LDBG() << "a loop's loads need " << ids << " ids where there are " << chip->eventIds;
      isCrowded = true;
      group(loads);
    });
    if (!isCrowded)
      markAllAnalysesPreserved();
  }

  /// Moves each load up to those before it.
  void group(ArrayRef<Load> loads) {
    Operation *place = loads.front().op;
    for (const Load &load : loads.drop_front()) {
      Operation *op = load.op;
      llvm::SetVector<Operation *> sources;
      if (!load.buffer || !collectSources(op, place, sources))
        continue;
      auto passed = llvm::make_range(std::next(place->getIterator()), op->getIterator());
      if (!llvm::all_of(passed, [&](Operation &other) { return mayPass(load, &other); }))
        continue;
      for (Operation *source : sources)
        source->moveBefore(place);
      op->moveAfter(place);
      place = op;
      ++moved;
    }
  }
};

} // namespace
