// The pass `jit-forward-loads`: removes the copies of loads that may read the array itself. CPU
// stage, on tensors.
#include "attn/Execution/Jit/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace attn {
#define GEN_PASS_DEF_FORWARDLOADSPASS
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whether anything may write through the memref or a view of it.
bool isWritten(Value memref) {
  return llvm::any_of(memref.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return llvm::any_of(user->getResults(), isWritten);
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return use.get() == copy.getTarget();
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(user))
      return tensor.getWritable();
    return !isa<memref::DimOp, memref::LoadOp, memref::ExtractStridedMetadataOp>(user);
  });
}

/// The function argument that a memref is a view of, or null.
BlockArgument findArgument(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

/// The copy that fills the buffer of a load, where nothing else uses that buffer; otherwise null.
memref::CopyOp findOnlyCopy(bufferization::ToTensorOp load) {
  auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
  if (!buffer || !buffer.getResult().hasNUses(2))
    return {};
  for (Operation *user : buffer->getUsers()) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    auto source = copy ? dyn_cast<MemRefType>(copy.getSource().getType()) : MemRefType();
    if (source && copy.getTarget() == buffer.getResult() &&
        source.getShape() == buffer.getType().getShape() && copy->getBlock() == load->getBlock() &&
        copy->isBeforeInBlock(load))
      return copy;
  }
  return {};
}

struct ForwardLoadsPass : attn::impl::ForwardLoadsPassBase<ForwardLoadsPass> {
  void runOnOperation() override {
    DenseMap<Value, bool> written;
    SmallVector<bufferization::ToTensorOp> loads;
    getOperation().walk([&](bufferization::ToTensorOp load) { loads.push_back(load); });
    for (bufferization::ToTensorOp load : loads) {
      memref::CopyOp copy = findOnlyCopy(load);
      BlockArgument argument = copy ? findArgument(copy.getSource()) : BlockArgument();
      if (!argument)
        continue;
      auto [entry, isNew] = written.try_emplace(argument, false);
      if (isNew)
        entry->second = isWritten(argument);
      if (entry->second)
        continue;
      Operation *buffer = load.getBuffer().getDefiningOp();
      load.getBufferMutable().assign(copy.getSource());
      load.setWritable(false);
      copy.erase();
      buffer->erase();
    }
  }
};

} // namespace
