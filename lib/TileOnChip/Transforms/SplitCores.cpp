// tile-split-cores: makes of a kernel with products and vector work a half for each kind of core
// (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Launch/IR/LaunchOrder.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Chip.h"
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "attn/TileOnChip/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace attn {
#define GEN_PASS_DEF_SPLITCORESPASS
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Checks numbers that may come from anywhere: signals of a flag are counted to a limit, and strips
/// begin at whole data blocks.
static LogicalResult verifyChoice(func::FuncOp kernel, const GroupChoice &choice) {
  constexpr int64_t most = architecture::maxCrossPending, mostRows = int64_t(1) << 16;
  constexpr int64_t rowUnit = architecture::getElementsPerBlock(4);
  auto isWithin = [](int64_t number, int64_t limit, int64_t unit) {
    return number >= 0 && number <= limit && number % unit == 0;
  };
  if (!isWithin(choice.preload, most - 1, 1) || !isWithin(choice.lag, most - 1, 1))
    return kernel.emitError() << "preload and lag are 0 to " << most - 1 << ", not "
                              << choice.preload << " and " << choice.lag;
  if (choice.lag > choice.preload)
    return kernel.emitError() << "lag is at most the preload, which is " << choice.preload
                              << ", not " << choice.lag;
  if (!isWithin(choice.slots, most, 1))
    return kernel.emitError() << "slots are 0 to " << most << ", not " << choice.slots;
  if (!isWithin(choice.stripRows, mostRows, rowUnit))
    return kernel.emitError() << "rows of strips are a multiple of " << rowUnit << " or 0, not "
                              << choice.stripRows;
  if (!isWithin(choice.part, mostRows, architecture::fractalRows))
    return kernel.emitError() << "parts of products are a multiple of " << architecture::fractalRows
                              << " or 0, not " << choice.part;
  return success();
}

/// What is counted must be what is lowered: equal spans and loads are joined in both.
static void joinEqual(func::FuncOp half) {
  IRRewriter rewriter(half.getContext());
  DominanceInfo dominance(half);
  eliminateCommonSubExpressions(rewriter, dominance, half);
}

FailureOr<OwningOpRef<func::FuncOp>> onchip::makeHalves(func::FuncOp kernel, const ChipModel &model,
                                                        const tile::GroupChoice &choice) {
  kernel->removeAttr(groupName);
  foldIndices(kernel);
  if (failed(verifyChoice(kernel, choice)) || failed(insertExchange(kernel, choice)))
    return failure();
  OwningOpRef<func::FuncOp> cube(kernel.clone());
  cube->setName((kernel.getName() + "_cube").str());
  auto unit = UnitAttr::get(kernel.getContext());
  kernel->setAttr(mixedName, unit);
  cube.get()->setAttr(mixedName, unit);
  cube.get()->setAttr(halfOfName, FlatSymbolRefAttr::get(kernel));
  // It is launched with the other half, whatever that follows.
  cube.get()->removeAttr(launch::afterName);
  keepCore(kernel, CoreKind::Vector);
  keepCore(*cube, CoreKind::Cube);
  distributeRows(kernel);
  startSums(*cube);
  bool runsOn = choice.runOn && canRunOn(*cube);
  skewLoops(kernel, CoreKind::Vector, runsOn);
  skewLoops(*cube, CoreKind::Cube, runsOn);
  inlineLoops(kernel, CoreKind::Vector);
  inlineLoops(*cube, CoreKind::Cube);
  if (choice.part > 0)
    cutProducts(*cube, model, choice.part);
  joinEqual(*cube);
  return cube;
}

void onchip::finishVectorHalf(func::FuncOp vectorHalf, const tile::GroupChoice &choice) {
  if (choice.stripRows > 0)
    stripRows(vectorHalf, choice.stripRows);
  joinEqual(vectorHalf);
}

FailureOr<OwningOpRef<func::FuncOp>> onchip::splitCores(func::FuncOp kernel, const ChipModel &model,
                                                        const tile::GroupChoice &choice) {
  FailureOr<OwningOpRef<func::FuncOp>> cube = makeHalves(kernel, model, choice);
  if (succeeded(cube))
    finishVectorHalf(kernel, choice);
  return cube;
}

namespace {
struct SplitCores : attn::impl::SplitCoresPassBase<SplitCores> {
  void runOnOperation() override {
    FailureOr<Chip> chip = getTargetChip(getOperation());
    FailureOr<SmallVector<func::FuncOp>> kernels = getKernels(getOperation());
    if (failed(chip) || failed(kernels))
      return signalPassFailure();
    if (chip->isHost)
      return;
    givenArguments.clear();
    cubeHalves.clear();
    for (func::FuncOp kernel : *kernels) {
      givenArguments[kernel] = kernel.getNumArguments();
      if (CoreAssignment(kernel).usesBoth() && failed(split(kernel, *chip)))
        return signalPassFailure();
      // A phase that was made a kernel of its own may need one kind of core only.
      kernel->removeAttr(groupName);
    }
    for (func::FuncOp kernel : *kernels)
      if (!kernel->hasAttr(launch::afterName))
        shareWorkspaces(launch::getPhases(kernel));
  }

private:
  LogicalResult split(func::FuncOp kernel, const Chip &chip) {
    auto group = kernel->getAttrOfType<GroupAttr>(groupName);
    if (!group)
      return kernel.emitError(
          "needs cube and vector cores and has no tile.group: tile-fit-tiles must run first");
    FailureOr<OwningOpRef<func::FuncOp>> cube =
        splitCores(kernel, ChipModel(chip, kernel), getGroupChoice(group));
    if (failed(cube))
      return failure();
    launch::addNewArguments(kernel);
    cubeHalves[kernel] = **cube;
    SymbolTable(getOperation()).insert(cube->release(), std::next(kernel->getIterator()));
    return success();
  }

  /// Phases are launched with the same arguments: each takes the workspaces of all of them, in the
  /// order of the phases.
  void shareWorkspaces(ArrayRef<func::FuncOp> phases) {
    struct Workspace {
      func::FuncOp phase;
      Type type;
      DictionaryAttr attributes;
      Location location;
    };
    SmallVector<Workspace> workspaces;
    for (func::FuncOp phase : phases)
      for (BlockArgument argument : phase.getArguments().drop_front(givenArguments.lookup(phase)))
        workspaces.push_back({phase, argument.getType(),
                              phase.getArgAttrDict(argument.getArgNumber()), argument.getLoc()});
    for (func::FuncOp phase : phases)
      for (func::FuncOp function : {phase, cubeHalves.lookup(phase), launch::getCounter(phase)})
        for (auto [number, workspace] : llvm::enumerate(workspaces))
          if (function && workspace.phase != phase)
            (void)function.insertArgument(givenArguments.lookup(phase) + number, workspace.type,
                                          workspace.attributes, workspace.location);
  }

  DenseMap<func::FuncOp, unsigned> givenArguments;
  DenseMap<func::FuncOp, func::FuncOp> cubeHalves;
};
} // namespace
