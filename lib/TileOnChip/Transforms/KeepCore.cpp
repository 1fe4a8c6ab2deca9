// Leaves of a kernel what one kind of core does (tile on the chip).
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"
#include "attn/TileOnChip/CoreAssignment.h"
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Erases what nothing needs: indices of the other half, and loads for it.
static void eraseDeadOps(func::FuncOp half) {
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    SmallVector<Operation *> dead;
    half.getBody().walk([&](Operation *op) {
      if (isOpTriviallyDead(op))
        dead.push_back(op);
    });
    // What is inside of a dead op is dead, too, and goes first.
    for (Operation *op : dead)
      op->erase();
    hasChanged = !dead.empty();
  }
}

/// Whether the other kind of core runs `op`.
static bool isOfOther(Operation *op, CoreKind core, const CoreAssignment &assignment) {
  if (auto name = op->getAttrOfType<StringAttr>(coreName))
    return name.getValue() != getCoreName(core);
  std::optional<CoreKind> runs = assignment.getCore(op);
  return runs && *runs != core;
}

void onchip::keepCore(func::FuncOp half, CoreKind core) {
  CoreAssignment assignment(half);
  SmallVector<Operation *> dead;
  SmallVector<std::pair<RangeOp, CarriedReplacements>> loops;
  half.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isOfOther(op, core, assignment))
      dead.push_back(op);
    auto range = dyn_cast<RangeOp>(op);
    if (!range)
      return;
    CarriedReplacements dropped(range.getInits().size());
    for (auto [carried, replacement] : llvm::zip_equal(range.getCarried(), dropped))
      if (isa<TileType>(carried.getType()) && assignment.getCore(Value(carried)) != core)
        replacement.emplace();
    loops.emplace_back(range, std::move(dropped));
  });
  for (auto &[loop, dropped] : loops) {
    if (llvm::none_of(dropped, [](auto &replacement) { return replacement.has_value(); }))
      continue;
    RangeOp kept = rebuildLoop(loop, dropped);
    kept->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    rebuildYield(kept, dropped);
    dead.push_back(loop);
  }
  for (Operation *op : dead)
    op->dropAllUses();
  // The arguments of loops that were rebuilt may still be named by what is erased with them.
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead)
    op->erase();
  eraseDeadOps(half);
  half.walk([](Operation *op) { op->removeAttr(coreName); });
}
