// Rows as columns on the chip: form, cost and instructions (tile on the chip, family).
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using ascend::ScalarKind;

namespace {

/// A row and a column hold their elements contiguously: they are copied by arithmetic that changes
/// nothing, those that exist and no others. A row is worked on as a whole, so what a column lacks
/// becomes zeros in it.
struct TransposeOnChip : OnChipOpInterface::ExternalModel<TransposeOnChip, TransposeOp> {
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    TileType type = getTileType(op->getResult(0));
    cost.vectorCycles = costs.getCycles(getFamily(ScalarKind::Muls), 1, model.getRepeats(type));
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto transpose = cast<TransposeOp>(op);
    TileType from = transpose.getInput().getType(), to = transpose.getResult().getType();
    bool isLine = from.getRowCount() == 1 || isColumn(from);
    if (!isLine || !to.getElementType().isF32())
      return op->emitOpError() << "cannot turn " << from << " into " << to
                               << " on the chip: rows and columns of f32 can";
    lowering.limitRows(transpose.getResult());
    Value dst = lowering.getMemory(transpose.getResult());
    int64_t elements = std::max(to.getRowCount(), to.getColCount());
    Value count = getExisting(lowering, transpose, elements);
    int64_t pitch = lowering.model.getPitch(to);
    if (!isColumn(to) && !isConstantIntValue(count, pitch))
      lowering.emitDuplicate(dst, lowering.constant(0.0f), lowering.constant(pitch));
    if (auto splat = transpose.getInput().getDefiningOp<SplatOp>())
      lowering.emitDuplicate(dst, lowering.scalars.lookup(splat.getValue()), count);
    else
      lowering.emitScalar(ScalarKind::Muls, dst, lowering.getMemory(transpose.getInput()),
                          lowering.constant(1.0f), count);
    return success();
  }

private:
  static Value getExisting(Lowering &lowering, TransposeOp op, int64_t elements) {
    const RowLimits &limits = lowering.getRowLimits();
    bool isColumnToRow = isColumn(op.getInput().getType());
    return lowering.getLimit(isColumnToRow ? limits.getSpans(op.getInput())
                                           : limits.getColumnSpans(op.getInput()),
                             elements);
  }
};

} // namespace

void onchip::registerTransposes(MLIRContext *context) {
  TransposeOp::attachInterface<TransposeOnChip>(*context);
}
