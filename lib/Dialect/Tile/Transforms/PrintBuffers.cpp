// tile-print-buffers: says which buffers the tiles of a kernel need (tile stage, changes nothing).
#include "attn/Dialect/Tile/Analysis/BufferAssignment.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_PRINTBUFFERSPASS
#include "attn/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {
struct PrintBuffers : attn::impl::PrintBuffersPassBase<PrintBuffers> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("tile.kernel"))
      return;
    FailureOr<BufferAssignment> assignment = BufferAssignment::create(kernel);
    if (failed(assignment))
      return signalPassFailure();
    for (const TileBuffer &buffer : assignment->getBuffers())
      emitRemark(buffer.loc) << "buffer '" << buffer.name << "' of " << buffer.elementType << ": "
                             << buffer.slots << " x " << buffer.elements << " elements, "
                             << buffer.getBytes() << " bytes, alive from " << buffer.begin << " to "
                             << buffer.end;
    emitRemark(kernel.getLoc()) << assignment->getBuffers().size() << " buffers take "
                                << assignment->getPackedBytes() << " bytes";
  }
};
} // namespace
