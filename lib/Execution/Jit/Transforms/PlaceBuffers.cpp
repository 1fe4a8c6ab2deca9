// The pass `jit-place-buffers`: allocates every buffer once, at the start of its function. CPU
// stage, on buffers.
#include "attn/Execution/Jit/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whole cache lines, and whole vectors of any width.
constexpr int64_t bufferAlignmentBytes = 64;

struct PlaceBuffersPass : attn::impl::PlaceBuffersPassBase<PlaceBuffersPass> {
  using PlaceBuffersPassBase::PlaceBuffersPassBase;

  void runOnOperation() override {
    SmallVector<memref::AllocOp> buffers;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto buffer = dyn_cast<memref::AllocOp>(op)) {
        if (!buffer.getType().hasStaticShape()) {
          buffer.emitOpError("has a size that is not a number; only fixed sizes can be placed");
          return WalkResult::interrupt();
        }
        buffers.push_back(buffer);
      }
      if (isa<scf::YieldOp>(op) && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>)) {
        op->emitOpError("hands on a buffer; run 'jit-reuse-destinations' before bufferization");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (memref::AllocOp buffer : buffers)
      place(buffer);
  }

private:
  void place(memref::AllocOp buffer) {
    Block &entry = getOperation().getBody().front();
    MemRefType type = buffer.getType();
    OpBuilder builder(&getContext());
    buffer.setAlignment(bufferAlignmentBytes);
    int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (bytes > stackBytes) {
      buffer->moveBefore(&entry, entry.begin());
      builder.setInsertionPoint(entry.getTerminator());
      memref::DeallocOp::create(builder, buffer.getLoc(), buffer);
      return;
    }
    builder.setInsertionPointToStart(&entry);
    auto onStack =
        memref::AllocaOp::create(builder, buffer.getLoc(), type, buffer.getAlignmentAttr());
    buffer.getResult().replaceAllUsesWith(onStack);
    buffer.erase();
  }
};

} // namespace
