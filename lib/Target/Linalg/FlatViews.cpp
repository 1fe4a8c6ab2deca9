// Views of an array, written as casts of the flat one.
#include "FlatViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace attn;

void FlatViews::replaceUsers(Value view, const Selection &selection) {
  for (Operation *user : llvm::make_early_inc_range(view.getUsers())) {
    builder.setInsertionPoint(user);
    if (auto subview = dyn_cast<memref::SubViewOp>(user))
      replace(subview, select(selection, subview));
    else if (auto expand = dyn_cast<memref::ExpandShapeOp>(user))
      replace(expand, addUnits(selection, expand));
  }
}

void FlatViews::replace(Operation *op, const Selection &selection) {
  Value old = op->getResult(0);
  replaceUsers(old, selection);
  if (!old.use_empty()) {
    builder.setInsertionPoint(op);
    // What copies take any layout: the types need not be the same.
    old.replaceAllUsesWith(createView(selection, op->getLoc()));
  }
  op->erase();
}

Value FlatViews::createView(const Selection &selection, Location loc) {
  SmallVector<int64_t> sizes, strides;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(selection.sizes, dynamic, sizes);
  dispatchIndexOpFoldResults(selection.strides, dynamic, strides);
  auto flat = cast<MemRefType>(base.getType());
  auto layout = StridedLayoutAttr::get(base.getContext(), ShapedType::kDynamic, strides);
  auto type = MemRefType::get(sizes, flat.getElementType(), layout, flat.getMemorySpace());
  return memref::ReinterpretCastOp::create(builder, loc, type, base, OpFoldResult(selection.offset),
                                           selection.sizes, selection.strides);
}

Value FlatViews::getValue(OpFoldResult number, Location loc) {
  return getValueOrCreateConstantIndexOp(builder, loc, number);
}

OpFoldResult FlatViews::multiply(OpFoldResult lhs, OpFoldResult rhs, Location loc) {
  if (isOneInteger(lhs))
    return rhs;
  if (isOneInteger(rhs))
    return lhs;
  return arith::MulIOp::create(builder, loc, getValue(lhs, loc), getValue(rhs, loc)).getResult();
}

Selection FlatViews::select(const Selection &from, memref::SubViewOp view) {
  Location loc = view.getLoc();
  Selection result{from.offset, {}, {}};
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (unsigned dimension = 0; dimension < from.sizes.size(); ++dimension) {
    OpFoldResult stride = from.strides[dimension];
    OpFoldResult distance = multiply(view.getMixedOffsets()[dimension], stride, loc);
    if (!isZeroInteger(distance))
      result.offset = arith::AddIOp::create(builder, loc, result.offset, getValue(distance, loc));
    if (dropped.test(dimension))
      continue;
    result.sizes.push_back(view.getMixedSizes()[dimension]);
    result.strides.push_back(multiply(view.getMixedStrides()[dimension], stride, loc));
  }
  return result;
}

/// In a group of dimensions only one has another size than 1, so it has the group's stride; what
/// the others have does not matter.
Selection FlatViews::addUnits(const Selection &from, memref::ExpandShapeOp expand) {
  OpFoldResult one = builder.getIndexAttr(1);
  Selection result{from.offset, expand.getMixedOutputShape(), {}};
  result.strides.assign(result.sizes.size(), one);
  for (auto [group, stride] : llvm::zip(expand.getReassociationIndices(), from.strides))
    for (int64_t dimension : group)
      if (!isOneInteger(result.sizes[dimension]))
        result.strides[dimension] = stride;
  return result;
}
