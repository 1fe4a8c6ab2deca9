// Rows as columns on the chip: form, cost and instructions (tile on the chip, family).
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using architecture::fractalRows;
using ascend::ScalarKind;

/// A row or a column.
static bool isLine(TileType type) { return type.getRowCount() == 1 || isColumn(type); }

/// Whether a tile consists of the squares that the chip turns over.
static bool isInSquares(TileType type) {
  Type element = type.getElementType();
  return (element.isF16() || element.isBF16()) && type.getRowCount() % fractalRows == 0 &&
         type.getColCount() % fractalRows == 0;
}

namespace {

/// A row and a column hold their elements contiguously: they are copied by arithmetic that changes
/// nothing, those that exist and no others. A row is worked on as a whole, so what a column lacks
/// becomes zeros in it.
class LineLowering {
public:
  LineLowering(Lowering &lowering, TransposeOp op)
      : lowering(lowering), op(op), to(op.getResult().getType()) {}

  void lower() {
    Value dst = lowering.getMemory(op.getResult());
    Value count = getExisting();
    int64_t pitch = lowering.model.getPitch(to);
    if (!isColumn(to) && !isConstantIntValue(count, pitch))
      lowering.emitDuplicate(dst, lowering.constant(0.0f), lowering.constant(pitch));
    if (auto splat = op.getInput().getDefiningOp<SplatOp>())
      lowering.emitDuplicate(dst, lowering.scalars.lookup(splat.getValue()), count);
    else
      lowering.emitScalar(ScalarKind::Muls, dst, lowering.getMemory(op.getInput()),
                          lowering.constant(1.0f), count);
  }

private:
  Value getExisting() {
    const RowLimits &limits = lowering.getRowLimits();
    bool isColumnToRow = isColumn(op.getInput().getType());
    return lowering.getLimit(isColumnToRow ? limits.getSpans(op.getInput())
                                           : limits.getColumnSpans(op.getInput()),
                             std::max(to.getRowCount(), to.getColCount()));
  }

  Lowering &lowering;
  TransposeOp op;
  TileType to;
};

/// Squares are turned over one strip at a time: a strip is the shorter side of a square wide and
/// the longer side of the tile long, and one instruction.
class SquareLowering {
public:
  SquareLowering(Lowering &lowering, TransposeOp op)
      : lowering(lowering), op(op), from(op.getInput().getType()), to(op.getResult().getType()) {}

  void lower() {
    Value dst = lowering.getMemory(op.getResult());
    if (op.getInput().getDefiningOp<SplatOp>())
      return lowering.copyTile(dst, op.getInput());
    fillMissingRows();
    Value src = lowering.getMemory(op.getInput());
    int64_t perBlock = lowering.model.getBlockElements(to.getElementType());
    int64_t dstRow = lowering.model.getPitch(to) / perBlock;
    int64_t srcRow = lowering.model.getPitch(from) / perBlock;
    bool isAlongRow = from.getRowCount() <= from.getColCount();
    int64_t rows = isAlongRow ? fractalRows : from.getRowCount();
    int64_t cols = isAlongRow ? from.getColCount() : fractalRows;
    SmallVector<int64_t> strides = {dstRow, srcRow};
    if (isAlongRow)
      llvm::append_values(strides, fractalRows * dstRow, 1);
    else
      llvm::append_values(strides, 1, fractalRows * srcRow);
    for (int64_t row = 0; row < from.getRowCount(); row += rows)
      for (int64_t col = 0; col < from.getColCount(); col += cols)
        lowering.create<ascend::TransposeOp>(
            lowering.getPart(dst, to, lowering.constant(col), lowering.constant(row)),
            lowering.getPart(src, from, lowering.constant(row), lowering.constant(col)),
            lowering.constant(std::max(rows, cols) / fractalRows), strides);
  }

private:
  /// Columns that a tile lacks are zeros, also where they were rows. Nothing else reads those rows.
  /// Where composites are kept, all rows are computed.
  void fillMissingRows() {
    Value valid = lowering.getLimit(op.getInput());
    if (!valid || lowering.model.keepsComposites())
      return;
    int64_t pitch = lowering.model.getPitch(from);
    Value missing = lowering.subtract(lowering.constant(from.getRowCount()), valid);
    auto element = cast<FloatType>(from.getElementType());
    lowering.emitDuplicate(
        lowering.slice(lowering.getMemory(op.getInput()), lowering.scale(valid, pitch)),
        lowering.constant(APFloat::getZero(element.getFloatSemantics()), element),
        lowering.scale(missing, pitch));
  }

  Lowering &lowering;
  TransposeOp op;
  TileType from, to;
};

struct TransposeOnChip : OnChipOpInterface::ExternalModel<TransposeOnChip, TransposeOp> {
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    TileType type = getTileType(op->getResult(0));
    if (isLine(type)) {
      cost.vectorCycles = costs.getCycles(getFamily(ScalarKind::Muls), 1, model.getRepeats(type));
      return cost;
    }
    double rows = llvm::divideCeil(type.getRowCount(), fractalRows),
           cols = llvm::divideCeil(type.getColCount(), fractalRows);
    VectorFamily family = *ascend::getFamily(ascend::Opcode::Transpose, /*kind=*/0);
    cost.vectorCycles = costs.getCycles(family, std::min(rows, cols), rows * cols);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto transpose = cast<TransposeOp>(op);
    TileType from = transpose.getInput().getType(), to = transpose.getResult().getType();
    if (isLine(from) ? !to.getElementType().isF32() : !isInSquares(from))
      return op->emitOpError() << "cannot turn " << from << " into " << to
                               << " on the chip: rows and columns of f32 can, and tiles of f16 and "
                                  "bf16 of which both sides are multiples of "
                               << fractalRows;
    lowering.limitRows(transpose.getResult());
    if (isLine(from))
      LineLowering(lowering, transpose).lower();
    else
      SquareLowering(lowering, transpose).lower();
    return success();
  }
};

} // namespace

void onchip::registerTransposes(MLIRContext *context) {
  TransposeOp::attachInterface<TransposeOnChip>(*context);
}
