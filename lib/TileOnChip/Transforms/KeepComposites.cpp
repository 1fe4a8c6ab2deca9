// tile-keep-composites: marks kernels as ones whose composites are kept (first pass of the tile
// stage on the way to HIVM).
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/TileOnChip/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_KEEPCOMPOSITESPASS
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {
struct KeepComposites : attn::impl::KeepCompositesPassBase<KeepComposites> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("tile.kernel"))
        function->setAttr("ascend.keep_composites", UnitAttr::get(&getContext()));
  }
};
} // namespace
