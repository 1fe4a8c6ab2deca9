// The pass `linalg-copy-carried-parts`: parts of tensors that a loop carries, as tensors of their
// own, for the vendor's compiler.
#include "attn/Target/Linalg/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_COPYCARRIEDPARTSPASS
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

using namespace mlir;

/// Whether the value is a part of a tensor that the loop has computed.
static bool isPart(Value value, scf::ForOp loop) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getType().hasStaticShape() && loop->isProperAncestor(slice);
}

namespace {

struct CopyCarriedParts : attn::impl::CopyCarriedPartsPassBase<CopyCarriedParts> {
  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      Operation *yield = loop.getBody()->getTerminator();
      OpBuilder builder(yield);
      for (OpOperand &carried : yield->getOpOperands()) {
        if (!isPart(carried.get(), loop))
          continue;
        auto type = cast<RankedTensorType>(carried.get().getType());
        Location loc = carried.get().getLoc();
        Value place = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
        carried.set(linalg::CopyOp::create(builder, loc, carried.get(), place).getResult(0));
        ++copied;
      }
    });
  }
};

} // namespace
