// Reductions along rows and down columns on the chip: form, scratch, cost and instructions (tile on
// the chip, family).
#include "attn/TileOnChip/Families/Reductions.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Tile/Analysis/Reduction.h"
#include "attn/TileOnChip/Families/Elementwise.h"
#include "attn/TileOnChip/Lowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using ascend::BinaryKind;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static ascend::ReduceKind getReduceKind(ReduceOp op) {
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return ascend::ReduceKind::Sum;
  case ReduceKind::Max:
    return ascend::ReduceKind::Max;
  case ReduceKind::Min:
    return ascend::ReduceKind::Min;
  }
  llvm_unreachable("all kinds are known");
}

static BinaryKind getCombiningKind(ReduceOp op) {
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return BinaryKind::Add;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  }
  llvm_unreachable("all kinds are known");
}

bool onchip::absorbsProduct(ReduceOp sum, MulOp product, const ChipModel &model) {
  // Every repeat of columns is an instruction of its own for all rows, which pays for many short
  // rows.
  constexpr int64_t fewestRows = 8, mostInstructions = 4;
  TileType type = sum.getInput().getType();
  return sum.getKind() == ReduceKind::Sum && sum.getAxis() == 1 && type.isBound() &&
         !model.keepsComposites() && type.getRowCount() >= fewestRows &&
         type.getColCount() > model.getLanes() &&
         type.getColCount() <= mostInstructions * model.getLanes() &&
         getBinaryShape(product).form == BinaryForm::Elements;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Whether there may be no row to reduce down the columns.
static bool mayBeEmpty(Lowering &lowering, ReduceOp op) {
  return op.getAxis() == 0 && !getConstantIntValue(lowering.getValidRows(op.getInput())) &&
         !lowering.hasRows(op.getInput());
}

/// What is left of rows, where there may be none: the neutral element.
static void fillWhereEmpty(Lowering &lowering, ReduceOp op) {
  if (!mayBeEmpty(lowering, op))
    return;
  Value rows = lowering.getValidRows(op.getInput());
  Value isEmpty = lowering.subtract(lowering.constant(int64_t(1)), lowering.clamp(rows, 1));
  int64_t elements = lowering.model.getBufferElements(op.getResult().getType());
  lowering.emitDuplicate(lowering.getMemory(op.getResult()),
                         lowering.constant(getNeutral(op.getKind())),
                         lowering.scale(isEmpty, elements));
}

/// Along the rows of a product that is not written: one repeat of columns at a time is multiplied
/// and added up, then what is left of each row is reduced.
static void reduceProduct(Lowering &lowering, ReduceOp op, MulOp product) {
  const ChipModel &model = lowering.model;
  TileType type = op.getInput().getType();
  int64_t lanes = model.getLanes(), pitch = model.getPitch(type);
  int64_t rowBlocks = pitch / model.getBlockLanes();
  Value lhs = lowering.getMemory(product.getLhs()), rhs = lowering.getMemory(product.getRhs());
  Value rows = lowering.getRows(op.getInput());
  Value products = lowering.getScratch(op, Scratch::Products);
  for (int64_t col = 0; col < type.getColCount(); col += lanes) {
    auto mask = lowering.builder.getI64IntegerAttr(std::min(lanes, type.getColCount() - col));
    auto strides = lowering.builder.getDenseI64ArrayAttr(
        {1, 1, 1, model.getRepeatBlocks(), rowBlocks, rowBlocks});
    lowering.forEachChunk(
        rows, type.getRowCount(), model.getChip().maxRepeats, [&](Value first, Value amount) {
          Value dst = lowering.slice(products, lowering.scale(first, lanes));
          Value offset = lowering.add(lowering.scale(first, pitch), lowering.constant(col));
          Value left = lowering.slice(lhs, offset), right = lowering.slice(rhs, offset);
          if (col == 0)
            lowering.create<ascend::BinaryOp>(BinaryKind::Mul, dst, left, right, amount, mask,
                                              strides);
          else
            lowering.create<ascend::MulAddOp>(dst, left, right, amount, mask, strides);
        });
  }
  lowering.create<ascend::RowReduceOp>(getReduceKind(op), lowering.getMemory(op.getResult()),
                                       products, lowering.getScratch(op, Scratch::Reduce), rows,
                                       lanes, lanes);
}

/// Down a column: its values, with neutral elements after the valid ones, are one row.
static void reduceColumn(Lowering &lowering, ReduceOp op) {
  TileType type = op.getInput().getType();
  int64_t elements = lowering.model.getBufferElements(type);
  Value row = lowering.getScratch(op, Scratch::Neutral);
  lowering.emitDuplicate(row, lowering.constant(getNeutral(op.getKind())),
                         lowering.constant(elements));
  lowering.copyTile(row, op.getInput(), /*memory=*/{}, lowering.getValidRows(op.getInput()));
  lowering.create<ascend::RowReduceOp>(getReduceKind(op), lowering.getMemory(op.getResult()), row,
                                       lowering.getScratch(op, Scratch::Reduce),
                                       lowering.constant(int64_t(1)), type.getRowCount(), elements);
}

/// The first row as what others are combined with, over the neutral element where it may not exist.
static void startFromFirstRow(Lowering &lowering, ReduceOp op, int64_t pitch) {
  Value dst = lowering.getMemory(op.getResult()), src = lowering.getMemory(op.getInput());
  Value amount = lowering.constant(pitch);
  if (mayBeEmpty(lowering, op)) {
    lowering.emitDuplicate(dst, lowering.constant(getNeutral(op.getKind())), amount);
    amount = lowering.scale(lowering.clamp(lowering.getValidRows(op.getInput()), 1), pitch);
  }
  lowering.create<ascend::CopyOp>(dst, src, amount);
}

/// Down several columns: row after row is combined with the first. Of many short rows, one
/// instruction combines a repeat of columns: its repeats go from row to row, and all write the same
/// place (which no template does).
static void reduceRows(Lowering &lowering, ReduceOp op) {
  const ChipModel &model = lowering.model;
  const Chip &chip = model.getChip();
  TileType type = op.getInput().getType();
  BinaryKind kind = getCombiningKind(op);
  int64_t lanes = model.getLanes(), pitch = model.getPitch(type);
  int64_t rowBlocks = pitch / model.getBlockLanes(), most = type.getRowCount() - 1;
  Value dst = lowering.getMemory(op.getResult()), src = lowering.getMemory(op.getInput());
  Value one = lowering.constant(int64_t(1)), rows = lowering.getValidRows(op.getInput());
  startFromFirstRow(lowering, op, pitch);
  if (!model.keepsComposites() && static_cast<int64_t>(llvm::divideCeil(pitch, lanes)) < most &&
      most <= chip.maxRepeats && rowBlocks <= chip.maxRepeatStride) {
    Value others = lowering.subtract(rows, one);
    Value repeats = getConstantIntValue(rows) ? others : lowering.clamp(others, most);
    for (int64_t col = 0; col < pitch; col += lanes) {
      Value part = lowering.slice(dst, lowering.constant(col));
      lowering.create<ascend::BinaryOp>(
          kind, part, lowering.slice(src, lowering.constant(pitch + col)), part, repeats,
          lowering.builder.getI64IntegerAttr(std::min(lanes, pitch - col)),
          lowering.builder.getDenseI64ArrayAttr({1, 1, 1, 0, rowBlocks, 0}));
    }
    return;
  }
  auto loop = lowering.create<scf::ForOp>(one, rows, one);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value row = lowering.slice(src, lowering.scale(loop.getInductionVar(), pitch));
  lowering.emitBinary(kind, dst, dst, row, lowering.constant(pitch));
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

static double getReduceCycles(ReduceOp op, const ChipModel &model, const CostModel &costs) {
  TileType input = op.getInput().getType();
  int64_t lanes = model.getLanes(), perRepeat = model.getRepeatBlocks();
  int64_t rows = input.getRowCount(), cols = input.getColCount(), repeats = model.getRepeats(input);
  // Down the columns: an instruction for each row, or for each repeat of columns.
  VectorFamily combining = getFamily(getCombiningKind(op));
  if (op.getAxis() == 0)
    return costs.getCycles(
        combining, 1 + std::min<int64_t>(rows - 1, llvm::divideCeil(model.getPitch(input), lanes)),
        repeats);
  int kind = static_cast<int>(getReduceKind(op));
  VectorFamily blocks = *ascend::getFamily(ascend::Opcode::BlockReduce, kind);
  // A repeat of elements to one per data block, and those to one.
  double folding = costs.getCycles(blocks, 1, rows) +
                   costs.getCycles(blocks, 1, llvm::divideCeil(rows, perRepeat));
  auto product = op.getInput().getDefiningOp<MulOp>();
  if (product && absorbsProduct(op, product, model)) {
    // Beyond the product itself: what is added up, one repeat of columns at a time.
    int64_t slices = llvm::divideCeil(cols, lanes) - 1;
    return costs.getCycles(combining, slices, slices * rows) + folding;
  }
  double atOnce = costs.getCycles(*ascend::getFamily(ascend::Opcode::WholeReduce, kind), 1, rows);
  if (cols <= lanes)
    return cols == lanes && rows >= perRepeat ? folding : atOnce;
  // What is left of each row is reduced at once, or block by block where there are many rows.
  double toBlocks = costs.getCycles(blocks, 1, repeats);
  int64_t slices = llvm::divideCeil(cols, lanes), eights = llvm::divideCeil(rows, perRepeat);
  if (cols % lanes == 0 && slices == perRepeat && rows >= perRepeat)
    return toBlocks + folding;
  if (cols % lanes == 0 && slices < perRepeat && rows >= slices * perRepeat)
    return toBlocks + costs.getCycles(combining, slices - 1, (slices - 1) * eights) +
           costs.getCycles(blocks, 1, eights);
  return toBlocks + costs.getCycles(blocks, 1, llvm::divideCeil(repeats, perRepeat)) + atOnce;
}

namespace {
struct ReduceOnChip : OnChipOpInterface::ExternalModel<ReduceOnChip, ReduceOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp product,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto reduce = cast<ReduceOp>(op);
    Type f32 = Float32Type::get(op->getContext());
    TileType input = reduce.getInput().getType();
    int64_t rows = input.getRowCount(), cols = input.getColCount();
    if (product) {
      cols = model.getLanes();
      needs.push_back({Scratch::Products, f32, rows * cols});
    }
    if (reduce.getAxis() == 1 && cols > 1)
      needs.push_back({Scratch::Reduce, f32, model.getReduceScratch(rows, cols)});
    if (reduce.getAxis() == 0 && cols == 1 && rows > 1) {
      needs.push_back({Scratch::Neutral, f32, model.getBufferElements(input)});
      needs.push_back({Scratch::Reduce, f32, model.getReduceScratch(1, rows)});
    }
  }

  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    cost.vectorCycles = getReduceCycles(cast<ReduceOp>(op), model, costs);
    return cost;
  }

  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto reduce = cast<ReduceOp>(op);
    TileType type = reduce.getInput().getType();
    lowering.limitRows(reduce.getResult());
    int64_t reduced = reduce.getAxis() == 1 ? type.getColCount() : type.getRowCount();
    Value dst = lowering.getMemory(reduce.getResult());
    if (reduced == 1) {
      lowering.copyTile(dst, reduce.getInput());
      fillWhereEmpty(lowering, reduce);
    } else if (MulOp product = lowering.assignment.getFusedProduct(op)) {
      reduceProduct(lowering, reduce, product);
    } else if (reduce.getAxis() == 1) {
      lowering.create<ascend::RowReduceOp>(
          getReduceKind(reduce), dst, lowering.getMemory(reduce.getInput()),
          lowering.getScratch(op, Scratch::Reduce), lowering.getRows(reduce.getInput()),
          type.getColCount(), lowering.model.getPitch(type));
    } else if (isColumn(type)) {
      reduceColumn(lowering, reduce);
    } else {
      reduceRows(lowering, reduce);
    }
    return success();
  }
};
} // namespace

void onchip::registerReductions(MLIRContext *context) {
  ReduceOp::attachInterface<ReduceOnChip>(*context);
}
