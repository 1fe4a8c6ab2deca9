// The pass `linalg-unroll-strips`: loops over the strips of a tile, one body after the other, for
// the vendor's compiler.
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_UNROLLSTRIPSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;

/// Whether the loop changes a part of a tensor it carries, in a number of trips that is known.
static bool writesStrips(scf::ForOp loop) {
  if (!loop.getStaticTripCount())
    return false;
  return llvm::any_of(loop.getYieldedValues(), [&](Value value) {
    auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
    return insert && llvm::is_contained(loop.getRegionIterArgs(), insert.getDest());
  });
}

namespace {

struct UnrollStrips : attn::impl::UnrollStripsPassBase<UnrollStrips> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Inner loops come first.
    getOperation().walk([&](scf::ForOp loop) {
      if (writesStrips(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(loopUnrollFull(loop)))
        return signalPassFailure();
    unrolled += loops.size();
  }
};

} // namespace
