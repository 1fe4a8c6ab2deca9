// The pass `jit-vectorize-rows`: linalg on buffers as loops over explicit vectors. CPU stage, on
// buffers.
#include "NeutralStarts.h"
#include "SweepEmitter.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn::jit;

namespace {

struct VectorizeRowsPass : attn::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
  using VectorizeRowsPassBase::VectorizeRowsPassBase;

  void runOnOperation() override {
    if (lanes < 1 || unroll < 1 || !llvm::isPowerOf2_64(lanes)) {
      getOperation().emitError("lanes must be a power of two, and unroll positive");
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    generalize(rewriter);
    SmallVector<std::pair<linalg::GenericOp, RowSweep>> sweeps;
    if (failed(collectSweeps(sweeps)))
      return signalPassFailure();
    DenseSet<OpOperand *> withoutStart = dropNeutralStarts(rewriter, sweeps);
    this->sweeps += sweeps.size();
    neutral += withoutStart.size();
    bool streams = false;
    ReadAhead readAhead(sweeps);
    SweepContext context = {unroll, streamBytes, readAhead, withoutStart};
    for (auto &[op, sweep] : sweeps) {
      rewriter.setInsertionPoint(op);
      ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
      streams |= emitSweep(builder, op, sweep, context);
    }
    for (auto &[op, sweep] : sweeps)
      rewriter.eraseOp(op);
    if (streams)
      orderStreams(rewriter);
  }

private:
  LogicalResult collectSweeps(Sweeps &sweeps) {
    WalkResult result = getOperation().walk([&](linalg::GenericOp op) {
      FailureOr<RowSweep> sweep = RowSweep::create(op, lanes);
      if (failed(sweep))
        return WalkResult::interrupt();
      sweeps.push_back({op, *sweep});
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// What is streamed must be seen before the end of the function is.
  void orderStreams(IRRewriter &rewriter) {
    getOperation().walk([&](func::ReturnOp end) {
      rewriter.setInsertionPoint(end);
      LLVM::FenceOp::create(rewriter, end.getLoc(), LLVM::AtomicOrdering::seq_cst);
    });
  }

  /// Copies and named operations are swept as any other.
  void generalize(IRRewriter &rewriter) {
    getOperation().walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      auto copy = dyn_cast<memref::CopyOp>(op);
      if (copy && isa<MemRefType>(copy.getSource().getType()) &&
          isa<MemRefType>(copy.getTarget().getType())) {
        linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
        rewriter.eraseOp(copy);
      } else if (auto named = dyn_cast<linalg::LinalgOp>(op);
                 named && !isa<linalg::GenericOp>(op)) {
        (void)linalg::generalizeNamedOp(rewriter, named);
      }
    });
  }
};

} // namespace
