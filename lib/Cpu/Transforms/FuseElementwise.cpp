// The pass `jit-fuse-elementwise`: fuses elementwise operations into their users. CPU stage, on
// tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// Whether the operation only widens its input.
bool isWidening(linalg::GenericOp op) {
  Block *body = op.getBody();
  return llvm::hasSingleElement(body->without_terminator()) && isa<arith::ExtFOp>(body->front());
}

/// Whether the operation only scales or shifts a tile by a number.
bool isScaling(linalg::GenericOp op) {
  Block *body = op.getBody();
  auto isTile = [](Value input) { return isa<ShapedType>(input.getType()); };
  return llvm::hasSingleElement(body->without_terminator()) &&
         isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(body->front()) &&
         llvm::count_if(op.getInputs(), isTile) == 1;
}

/// Whether each use is by an operation that computes element by element from it.
bool isReadElementwise(linalg::GenericOp producer) {
  return llvm::all_of(producer->getUses(), [&](OpOperand &use) {
    auto consumer = dyn_cast<linalg::GenericOp>(use.getOwner());
    return consumer && consumer->getBlock() == producer->getBlock() &&
           consumer.getMatchingIndexingMap(&use).isIdentity();
  });
}

/// Longer payloads gain nothing, and growing them step by step takes time that grows with the
/// square of their length.
constexpr size_t maxPayload = 64;

size_t countPayload(linalg::GenericOp op) { return op.getBody()->getOperations().size(); }

bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  // What is outside of a loop is not computed again in it.
  if (!producer || !consumer || producer->getBlock() != consumer->getBlock())
    return false;
  // A broadcast operand would be computed once per element it is broadcast to.
  if (!consumer.getMatchingIndexingMap(operand).isIdentity())
    return false;
  // One operation per element costs less than a sweep that writes its result and others that read
  // it.
  if (isWidening(producer) || (isScaling(producer) && isReadElementwise(producer)))
    return true;
  return producer->hasOneUse() && countPayload(producer) + countPayload(consumer) <= maxPayload;
}

struct FuseElementwisePass : attn::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
