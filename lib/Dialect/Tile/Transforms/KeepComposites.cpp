// tile-keep-composites: marks kernels as ones whose composites are kept (first pass of the tile
// stage on the way to HIVM).
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_KEEPCOMPOSITESPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {
struct KeepComposites : attn::impl::KeepCompositesPassBase<KeepComposites> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("tile.kernel"))
        function->setAttr("tile.keep_composites", UnitAttr::get(&getContext()));
  }
};
} // namespace
