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

struct ForwardLoadsPass : attn::impl::ForwardLoadsPassBase<ForwardLoadsPass> {
  void runOnOperation() override {
    DenseMap<Value, bool> written;
    SmallVector<bufferization::ToTensorOp> loads;
    getOperation().walk([&](bufferization::ToTensorOp load) { loads.push_back(load); });
    for (bufferization::ToTensorOp load : loads) {
      auto buffer = load.getBuffer().getDefiningOp<memref::AllocOp>();
      memref::CopyOp copy = buffer ? findOnlyCopy(buffer) : memref::CopyOp();
      if (!copy)
        continue;
      BlockArgument argument = findArgument(copy.getSource());
      if (!argument)
        continue;
      auto [entry, isNew] = written.try_emplace(argument, false);
      if (isNew)
        entry->second = isWritten(argument);
      if (entry->second)
        continue;
      load.getBufferMutable().assign(copy.getSource());
      load.setWritable(false);
      copy.erase();
      buffer.erase();
    }
  }

private:
  /// The copy that fills a buffer which is otherwise only made a tensor, or null.
  static memref::CopyOp findOnlyCopy(memref::AllocOp buffer) {
    memref::CopyOp found;
    unsigned count = 0;
    for (Operation *user : buffer->getUsers()) {
      ++count;
      if (auto copy = dyn_cast<memref::CopyOp>(user))
        found = copy;
    }
    return count == 2 && found && found.getTarget() == buffer.getResult() ? found
                                                                          : memref::CopyOp();
  }
};

} // namespace
