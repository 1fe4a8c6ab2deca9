// Choosing between rows of an array and a buffer, by whether all rows of a tile exist. CPU stage,
// on tensors, used by `jit-forward-loads` and `jit-write-to-arrays`.
#include "WholeRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value attn::jit::createIsWhole(ImplicitLocOpBuilder &builder, Value rows, MemRefType type) {
  Value size = arith::ConstantIndexOp::create(builder, type.getDimSize(0));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rows, size);
}

Value attn::jit::createNot(ImplicitLocOpBuilder &builder, Value condition) {
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, condition, yes);
}

Value attn::jit::createWholeView(ImplicitLocOpBuilder &builder, memref::SubViewOp part,
                                 MemRefType type) {
  SmallVector<OpFoldResult> sizes = part.getMixedSizes();
  for (OpFoldResult &size : sizes)
    if (isa<Value>(size))
      size = builder.getIndexAttr(type.getDimSize(0));
  MemRefType viewType = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), part.getSourceType(), part.getMixedOffsets(), sizes, part.getMixedStrides());
  return memref::SubViewOp::create(builder, viewType, part.getSource(), part.getMixedOffsets(),
                                   sizes, part.getMixedStrides());
}

Value attn::jit::createChoice(ImplicitLocOpBuilder &builder, Value condition, Value view,
                              Value buffer) {
  auto type = cast<MemRefType>(view.getType());
  int64_t any = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(builder.getContext(), /*offset=*/any, {any, 1});
  auto common = MemRefType::get(type.getShape(), type.getElementType(), layout);
  auto toCommon = [&](Value memref) -> Value {
    return memref::CastOp::create(builder, common, memref);
  };
  return arith::SelectOp::create(builder, condition, toCommon(view), toCommon(buffer));
}
