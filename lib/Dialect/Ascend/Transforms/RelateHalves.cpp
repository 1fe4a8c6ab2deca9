// ascend-relate-halves: what the flags between cores say beyond themselves (before
// synchronisation).
#include "attn/Dialect/Ascend/Analysis/GroupFlags.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_RELATEHALVESPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

class RelateHalves : public attn::impl::RelateHalvesPassBase<RelateHalves> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      func::FuncOp cube = isKernel(kernel) ? getCubeHalf(kernel) : func::FuncOp();
      if (!cube || !isKernel(cube))
        continue;
      FailureOr<GroupFlags> flags = GroupFlags::make(kernel, cube);
      if (failed(flags))
        return signalPassFailure();
      for (auto [wait, heard] : flags->getHeard())
        wait.setHeard(heard);
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
