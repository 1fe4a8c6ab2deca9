// Columns whose elements lie one per data block (tile on the chip, shared by families).
#include "attn/TileOnChip/Families/Columns.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using tile::TileType;

static int64_t getElements(TileType column) { return column.getRowCount() * column.getColCount(); }

ScratchNeed onchip::getCompositeColumn(TileType column, const ChipModel &model) {
  int64_t elements = llvm::alignTo(getElements(column), model.getBlockLanes());
  return {Scratch::Column, Float32Type::get(column.getContext()),
          std::max(model.getBroadcastScratch(elements), model.getReduceScratch(elements, 1))};
}

ScratchNeed onchip::getWideColumn(Scratch scratch, TileType column, const ChipModel &model) {
  int64_t elements = llvm::alignTo(getElements(column), model.getBlockLanes());
  return {scratch, Float32Type::get(column.getContext()), elements};
}

Value onchip::widen(Lowering &lowering, Value column, Value wide, int64_t elements) {
  if (cast<MemRefType>(column.getType()).getElementType().isF32())
    return column;
  lowering.emitCast(ascend::RoundMode::None, wide, column, lowering.constant(elements));
  return wide;
}

/// The sum of a single lane is that lane.
void onchip::gatherColumn(Lowering &lowering, Operation *op, Value column, Value blocks, Value rows,
                          int64_t bound, int64_t rowElements) {
  const ChipModel &model = lowering.model;
  if (model.keepsComposites()) {
    lowering.create<ascend::RowReduceOp>(ascend::ReduceKind::Sum, column, blocks,
                                         lowering.getScratch(op, Scratch::Column), rows, /*cols=*/1,
                                         rowElements);
    return;
  }
  int64_t rowBlocks =
      rowElements / model.getBlockElements(cast<MemRefType>(blocks.getType()).getElementType());
  lowering.forEachChunk(rows, bound, model.getMaxGatherRows(), [&](Value first, Value amount) {
    lowering.create<ascend::WholeReduceOp>(
        ascend::ReduceKind::Sum, lowering.slice(column, first),
        lowering.slice(blocks, lowering.scale(first, rowElements)), /*mask=*/1, amount,
        ArrayRef<int64_t>{1, 1, rowBlocks});
  });
}

void onchip::spreadByComposite(Lowering &lowering, Operation *op, Value blocks, Value column,
                               int64_t rows, int64_t rowElements) {
  lowering.emitDuplicate(blocks, lowering.constant(1.0f), lowering.constant(rows * rowElements));
  lowering.create<ascend::RowBinaryOp>(ascend::BinaryKind::Mul, blocks, blocks, column,
                                       lowering.getScratch(op, Scratch::Column),
                                       lowering.constant(rows), rowElements, rowElements);
}

void onchip::spreadColumn(Lowering &lowering, Operation *op, Value blocks, Value column, Value rows,
                          int64_t bound) {
  const ChipModel &model = lowering.model;
  int64_t perBlock = model.getBlockElements(cast<MemRefType>(blocks.getType()).getElementType());
  if (model.keepsComposites())
    return spreadByComposite(lowering, op, blocks, column, bound, perBlock);
  int64_t perRepeat = model.getRepeatBlocks();
  lowering.forEachChunk(rows, bound, model.getMaxSpreadRows(), [&](Value first, Value amount) {
    std::optional<int64_t> number = getConstantIntValue(amount);
    Value repeats =
        number
            ? lowering.constant(static_cast<int64_t>(llvm::divideCeil(*number, perRepeat)))
            : lowering.create<arith::CeilDivUIOp>(amount, lowering.constant(perRepeat)).getResult();
    lowering.create<ascend::BrcbOp>(lowering.slice(blocks, lowering.scale(first, perBlock)),
                                    lowering.slice(column, first), repeats,
                                    ArrayRef<int64_t>{1, perRepeat});
  });
}
