// The pass `jit-fuse-band-products`: weighted sums over the taps of a band by fused multiply-adds.
// CPU stage, on tensors.
#include "BandWeights.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace attn {
#define GEN_PASS_DEF_FUSEBANDPRODUCTSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether a value in the body of `op` is the weight of a tap.
bool isWeight(GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return false;
  return attn::jit::findBandWeights(op.getInputs()[argument.getArgNumber()]).has_value();
}

/// The product with a weight that is operand `number` of a sum and used for nothing else, or null.
arith::MulFOp findProduct(GenericOp op, arith::AddFOp sum, unsigned number) {
  auto product = sum->getOperand(number).getDefiningOp<arith::MulFOp>();
  bool isOwn = product && product->hasOneUse() && product->getBlock() == op.getBody();
  return isOwn && (isWeight(op, product.getLhs()) || isWeight(op, product.getRhs()))
             ? product
             : arith::MulFOp();
}

struct FuseBandProductsPass : attn::impl::FuseBandProductsPassBase<FuseBandProductsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](GenericOp op) {
      // Of reductions, sums of products are fused in any case.
      if (op.getNumReductionLoops() > 0)
        return;
      for (arith::AddFOp sum : llvm::make_early_inc_range(op.getBody()->getOps<arith::AddFOp>()))
        fuse(rewriter, op, sum);
    });
  }

private:
  void fuse(RewriterBase &rewriter, GenericOp op, arith::AddFOp sum) {
    for (unsigned number : {1u, 0u}) {
      arith::MulFOp product = findProduct(op, sum, number);
      if (!product)
        continue;
      rewriter.setInsertionPoint(sum);
      rewriter.replaceOpWithNewOp<math::FmaOp>(sum, product.getLhs(), product.getRhs(),
                                               sum->getOperand(1 - number));
      rewriter.eraseOp(product);
      ++fused;
      return;
    }
  }
};

} // namespace
