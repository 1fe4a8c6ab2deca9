// The pass `jit-unroll-carried-loops`: several iterations of a loop share a sweep over the tile it
// carries. CPU stage, on tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace attn {
#define GEN_PASS_DEF_UNROLLCARRIEDLOOPSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whether the loop carries a tile with rows that it sweeps: a column is too small to matter, and
/// where parts are only taken out and put back, there is no sweep to share.
bool carriesRows(scf::ForOp loop) {
  return llvm::any_of(loop.getRegionIterArgs(), [](BlockArgument carried) {
    auto type = dyn_cast<RankedTensorType>(carried.getType());
    return type && type.getRank() > 0 && type.getShape().back() > 1 &&
           llvm::any_of(carried.getUsers(), [](Operation *user) {
             return isa<linalg::LinalgOp>(user) || OpTrait::hasElementwiseMappableTraits(user);
           });
  });
}

/// Products keep what they carry in registers by themselves; a second one in the body only makes it
/// longer.
bool hasProducts(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](linalg::MatmulOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool isInnermost(scf::ForOp loop) {
  return !loop.getBody()->walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct UnrollCarriedLoopsPass : attn::impl::UnrollCarriedLoopsPassBase<UnrollCarriedLoopsPass> {
  using UnrollCarriedLoopsPassBase::UnrollCarriedLoopsPassBase;

  void runOnOperation() override {
    if (factor < 1) {
      getOperation().emitError("the factor of unrolling must be positive");
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<APInt> step = loop.getConstantStep();
      if (step && step->isStrictlyPositive() && isInnermost(loop) && carriesRows(loop) &&
          !hasProducts(loop))
        loops.push_back(loop);
    });
    // A loop that cannot be unrolled stays as it is: it is right either way.
    for (scf::ForOp loop : loops)
      if (succeeded(loopUnrollByFactor(loop, factor)))
        ++unrolled;
  }
};

} // namespace
