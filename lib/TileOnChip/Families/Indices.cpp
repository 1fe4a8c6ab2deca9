// Integers from memory, lists of rows, and indices brought inside arrays, on the chip (tile on the
// chip, family).
#include "attn/TileOnChip/Families/Indices.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/Families/Registration.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

Value onchip::loadIndex(Lowering &lowering, Value array, ArrayRef<Value> indices) {
  Value number = lowering.create<ascend::LoadIndexOp>(
      lowering.builder.getIndexType(), lowering.scalars.lookup(array), indices, isWritten(array));
  if (!cast<ArrayType>(array.getType()).getElementType().isInteger(64))
    return number;
  Value most = lowering.constant(int64_t(std::numeric_limits<int32_t>::max()));
  Value least = lowering.constant(int64_t(std::numeric_limits<int32_t>::min()));
  number = lowering.create<arith::MinSIOp>(number, most);
  return lowering.create<arith::MaxSIOp>(number, least);
}

Value onchip::getSize(Lowering &lowering, Value array, int64_t dimension) {
  int64_t size = cast<ArrayType>(array.getType()).getShape()[dimension];
  if (!ShapedType::isDynamic(size))
    return lowering.constant(size);
  return lowering.create<ascend::DimOp>(lowering.builder.getIndexType(),
                                        lowering.scalars.lookup(array), dimension);
}

Value onchip::boundIndex(Lowering &lowering, Value given, BoundKind kind, Value array,
                         int64_t dimension, bool isTold) {
  Value inside = given;
  if (kind != BoundKind::First) {
    Value end = getSize(lowering, array, dimension);
    if (kind == BoundKind::Index)
      end = lowering.subtract(end, lowering.constant(int64_t(1)));
    inside = lowering.create<arith::MinSIOp>(inside, end);
  }
  if (kind != BoundKind::End)
    inside = lowering.create<arith::MaxSIOp>(inside, lowering.constant(int64_t(0)));
  if (isTold)
    lowering.create<ascend::ExpectIndexOp>(given, inside, lowering.scalars.lookup(array),
                                           dimension);
  return inside;
}

Value onchip::boundRun(Lowering &lowering, Value given, Value amount, Value array,
                       int64_t dimension) {
  Value last = lowering.subtract(getSize(lowering, array, dimension), amount);
  Value inside =
      lowering.max(lowering.create<arith::MinSIOp>(given, last), lowering.constant(int64_t(0)));
  lowering.create<ascend::ExpectIndexOp>(given, inside, lowering.scalars.lookup(array), dimension);
  return inside;
}

namespace {

struct LoadIndexOnChip : OnChipOpInterface::ExternalModel<LoadIndexOnChip, LoadIndexOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto load = cast<LoadIndexOp>(op);
    SmallVector<Value> indices = llvm::map_to_vector(
        load.getIndices(), [&](Value index) { return lowering.scalars.lookup(index); });
    lowering.scalars.map(load.getResult(), loadIndex(lowering, load.getArray(), indices));
    return success();
  }
};

struct BoundIndexOnChip : OnChipOpInterface::ExternalModel<BoundIndexOnChip, BoundIndexOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto bound = cast<BoundIndexOp>(op);
    Value given = lowering.scalars.lookup(bound.getIndex());
    lowering.scalars.map(bound.getResult(), boundIndex(lowering, given, bound.getKind(),
                                                       bound.getArray(), bound.getDimension()));
    return success();
  }
};

struct BoundCountOnChip : OnChipOpInterface::ExternalModel<BoundCountOnChip, BoundCountOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto bound = cast<BoundCountOp>(op);
    Value lower = lowering.scalars.lookup(bound.getLower());
    Value upper = lowering.scalars.lookup(bound.getUpper());
    Value furthest = lowering.add(lower, lowering.constant(bound.getStep() * bound.getMost()));
    Value isBeyond = lowering.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, upper, furthest);
    Value end = lowering.create<arith::SelectOp>(isBeyond, lower, upper);
    lowering.create<ascend::ExpectCountOp>(upper, end, lower, bound.getStep(), bound.getMost(),
                                           bound.getName());
    lowering.scalars.map(bound.getResult(), end);
    return success();
  }
};

/// The rows of the list that exist; what the list says is read by the transfers.
struct ListRowsOnChip : OnChipOpInterface::ExternalModel<ListRowsOnChip, ListRowsOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto list = cast<ListRowsOp>(op);
    SpanBounds span = lowering.spans[list.getSpan()];
    span.list = list;
    lowering.spans[list.getResult()] = span;
    return success();
  }
};

} // namespace

void onchip::registerIndices(MLIRContext *context) {
  LoadIndexOp::attachInterface<LoadIndexOnChip>(*context);
  BoundIndexOp::attachInterface<BoundIndexOnChip>(*context);
  BoundCountOp::attachInterface<BoundCountOnChip>(*context);
  ListRowsOp::attachInterface<ListRowsOnChip>(*context);
}
