// ascend-insert-sync: flags and barriers between the instructions (after planning, before event
// ids).
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Analysis/SyncPlan.h"
#include "attn/Dialect/Ascend/IR/SumExtents.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace attn {
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

class SyncWriter {
public:
  explicit SyncWriter(MLIRContext *context) : builder(context) {}

  void write(ArrayRef<Sync> syncs) {
    // At one place waits and barriers precede sets, as the plan took them.
    SmallVector<int64_t> events;
    for (const Sync &sync : syncs) {
      events.push_back(sync.isBarrier() ? 0 : takeEvent(sync));
      builder.setInsertionPoint(sync.consumer);
      if (sync.isBarrier())
        barrier(sync.source, sync.consumer);
      else
        flag<WaitFlagOp>(sync, events.back(), sync.consumer->getLoc(), sync.slot);
      for (const Sync::Turn &turn : getFurtherTurns(sync)) {
        builder.setInsertionPoint(turn.consumer);
        flag<WaitFlagOp>(sync, events.back(), turn.consumer->getLoc(), turn.slot);
      }
      if (!sync.drainBefore)
        continue;
      builder.setInsertionPoint(sync.drainBefore);
      flagAllSlots<WaitFlagOp>(sync, events.back(), sync.consumer->getLoc());
    }
    for (auto [sync, event] : llvm::zip(syncs, events)) {
      if (sync.isBarrier())
        continue;
      builder.setInsertionPointAfter(sync.producer);
      flag<SetFlagOp>(sync, event, sync.producer->getLoc(), sync.slot);
      for (const Sync::Turn &turn : getFurtherTurns(sync)) {
        builder.setInsertionPointAfter(turn.producer);
        flag<SetFlagOp>(sync, event, turn.producer->getLoc(), turn.slot);
      }
      if (!sync.around)
        continue;
      builder.setInsertionPoint(sync.around);
      flagAllSlots<SetFlagOp>(sync, event, sync.producer->getLoc());
    }
    for (auto [sync, event] : llvm::zip(syncs, events)) {
      if (!sync.around || sync.drainBefore)
        continue;
      builder.setInsertionPointAfter(sync.getLastAround());
      flagAllSlots<WaitFlagOp>(sync, event, sync.consumer->getLoc());
    }
  }

private:
  static ArrayRef<Sync::Turn> getFurtherTurns(const Sync &sync) {
    return ArrayRef(sync.turns).drop_front(sync.turns.empty() ? 0 : 1);
  }

  int64_t takeEvent(const Sync &sync) {
    int64_t &next = nextEvents[{getIndex(sync.source), getIndex(sync.target)}];
    return std::exchange(next, next + sync.slots);
  }

  void barrier(Pipe pipe, Operation *consumer) {
    Location location = consumer->getLoc();
    Value isSmall = pipe == Pipe::M ? isSmallProduct(consumer) : Value();
    if (isSmall) {
      auto branch = scf::IfOp::create(builder, location, isSmall, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    BarrierOp::create(builder, location, pipe);
  }

  /// Whether the sums of a product are so small that the pipe does not keep those in order that add
  /// to them; null where that is known, or where `op` is none. The pipe waits for itself only
  /// before products that add: the sums of others have left before their place is taken.
  Value isSmallProduct(Operation *op) {
    std::optional<SumExtents> extents = getExtents(op);
    if (!extents || (getConstantIntValue(extents->rows) && getConstantIntValue(extents->cols)))
      return {};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(findOutermost(op, *extents));
    Location location = op->getLoc();
    auto constant = [&](int64_t number) {
      return arith::ConstantIndexOp::create(builder, location, number);
    };
    auto count = [&](Value extent) {
      return builder.createOrFold<arith::CeilDivSIOp>(location, extent,
                                                      constant(architecture::fractalRows));
    };
    Value fractals =
        arith::MulIOp::create(builder, location, count(extents->rows), count(extents->cols));
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, fractals,
                                 constant(architecture::orderedMmadFractals));
  }

  /// The sums of a product, or of the only one in a loop, where they are as large all the time.
  static std::optional<SumExtents> getExtents(Operation *op) {
    SmallVector<SumExtents> extents;
    op->walk([&](Operation *inner) {
      if (std::optional<SumExtents> found = getSumExtents(inner))
        extents.push_back(*found);
    });
    auto isBefore = [&](Value value) {
      return !op->isAncestor(value.getParentRegion()->getParentOp());
    };
    bool areKnown =
        extents.size() == 1 && isBefore(extents.front().rows) && isBefore(extents.front().cols);
    return areKnown ? std::optional(extents.front()) : std::nullopt;
  }

  /// The outermost loop around `op` in which the extents do not change, or `op`.
  static Operation *findOutermost(Operation *op, const SumExtents &extents) {
    auto isBefore = [](Value value, scf::ForOp loop) {
      return !loop->isAncestor(value.getParentRegion()->getParentOp());
    };
    for (auto loop = op->getParentOfType<scf::ForOp>();
         loop && isBefore(extents.rows, loop) && isBefore(extents.cols, loop);
         loop = loop->getParentOfType<scf::ForOp>())
      op = loop;
    return op;
  }

  template <typename FlagOp>
  void flag(const Sync &sync, int64_t event, Location location, Value slot) {
    FlagOp::create(builder, location, sync.source, sync.target, event, slot, sync.slots,
                   /*virtual_event=*/true);
  }

  template <typename FlagOp> void flagAllSlots(const Sync &sync, int64_t event, Location location) {
    if (sync.slots == 1)
      return flag<FlagOp>(sync, event, location, Value());
    for (int64_t slot = 0; slot < sync.slots; ++slot)
      flag<FlagOp>(sync, event, location, arith::ConstantIndexOp::create(builder, location, slot));
  }

  OpBuilder builder;
  std::map<std::pair<int, int>, int64_t> nextEvents;
};

class InsertSync : public attn::impl::InsertSyncPassBase<InsertSync> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    if (failed(verifyInput(kernel)))
      return signalPassFailure();
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    FailureOr<SyncPlan> plan = SyncPlan::make(kernel, getAnalysis<IndexRanges>(), chip->eventIds);
    if (failed(plan))
      return signalPassFailure();
    SyncWriter(&getContext()).write(plan->getSyncs());
    for (const Sync &sync : plan->getSyncs())
      ++(sync.isBarrier() ? barriers : events);
    Operation *end = kernel.getBody().front().getTerminator();
    OpBuilder builder(end);
    BarrierOp::create(builder, end->getLoc(), Pipe::ALL);
    // Flags compute nothing.
    markAnalysesPreserved<IndexRanges>();
  }

  static LogicalResult verifyInput(func::FuncOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) -> WalkResult {
      if (isa<SetFlagOp, WaitFlagOp, BarrierOp>(op))
        return op->emitError("is in a kernel that is not synchronised yet");
      if (auto buffer = dyn_cast<AllocOp>(op); buffer && !buffer.getAddress())
        return buffer.emitError("has no address: ascend-plan-memory must run first");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
