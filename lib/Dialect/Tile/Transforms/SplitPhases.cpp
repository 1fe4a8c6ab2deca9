// tile-split-phases: one kernel per phase, launched one after the other (tile stage).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/Phases.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Machine/Chip.h"
#include "mlir/IR/SymbolTable.h"

namespace attn {
#define GEN_PASS_DEF_SPLITPHASESPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// Whether a later phase can compute the op again: it writes nothing, and reads nothing that the
/// kernel writes.
static bool canBeRepeated(Operation *op, const llvm::DenseSet<unsigned> &written) {
  WalkResult result = op->walk([&](Operation *inner) {
    // The first operand of each is the array.
    bool isLoad = isa<LoadOp, LoadIndexOp, ListRowsOp>(inner);
    auto array = isLoad ? dyn_cast<BlockArgument>(inner->getOperand(0)) : BlockArgument();
    bool isRead = array && !written.contains(array.getArgNumber());
    bool holds = isRead || isa<RangeOp, YieldOp>(inner) || isPure(inner);
    return holds ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// The arguments of the kernel that it writes, by number.
static llvm::DenseSet<unsigned> getWritten(func::FuncOp kernel) {
  llvm::DenseSet<unsigned> written;
  for (BlockArgument argument : kernel.getArguments())
    if (isWritten(argument))
      written.insert(argument.getArgNumber());
  return written;
}

FailureOr<bool> tile::readPhases(ModuleOp module, StringRef phases) {
  if (phases != "barrier" && phases != "launches")
    return module.emitError() << "unknown value '" << phases
                              << "' of the option phases; known: barrier, launches";
  return phases == "launches";
}

int64_t tile::countMeetings(func::FuncOp kernel) {
  return llvm::range_size(kernel.getBody().getOps<PhaseOp>());
}

LogicalResult tile::keepPhase(func::FuncOp kernel, int64_t kept) {
  llvm::DenseSet<unsigned> written = getWritten(kernel);
  Block &body = kernel.getBody().front();
  SmallVector<std::pair<Operation *, int64_t>> ops;
  int64_t phase = 0;
  for (Operation &op : body.without_terminator()) {
    phase += isa<PhaseOp>(op);
    ops.push_back({&op, phase});
  }
  for (auto [op, number] : llvm::reverse(ops)) {
    // What only a later phase needs, that one computes itself.
    bool isUnneeded = op->use_empty() && (number < kept || canBeRepeated(op, written));
    if (isa<PhaseOp>(op) || number > kept || isUnneeded)
      op->erase();
    else if (number < kept && !canBeRepeated(op, written))
      return op->emitOpError("is needed after a tile.phase, but cannot be computed again there: "
                             "store its result and load it after the phase");
  }
  return success();
}

/// A copy of `function` under a new name, after `previous`.
static FailureOr<func::FuncOp> copyAs(func::FuncOp function, const Twine &name,
                                      Operation *previous) {
  OpBuilder builder(function.getContext());
  auto symbol = builder.getStringAttr(name);
  if (SymbolTable::lookupNearestSymbolFrom(function, symbol))
    return function.emitError() << "the name '" << symbol.getValue()
                                << "' is taken, but a phase of this kernel needs it";
  builder.setInsertionPointAfter(previous);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setSymNameAttr(symbol);
  return copy;
}

/// Splits a kernel at its phases. Each has a function that counts its tiles, all the same: block
/// ids then mean the same rows of the workspaces in every phase.
static LogicalResult splitKernel(func::FuncOp kernel) {
  int64_t phases = countMeetings(kernel);
  if (phases == 0)
    return success();
  func::FuncOp counter = launch::getCounter(kernel);
  if (!counter)
    return kernel.emitError("no function counts its tiles: tile-clamp-grid must run first");
  func::FuncOp previous = kernel;
  Operation *last = counter;
  SmallVector<func::FuncOp> parts = {kernel};
  for (int64_t phase = 1; phase <= phases; ++phase) {
    std::string name = (kernel.getName() + "_phase" + Twine(phase)).str();
    FailureOr<func::FuncOp> part = copyAs(kernel, name, last);
    FailureOr<func::FuncOp> count = failed(part) ? part : copyAs(counter, name + "_grid", *part);
    if (failed(count))
      return failure();
    (*part)->setAttr(launch::afterName, FlatSymbolRefAttr::get(previous));
    (*count)->setAttr(launch::gridOfName, FlatSymbolRefAttr::get(*part));
    previous = *part;
    last = *count;
    parts.push_back(*part);
  }
  for (auto [phase, part] : llvm::enumerate(parts))
    if (failed(keepPhase(part, phase)))
      return failure();
  return success();
}

namespace {
struct SplitPhases : attn::impl::SplitPhasesPassBase<SplitPhases> {
  using SplitPhasesPassBase::SplitPhasesPassBase;

  void runOnOperation() override {
    FailureOr<bool> areLaunches = readPhases(getOperation(), phases);
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(areLaunches) || failed(chip) || failed(kernels))
      return signalPassFailure();
    if (!*areLaunches && !chip->isHost)
      return markAllAnalysesPreserved();
    for (func::FuncOp kernel : *kernels) {
      phasesSplit += countMeetings(kernel);
      if (failed(splitKernel(kernel)))
        return signalPassFailure();
    }
  }
};
} // namespace
