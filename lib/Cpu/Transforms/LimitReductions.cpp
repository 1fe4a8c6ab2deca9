// The pass `jit-limit-reductions`: reductions of the first columns of a tile as limited reductions
// of the whole tile, which other sweeps over it can share. CPU stage, on tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace attn {
#define GEN_PASS_DEF_LIMITREDUCTIONSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// What folds the elements of the only input into the result, or null where it is something else
/// than a sum, a maximum or a minimum of them.
Operation *getCombiner(GenericOp op) {
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  bool isKnown = combiner && isa<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp>(combiner) &&
                 llvm::hasSingleElement(op.getBody()->without_terminator()) &&
                 llvm::is_contained(combiner->getOperands(), Value(op.getRegionInputArgs()[0])) &&
                 llvm::is_contained(combiner->getOperands(), Value(op.getRegionOutputArgs()[0]));
  return isKnown ? combiner : nullptr;
}

TypedAttr getNeutral(OpBuilder &builder, Operation *combiner) {
  auto type = cast<FloatType>(combiner->getResult(0).getType());
  if (isa<arith::AddFOp>(combiner))
    return builder.getFloatAttr(type, 0.0);
  return builder.getFloatAttr(
      type, APFloat::getInf(type.getFloatSemantics(), isa<arith::MaximumFOp>(combiner)));
}

/// Whether an operation computes the elements of a tile one by one.
bool isElementwise(Operation *op) {
  auto generic = dyn_cast_or_null<GenericOp>(op);
  return generic && generic.getNumReductionLoops() == 0;
}

/// The columns that `op` reduces of each row: the first ones of all rows of a tile that is computed
/// in the same block, as many as only the run tells. Null for anything else.
tensor::ExtractSliceOp getFirstColumns(GenericOp op) {
  if (op.getNumLoops() != 2 || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getIteratorTypesArray()[1] != utils::IteratorType::reduction ||
      op.getIteratorTypesArray()[0] != utils::IteratorType::parallel ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
    return {};
  auto part = op.getDpsInputs()[0].getDefiningOp<tensor::ExtractSliceOp>();
  if (!part || part.getSourceType().getRank() != 2 || !part.getSourceType().hasStaticShape() ||
      !part.hasUnitStride() || !llvm::all_of(part.getMixedOffsets(), isZeroInteger) ||
      part.isDynamicSize(0) || !part.isDynamicSize(1) ||
      part.getStaticSizes()[0] != part.getSourceType().getDimSize(0))
    return {};
  Operation *producer = part.getSource().getDefiningOp();
  return isElementwise(producer) && producer->getBlock() == op->getBlock()
             ? part
             : tensor::ExtractSliceOp();
}

struct LimitReductionsPass : attn::impl::LimitReductionsPassBase<LimitReductionsPass> {
  void runOnOperation() override {
    SmallVector<GenericOp> reductions;
    getOperation().walk([&](GenericOp op) {
      if (getFirstColumns(op) && getCombiner(op))
        reductions.push_back(op);
    });
    for (GenericOp op : reductions)
      limit(op);
    limited += reductions.size();
  }

private:
  /// Reduces the whole tile, of which columns beyond the first ones count as what changes nothing.
  void limit(GenericOp op) {
    tensor::ExtractSliceOp part = getFirstColumns(op);
    Operation *combiner = getCombiner(op);
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value count = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                             part.getDynamicSizes().front());
    Value neutral = arith::ConstantOp::create(builder, loc, getNeutral(builder, combiner));
    op.getInputsMutable()[0].set(part.getSource());
    builder.setInsertionPointToStart(op.getBody());
    Value column = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                              linalg::IndexOp::create(builder, loc, 1));
    Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, column, count);
    BlockArgument element = op.getRegionInputArgs()[0];
    auto taken = arith::SelectOp::create(builder, loc, exists, element, neutral);
    element.replaceAllUsesExcept(taken, taken);
  }
};

} // namespace
