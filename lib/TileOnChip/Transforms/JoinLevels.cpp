// Lets the levels of an iteration of the steady state be computed together, in the same strips
// (tile on the chip).
#include "attn/TileOnChip/Transforms/Halves.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Where an op comes: indices, what is awaited, what is loaded, work, what is stored, and signals.
static int getRank(Operation *op) {
  auto isTile = llvm::IsaPred<TileType>;
  if (isa<AwaitOp>(op))
    return 1;
  if (isa<LoadOp>(op))
    return 2;
  if (isa<StoreOp>(op))
    return 4;
  if (isa<SignalOp>(op))
    return 5;
  return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile)
             ? 3
             : 0;
}

void onchip::joinLevels(Block &body) {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator()) {
    // A signal that slots are free would come later than the maker can wait for it.
    auto signal = dyn_cast<SignalOp>(op);
    if (op.getNumRegions() != 0 || (signal && signal.getLoads()))
      return;
    ops.push_back(&op);
  }
  llvm::stable_sort(ops, [](Operation *a, Operation *b) { return getRank(a) < getRank(b); });
  for (Operation *op : ops)
    op->moveBefore(body.getTerminator());
}
