// tile-print-buffers: says which buffers the tiles of a kernel need (tile stage, changes nothing).
#include "attn/TileOnChip/BufferAssignment.h"
#include "attn/TileOnChip/Transforms/Passes.h"

namespace attn {
#define GEN_PASS_DEF_PRINTBUFFERSPASS
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {
struct PrintBuffers : attn::impl::PrintBuffersPassBase<PrintBuffers> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("tile.kernel"))
      return;
    FailureOr<Chip> chip = getTargetChip(kernel->getParentOfType<ModuleOp>());
    if (failed(chip))
      return signalPassFailure();
    FailureOr<BufferAssignment> assignment =
        BufferAssignment::create(kernel, ChipModel(*chip, kernel));
    if (failed(assignment))
      return signalPassFailure();
    for (const TileBuffer &buffer : assignment->getBuffers())
      emitRemark(buffer.loc) << "buffer '" << buffer.name << "' of " << buffer.elementType << ": "
                             << buffer.slots << " x " << buffer.elements << " elements, "
                             << buffer.getBytes() << " bytes, alive from " << buffer.begin << " to "
                             << buffer.end;
    for (const MemoryUse &use : assignment->getMemoryUse())
      emitRemark(kernel.getLoc()) << llvm::count_if(assignment->getBuffers(),
                                                    [&](const TileBuffer &buffer) {
                                                      return buffer.memory == use.memory;
                                                    })
                                  << " buffers take " << use.bytes << " bytes of "
                                  << StringRef(getFacts(use.memory).name);
  }
};
} // namespace
