// ascend-verify: the gate at the end of the ascend stage.
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include <map>

namespace attn {
#define GEN_PASS_DEF_ASCENDVERIFYPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// How many more sets than waits an event has seen.
using Balance = std::map<std::tuple<Pipe, Pipe, int64_t>, int64_t>;

LogicalResult verifyPipe(Operation *op, Pipe pipe, CoreKind core) {
  if (pipe != Pipe::ALL && !hasPipe(core, getCorePipe(pipe)))
    return op->emitError() << "uses pipe " << stringifyPipe(pipe) << ", which a "
                           << getCoreName(core) << " core does not have";
  return success();
}

template <typename FlagOp> LogicalResult verifyFlag(FlagOp flag, const Chip &chip, CoreKind core) {
  if (flag.getVirtualEvent())
    return flag.emitError("has a virtual event: ascend-assign-events must run first");
  int64_t end = flag.getEvent() + flag.getSlots();
  if (end > chip.eventIds)
    return flag.emitError() << "uses event id " << end - 1 << "; the chip has 0 to "
                            << chip.eventIds - 1;
  if (failed(verifyPipe(flag, flag.getSource(), core)) ||
      failed(verifyPipe(flag, flag.getTarget(), core)))
    return failure();
  if (!hasFlags(core, getCorePipe(flag.getSource()), getCorePipe(flag.getTarget())))
    return flag.emitError() << "uses a flag from " << stringifyPipe(flag.getSource()) << " to "
                            << stringifyPipe(flag.getTarget()) << ", which a " << getCoreName(core)
                            << " core does not have";
  return success();
}

/// Sets and waits that a block adds, counted by the first id of their event. A loop must add
/// nothing, and the branches of a condition the same.
LogicalResult count(Block &block, Balance &balance) {
  auto differs = [](Operation &op, StringRef what) {
    return op.emitError() << what << " with unbalanced set/wait of an event";
  };
  for (Operation &op : block) {
    if (auto set = dyn_cast<SetFlagOp>(op))
      ++balance[{set.getSource(), set.getTarget(), set.getEvent()}];
    if (auto wait = dyn_cast<WaitFlagOp>(op))
      --balance[{wait.getSource(), wait.getTarget(), wait.getEvent()}];
    SmallVector<Balance> inside;
    for (Region &region : op.getRegions()) {
      inside.emplace_back();
      for (Block &inner : region)
        if (failed(count(inner, inside.back())))
          return failure();
    }
    for (Balance &added : inside)
      for (auto &[event, sets] : added)
        if (sets != 0)
          return differs(op, "is a loop or branch");
  }
  return success();
}

class AscendVerify : public attn::impl::AscendVerifyPassBase<AscendVerify> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    FailureOr<Chip> chip = getKernelChip(kernel);
    if (failed(chip))
      return signalPassFailure();
    CoreKind core = getCoreKind(kernel);
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      return op == kernel ? success() : verifyOp(op, *chip, core);
    });
    if (result.wasInterrupted() || failed(verifyKind(kernel)) || failed(verifyScratch(kernel)) ||
        failed(verifyGroups(kernel, *chip)) || failed(verifyMeetings(kernel, *chip)) ||
        failed(verifyBalance(kernel)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult verifyOp(Operation *op, const Chip &chip, CoreKind core) {
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    if (instruction && instruction.isComposite() &&
        !op->getParentOfType<func::FuncOp>()->hasAttr("ascend.keep_composites"))
      return op->emitError(
          "is a composite, which must be lowered first by ascend-expand-composites");
    if (instruction && instruction.getCoreKind() != core)
      return op->emitError() << "is for " << getCoreName(instruction.getCoreKind())
                             << " cores, but a " << getCoreName(core) << " core runs it";
    if (auto set = dyn_cast<SetFlagOp>(op))
      return verifyFlag(set, chip, core);
    if (auto wait = dyn_cast<WaitFlagOp>(op))
      return verifyFlag(wait, chip, core);
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return verifyPipe(barrier, barrier.getPipe(), core);
    if (auto set = dyn_cast<CrossSetOp>(op); set && failed(verifyPipe(set, set.getPipe(), core)))
      return failure();
    if (auto buffer = dyn_cast<AllocOp>(op))
      return verifyAddress(buffer, chip);
    bool isKnown = isa<AscendDialect, arith::ArithDialect>(op->getDialect()) ||
                   isa<scf::ForOp, scf::IfOp, scf::YieldOp, func::ReturnOp>(op);
    if (!isKnown)
      return op->emitError("has no place in a kernel of the chip");
    return success();
  }

  /// Whether blocks meet decides how the kernel is declared; what launches it does not look inside.
  static LogicalResult verifyKind(func::FuncOp kernel) {
    KernelKind kind = getKernelKind(kernel);
    bool areMeeting =
        kernel.walk([](SyncAllOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (areMeeting == (kind == KernelKind::MeetingVector))
      return success();
    return kernel.emitError() << "is of the kind " << stringifyKernelKind(kind)
                              << (areMeeting ? ", but its blocks meet" : ", but no block meets");
  }

  /// Flags between cores are for groups, of which no more are launched than there are.
  static LogicalResult verifyGroups(func::FuncOp kernel, const Chip &chip) {
    auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName);
    bool isMixed = getKernelKind(kernel) == KernelKind::Mixed;
    if (isMixed && limit && limit.getInt() > chip.cubeCores)
      return kernel.emitError() << "may start " << limit.getInt() << " groups of cores; "
                                << chip.name << " has " << chip.cubeCores;
    if (isMixed)
      return success();
    WalkResult result =
        kernel.walk([&](Operation *op) -> WalkResult {
          if (isa<CrossSetOp, CrossWaitOp>(op))
            return op->emitError()
                   << "is a flag between the cores of a group, but the kernel is of the "
                      "kind "
                   << stringifyKernelKind(getKernelKind(kernel));
          return WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

  /// Phases take the same arguments, the workspaces of a mixed one among them.
  static bool hasMixedPhase(func::FuncOp kernel) {
    auto module = kernel->getParentOfType<ModuleOp>();
    return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp first) {
      SmallVector<func::FuncOp> phases = launch::getPhases(first);
      return llvm::is_contained(phases, kernel) && llvm::any_of(phases, [](func::FuncOp phase) {
               return getKernelKind(phase) == KernelKind::Mixed;
             });
    });
  }

  static LogicalResult verifyScratch(func::FuncOp kernel) {
    for (unsigned argument = 0; argument < kernel.getNumArguments(); ++argument) {
      auto dims = kernel.getArgAttrOfType<ArrayAttr>(argument, launch::dimsName);
      bool isPerGroup =
          dims && llvm::is_contained(dims, StringAttr::get(kernel.getContext(), launch::groupsDim));
      if (isPerGroup && !hasMixedPhase(kernel))
        return kernel.emitError() << "has the dimension '" << launch::groupsDim << "' in argument "
                                  << argument << ", but only mixed kernels have groups";
    }
    return success();
  }

  /// Blocks meet only where all of them run at once and all come.
  static LogicalResult verifyMeetings(func::FuncOp kernel, const Chip &chip) {
    WalkResult result = kernel.walk([&](SyncAllOp meeting) -> WalkResult {
      if (meeting->getParentOp() != kernel)
        return meeting.emitError(
            "is inside a loop or condition, which not all blocks may pass alike");
      auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName);
      if (!limit || limit.getInt() > chip.vectorCores)
        return meeting.emitError()
               << "lets blocks meet that do not run at once: '" << launch::limitName
               << "' must be at most " << chip.vectorCores << ", the vector cores of " << chip.name;
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult verifyAddress(AllocOp buffer, const Chip &chip) {
    if (!buffer.getAddress())
      return buffer.emitError("has no address: ascend-plan-memory must run first");
    int64_t end = *buffer.getAddress() + buffer.getByteSize();
    int64_t bytes = chip.getUsableBytes(buffer.getMemory());
    if (end > bytes)
      return buffer.emitError() << "ends at byte " << end << " of "
                                << getFacts(buffer.getMemory()).name << ", which has " << bytes;
    return success();
  }

  static LogicalResult verifyBalance(func::FuncOp kernel) {
    Block &body = kernel.getBody().front();
    Balance balance;
    if (failed(count(body, balance)))
      return failure();
    for (auto &[event, sets] : balance)
      if (sets != 0)
        return kernel.emitError() << "sets event " << std::get<2>(event) << " from "
                                  << stringifyPipe(std::get<0>(event)) << " to "
                                  << stringifyPipe(std::get<1>(event))
                                  << (sets > 0 ? " more" : " less") << " often than it is awaited";
    auto last = dyn_cast_or_null<BarrierOp>(body.getTerminator()->getPrevNode());
    if (!last || last.getPipe() != Pipe::ALL)
      return kernel.emitError("does not end with a barrier of all pipes");
    return success();
  }
};

} // namespace
