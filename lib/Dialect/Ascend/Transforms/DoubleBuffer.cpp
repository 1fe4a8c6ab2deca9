// ascend-double-buffer: one slot per stage for buffers between two pipes (before planning).
#include "SharedSlots.h"
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Analysis/MemoryPlan.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-double-buffer"

namespace attn {
#define GEN_PASS_DEF_DOUBLEBUFFERPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

scf::ForOp getStagedLoop(scf::ForOp loop) {
  while (loop && getStages(loop) == 1)
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

/// The loops whose buffers are multiplied, inner ones after the loops around them.
using Requests = llvm::MapVector<Operation *, SmallVector<AllocOp>>;

/// Says in remarks why buffers keep one slot, if `says`.
Requests collectRequests(func::FuncOp kernel, bool says) {
  BufferUses uses(kernel);
  llvm::DenseMap<Operation *, SmallVector<AllocOp>> byLoop;
  for (AllocOp buffer : uses.getBuffers()) {
    scf::ForOp common = uses.getCommonLoop(buffer), staged = getStagedLoop(common);
    if (!staged || buffer.getSlotCount() > 1 || !uses.isBetweenPipes(buffer))
      continue;
    auto keep = [&](StringRef reason) {
      if (says)
        buffer.emitRemark() << "'" << buffer.getName() << "' keeps one slot: " << reason;
    };
    if (staged != common)
      keep("its uses lie in a loop inside the staged one");
    else if (!uses.isWrittenFirst(buffer))
      keep("an iteration may read what an earlier one left in it");
    else
      byLoop[staged].push_back(buffer);
  }
  // Sums of several products leave L0C in turn: while those of one do, the next product has its own
  // place.
  for (auto &[loop, buffers] : byLoop) {
    auto isSums = [](AllocOp buffer) { return AllocOp(buffer).getMemory() == LocalMemory::L0C; };
    if (llvm::count_if(buffers, isSums) > 1)
      llvm::erase_if(buffers, isSums);
  }
  Requests requests;
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (auto found = byLoop.find(loop); found != byLoop.end())
      requests[loop] = std::move(found->second);
  });
  return requests;
}

class Multiplier {
public:
  explicit Multiplier(MLIRContext *context) : rewriter(context) {}

  void run(Requests &requests) {
    for (auto &[operation, buffers] : requests) {
      Operation *current = operation;
      while (Operation *newer = replaced.lookup(current))
        current = newer;
      auto loop = cast<scf::ForOp>(current);
      int64_t slots = getStages(loop);
      Value slot = addCounter(loop, slots);
      for (AllocOp buffer : buffers) {
        LDBG() << "'" << buffer.getName() << "' gets " << slots << " slots";
        multiply(buffer, slot, slots);
      }
    }
  }

private:
  /// Adds a value that an iteration of `loop` finds as its slot, running on through the loops
  /// around. Returns it; `loop` becomes the loop that replaces it.
  Value addCounter(scf::ForOp &loop, int64_t slots) {
    SmallVector<scf::ForOp> nest = {loop};
    while (auto parent = dyn_cast<scf::ForOp>(nest.back()->getParentOp()))
      nest.push_back(parent);
    rewriter.setInsertionPoint(nest.back());
    Location location = loop.getLoc();
    Value slot = arith::ConstantIndexOp::create(rewriter, location, 0);
    scf::ForOp parent;
    for (scf::ForOp old : llvm::reverse(nest)) {
      scf::ForOp changed = addIterArg(old, slot);
      if (parent) {
        Operation *yield = parent.getBody()->getTerminator();
        yield->setOperand(yield->getNumOperands() - 1, changed->getResults().back());
      }
      slot = changed.getRegionIterArgs().back();
      parent = changed;
    }
    loop = parent;
    Operation *yield = loop.getBody()->getTerminator();
    rewriter.setInsertionPoint(yield);
    Value one = arith::ConstantIndexOp::create(rewriter, location, 1);
    Value more = arith::AddIOp::create(rewriter, location, slot, one);
    Value count = arith::ConstantIndexOp::create(rewriter, location, slots);
    Value next = arith::RemUIOp::create(rewriter, location, more, count);
    yield->setOperand(yield->getNumOperands() - 1, next);
    return slot;
  }

  /// One more value carried by the loop; for now each iteration hands on what it got.
  scf::ForOp addIterArg(scf::ForOp loop, Value init) {
    auto handOn = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>{arguments.back()};
    };
    rewriter.setInsertionPoint(loop);
    FailureOr<LoopLikeOpInterface> changed = loop.replaceWithAdditionalYields(
        rewriter, init, /*replaceInitOperandUsesInLoop=*/false, handOn);
    auto result = cast<scf::ForOp>(changed->getOperation());
    replaced[loop] = result;
    return result;
  }

  /// Gives the buffer its slots and lets all uses see the current one.
  void multiply(AllocOp buffer, Value slot, int64_t slots) {
    auto type = cast<MemRefType>(buffer.getResult().getType());
    auto multiple = MemRefType::get({slots, type.getDimSize(0)}, type.getElementType(),
                                    MemRefLayoutAttrInterface(), type.getMemorySpace());
    rewriter.setInsertionPoint(buffer);
    auto larger = AllocOp::create(rewriter, buffer.getLoc(), multiple, buffer.getName(),
                                  buffer.getCountedAttr());
    Block *body = cast<BlockArgument>(slot).getOwner();
    rewriter.setInsertionPointToStart(body);
    auto now = SlotOp::create(rewriter, buffer.getLoc(), type, larger, slot);
    moveViewsInto(body, buffer, now);
    rewriter.replaceOp(buffer, now.getResult());
  }

  /// Views of the buffer that were hoisted out of the loop follow the slot into it.
  void moveViewsInto(Block *body, Value view, Operation *after) {
    for (Operation *user : llvm::to_vector(view.getUsers())) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice)
        continue;
      if (!body->getParentOp()->isProperAncestor(slice))
        rewriter.moveOpAfter(slice, after);
      moveViewsInto(body, slice.getResult(), slice);
    }
  }

  IRRewriter rewriter;
  llvm::DenseMap<Operation *, Operation *> replaced;
};

/// Whether all buffers find room once they have their slots: tried on a copy, since only a plan
/// tells.
bool hasRoomForSlots(func::FuncOp kernel, const Chip &chip) {
  OwningOpRef<func::FuncOp> trial = kernel.clone();
  Requests requests = collectRequests(*trial, /*says=*/false);
  Multiplier(kernel.getContext()).run(requests);
  return MemoryPlan::hasRoom(*trial, chip);
}

/// Lets loops share the slots of what they move, which then lives on from loop to loop: all of
/// them, or those that there is room for.
LogicalResult shareTransferSlotsWhereRoom(func::FuncOp kernel) {
  FailureOr<Chip> chip = getKernelChip(kernel);
  if (failed(chip))
    return failure();
  auto fits = [&](func::FuncOp trial) { return hasRoomForSlots(trial, *chip); };
  OwningOpRef<func::FuncOp> trial = kernel.clone();
  shareTransferSlots(*trial);
  if (fits(*trial))
    shareTransferSlots(kernel);
  else
    shareTransferSlots(kernel, fits);
  return success();
}

class DoubleBuffer : public attn::impl::DoubleBufferPassBase<DoubleBuffer> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    if (failed(shareProductSlots(kernel)))
      return signalPassFailure();
    if (getKernelKind(kernel) == KernelKind::Mixed && failed(shareTransferSlotsWhereRoom(kernel)))
      return signalPassFailure();
    Requests requests = collectRequests(kernel, /*says=*/true);
    for (auto &[loop, buffers] : requests)
      slotted += buffers.size();
    Multiplier(&getContext()).run(requests);
  }
};

} // namespace
