// Finds shifted additions to a tile. CPU stage, on tensors, used by `jit-gather-updates`.
#include "ShiftedUpdates.h"
#include "BandWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using attn::jit::Update;
using linalg::GenericOp;
using tensor::ExtractSliceOp;
using tensor::InsertSliceOp;

std::optional<int64_t> attn::jit::getRowOffset(ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
                                               RankedTensorType part, RankedTensorType whole) {
  if (part.getRank() != 2 || whole.getRank() != 2 || ShapedType::isDynamic(offsets[0]) ||
      offsets[1] != 0 || llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) ||
      part.getDimSize(1) != whole.getDimSize(1) || !part.hasStaticShape())
    return std::nullopt;
  return offsets[0];
}

/// Reads `column` as the weights of a tap, one for each of the band's rows.
static bool findWeights(Value column, Update &update) {
  std::optional<attn::jit::BandWeights> found = attn::jit::findBandWeights(column);
  if (!found || cast<RankedTensorType>(found->band.getType()).getDimSize(1) !=
                    cast<RankedTensorType>(column.getType()).getDimSize(0))
    return false;
  update.weights = found->band;
  update.weightRow = found->tap;
  return true;
}

/// Whether `value` is `argument`, or that widened to f32.
static bool reads(Value value, BlockArgument argument) {
  if (auto widen = value.getDefiningOp<arith::ExtFOp>())
    value = widen.getIn();
  return value == argument;
}

/// Whether the operation gives `part + rows * column`; fills in what it reads.
static bool matchSum(GenericOp op, Value part, Update &update) {
  if (op.getNumLoops() != 2 || op.getNumReductionLoops() > 0 || op.getNumResults() != 1 ||
      op.getNumDpsInputs() != 3 || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  BlockArgument partIn, rowsIn, columnIn;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isIdentity = op.getMatchingIndexingMap(input).isIdentity();
    if (input->get() == part && isIdentity)
      partIn = argument;
    else if (isIdentity) {
      rowsIn = argument;
      update.rows = input->get();
    } else {
      columnIn = argument;
      if (!findWeights(input->get(), update))
        return false;
    }
  }
  if (!partIn || !rowsIn || !columnIn)
    return false;
  bool partFirst = add.getLhs() == partIn;
  auto product = (partFirst ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product || (!partFirst && add.getRhs() != partIn))
    return false;
  Value lhs = product.getLhs(), rhs = product.getRhs();
  return (reads(lhs, rowsIn) && rhs == columnIn) || (reads(rhs, rowsIn) && lhs == columnIn);
}

static std::optional<Update> matchUpdate(InsertSliceOp insert) {
  auto op = insert.getSource().getDefiningOp<GenericOp>();
  std::optional<int64_t> offset =
      attn::jit::getRowOffset(insert.getStaticOffsets(), insert.getStaticStrides(),
                              insert.getSourceType(), insert.getDestType());
  if (!op || !op->hasOneUse() || !offset)
    return std::nullopt;
  Update update;
  update.insert = insert;
  update.whole = insert.getDest();
  update.offset = *offset;
  for (Value input : op.getInputs()) {
    auto part = input.getDefiningOp<ExtractSliceOp>();
    if (part && part.getSource() == update.whole && part.getType() == insert.getSourceType() &&
        part->hasOneUse() && part.getStaticOffsets() == insert.getStaticOffsets() &&
        part.getStaticStrides() == insert.getStaticStrides() && matchSum(op, part, update))
      return update;
  }
  return std::nullopt;
}

SmallVector<Update> attn::jit::collectUpdates(InsertSliceOp last) {
  SmallVector<Update> chain;
  for (InsertSliceOp insert = last; insert;) {
    std::optional<Update> update = matchUpdate(insert);
    if (!update ||
        (!chain.empty() &&
         (update->rows != chain.back().rows || update->weights != chain.back().weights ||
          insert.getSourceType() != last.getSourceType() || !insert.getResult().hasNUses(2))))
      break;
    chain.push_back(*update);
    insert = update->whole.getDefiningOp<InsertSliceOp>();
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Whether all that `op` does with what it reads through `use` is to widen it.
static bool isOnlyWidened(GenericOp op, OpOperand &use) {
  return op.isDpsInput(&use) &&
         llvm::all_of(op.getMatchingBlockArgument(&use).getUsers(), [](Operation *user) {
           return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
         });
}

/// Lets an operation that widens what it reads read it wide.
static void readWide(OpOperand &use, Value wide) {
  BlockArgument read = cast<GenericOp>(use.getOwner()).getMatchingBlockArgument(&use);
  use.set(wide);
  for (Operation *widening : llvm::make_early_inc_range(read.getUsers())) {
    widening->getResult(0).replaceAllUsesWith(read);
    widening->erase();
  }
  read.setType(cast<RankedTensorType>(wide.getType()).getElementType());
}

Value attn::jit::createWideRows(OpBuilder &builder, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type element = builder.getF32Type();
  if (type.getElementType() == element)
    return rows;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : rows.getUses())
    if (auto op = dyn_cast<GenericOp>(use.getOwner()); op && isOnlyWidened(op, use))
      uses.push_back(&use);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(rows);
  Value empty = tensor::EmptyOp::create(builder, rows.getLoc(), type.getShape(), element);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto widened = GenericOp::create(builder, rows.getLoc(), empty.getType(), rows, empty, maps,
                                   iterators, [&](OpBuilder &body, Location loc, ValueRange in) {
                                     Value wide =
                                         arith::ExtFOp::create(body, loc, element, in.front());
                                     linalg::YieldOp::create(body, loc, wide);
                                   });
  for (OpOperand *use : uses)
    readWide(*use, widened.getResult(0));
  return widened.getResult(0);
}
