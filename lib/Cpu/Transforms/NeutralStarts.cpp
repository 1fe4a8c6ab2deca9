// Reductions that start at what changes nothing: what sets their outputs to it goes away. CPU
// stage, on buffers, used by `jit-vectorize-rows`.
#include "NeutralStarts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn::jit;

/// The operation that only sets all of an output to what changes nothing, where nothing else uses
/// the buffer before `op`; otherwise null.
static linalg::GenericOp findNeutralFill(linalg::GenericOp op, OpOperand &output,
                                         Operation *combiner) {
  linalg::GenericOp found;
  for (Operation *user : output.get().getUsers()) {
    if (user == op || isa<memref::DeallocOp>(user))
      continue;
    if (user->getBlock() != op->getBlock())
      return {};
    if (op->isBeforeInBlock(user))
      continue;
    auto fill = dyn_cast<linalg::GenericOp>(user);
    if (found || !fill)
      return {};
    found = fill;
  }
  if (!found || !output.get().getDefiningOp() || found.getNumDpsInputs() != 1 ||
      found.getNumDpsInits() != 1 || !llvm::hasSingleElement(*found.getBody()) ||
      found.getDpsInits().front() != output.get())
    return {};
  APFloat value(0.0f);
  bool isNeutral = matchPattern(found.getDpsInputs().front(), m_ConstantFloat(&value)) &&
                   value.bitwiseIsEqual(getNeutral(combiner));
  return isNeutral ? found : linalg::GenericOp();
}

DenseSet<OpOperand *> attn::jit::dropNeutralStarts(RewriterBase &rewriter, Sweeps &sweeps) {
  DenseSet<OpOperand *> neutral;
  DenseSet<Operation *> dropped;
  for (auto &[op, sweep] : sweeps) {
    if (!sweep.isInnerReduction())
      continue;
    for (auto [number, output] : llvm::enumerate(op.getDpsInitsMutable())) {
      if (!sweep.isReduced(output))
        continue;
      if (linalg::GenericOp fill = findNeutralFill(op, output, sweep.getCombiner(number))) {
        neutral.insert(&output);
        dropped.insert(fill);
      }
    }
  }
  llvm::erase_if(sweeps, [&](auto &entry) { return dropped.contains(entry.first); });
  for (Operation *fill : dropped)
    rewriter.eraseOp(fill);
  return neutral;
}
