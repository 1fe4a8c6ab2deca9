// Integers from memory, and indices brought inside arrays, on the chip (tile on the chip, family).
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

struct LoadIndexOnChip : OnChipOpInterface::ExternalModel<LoadIndexOnChip, LoadIndexOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto load = cast<LoadIndexOp>(op);
    SmallVector<Value> indices = llvm::map_to_vector(
        load.getIndices(), [&](Value index) { return lowering.scalars.lookup(index); });
    Value number = lowering.create<ascend::LoadIndexOp>(lowering.builder.getIndexType(),
                                                        lowering.scalars.lookup(load.getArray()),
                                                        indices, isWritten(load.getArray()));
    if (load.getArray().getType().getElementType().isInteger(64)) {
      Value most = lowering.constant(int64_t(std::numeric_limits<int32_t>::max()));
      Value least = lowering.constant(int64_t(std::numeric_limits<int32_t>::min()));
      number = lowering.create<arith::MinSIOp>(number, most);
      number = lowering.create<arith::MaxSIOp>(number, least);
    }
    lowering.scalars.map(load.getResult(), number);
    return success();
  }
};

struct BoundIndexOnChip : OnChipOpInterface::ExternalModel<BoundIndexOnChip, BoundIndexOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto bound = cast<BoundIndexOp>(op);
    Value given = lowering.scalars.lookup(bound.getIndex()), inside = given;
    Value array = lowering.scalars.lookup(bound.getArray());
    if (bound.getKind() != BoundKind::First) {
      Value end = getSize(lowering, bound, array);
      if (bound.getKind() == BoundKind::Index)
        end = lowering.subtract(end, lowering.constant(int64_t(1)));
      inside = lowering.create<arith::MinSIOp>(inside, end);
    }
    if (bound.getKind() != BoundKind::End)
      inside = lowering.create<arith::MaxSIOp>(inside, lowering.constant(int64_t(0)));
    lowering.create<ascend::ExpectIndexOp>(given, inside, array, bound.getDimension());
    lowering.scalars.map(bound.getResult(), inside);
    return success();
  }

private:
  static Value getSize(Lowering &lowering, BoundIndexOp bound, Value array) {
    int64_t size = bound.getArray().getType().getShape()[bound.getDimension()];
    if (!ShapedType::isDynamic(size))
      return lowering.constant(size);
    return lowering.create<ascend::DimOp>(lowering.builder.getIndexType(), array,
                                          bound.getDimension());
  }
};

} // namespace

void onchip::registerIndices(MLIRContext *context) {
  LoadIndexOp::attachInterface<LoadIndexOnChip>(*context);
  BoundIndexOp::attachInterface<BoundIndexOnChip>(*context);
}
