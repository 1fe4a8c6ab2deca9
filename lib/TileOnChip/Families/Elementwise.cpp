// Arithmetic and casts on the chip: one form per pair of shapes, its scratch, cost and instructions
// (tile on the chip, family).
#include "attn/TileOnChip/Families/Elementwise.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Lowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using ascend::BinaryKind;
using ascend::ScalarKind;
using ascend::UnaryKind;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The form of a full operand of type `full` with another of type `other`.
static BinaryForm getMixedForm(TileType full, TileType other) {
  if (other.getColCount() != 1)
    return BinaryForm::Row;
  // A single value is the column of a one-row tile.
  return other.getRowCount() == full.getRowCount() ? BinaryForm::Column : BinaryForm::One;
}

BinaryShape onchip::getBinaryShape(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  TileType left = getTileType(lhs), right = getTileType(rhs),
           result = getTileType(op->getResult(0));
  if (left == result && isSplat(rhs))
    return {BinaryForm::Scalar, false};
  if (right == result && isSplat(lhs))
    return {BinaryForm::Scalar, true};
  if (left == result && right == result)
    return {BinaryForm::Elements, false};
  if (left == result)
    return {getMixedForm(left, right), false};
  if (right == result)
    return {getMixedForm(right, left), true};
  return {BinaryForm::Outer, !isColumn(left)};
}

bool onchip::isScalarUse(OpOperand &use) {
  if (!isSplat(use.get()))
    return false;
  // These fill memory of their own with what they broadcast.
  if (isa<CompareOp, SelectOp>(use.getOwner()))
    return true;
  if (!isBinary(use.getOwner()))
    return false;
  BinaryShape shape = getBinaryShape(use.getOwner());
  return shape.form == BinaryForm::Scalar && use.getOperandNumber() == shape.getOtherOperand();
}

/// Whether dividing by `divisor` is the same as multiplying by its reciprocal, for every value.
static bool hasExactReciprocal(const APFloat &divisor) { return divisor.getExactInverse(nullptr); }

/// Whether a division first fills its result with the divisor or dividend, and so may not write
/// over what it still reads.
static bool fillsBeforeDividing(Operation *op, BinaryShape shape) {
  if (!isa<DivOp>(op))
    return false;
  if (shape.form == BinaryForm::Column)
    return shape.swapped;
  if (shape.form != BinaryForm::Scalar)
    return false;
  std::optional<APFloat> divisor = getSplatConstant(op->getOperand(1));
  return shape.swapped || !divisor || !hasExactReciprocal(*divisor);
}

//===----------------------------------------------------------------------===//
// Instructions of two operands
//===----------------------------------------------------------------------===//

namespace {

/// Writes one arithmetic op.
class BinaryLowering {
public:
  BinaryLowering(Lowering &lowering, Operation *op, BinaryKind kind)
      : lowering(lowering), op(op), kind(kind), shape(getBinaryShape(op)), result(op->getResult(0)),
        type(getTileType(result)), pitch(lowering.model.getPitch(type)) {}

  LogicalResult lower() {
    dst = lowering.getMemory(result);
    full = lowering.getMemory(op->getOperand(shape.getFullOperand()));
    other = lowering.getMemory(op->getOperand(shape.getOtherOperand()));
    switch (shape.form) {
    case BinaryForm::Elements:
      lowering.emitBinary(kind, dst, full, other, lowering.getCount(result));
      return success();
    case BinaryForm::Scalar:
      return lowerScalar();
    case BinaryForm::Column:
      lowerColumn();
      return success();
    case BinaryForm::Row:
      lowerRow(other);
      return success();
    case BinaryForm::One:
      lowerOne();
      return success();
    case BinaryForm::Outer:
      lowerOuter();
      return success();
    }
    llvm_unreachable("all forms are lowered");
  }

private:
  LogicalResult lowerScalar();
  void lowerColumn();
  void lowerRow(Value row);
  void lowerOne();
  void lowerOuter();

  /// dst = kind(from, column), a value of the column for each row.
  void emitWithColumn(BinaryKind with, Value from, Value column) {
    lowering.create<ascend::RowBinaryOp>(with, dst, from, column,
                                         lowering.getScratch(op, Scratch::Broadcast),
                                         lowering.getRows(result), type.getColCount(), pitch);
  }
  /// dst = kind(from, row), the same row for each row.
  void emitWithRow(BinaryKind with, Value from, Value row) {
    lowering.create<ascend::ColBinaryOp>(with, dst, from, row, lowering.getRows(result),
                                         type.getColCount(), pitch);
  }
  void negate() {
    lowering.emitScalar(ScalarKind::Muls, dst, full, lowering.constant(-1.0f),
                        lowering.getCount(result));
  }

  Lowering &lowering;
  Operation *op;
  BinaryKind kind;
  BinaryShape shape;
  Value result;
  TileType type;
  int64_t pitch;
  Value dst, full, other;
};

} // namespace

/// A tile and a scalar.
LogicalResult BinaryLowering::lowerScalar() {
  auto splat = op->getOperand(shape.getOtherOperand()).getDefiningOp<SplatOp>();
  Value scalar = lowering.scalars.lookup(splat.getValue());
  Value count = lowering.getCount(result);
  std::optional<APFloat> number = getSplatConstant(splat);
  switch (kind) {
  case BinaryKind::Add:
    lowering.emitScalar(ScalarKind::Adds, dst, full, scalar, count);
    return success();
  case BinaryKind::Mul:
    lowering.emitScalar(ScalarKind::Muls, dst, full, scalar, count);
    return success();
  case BinaryKind::Max:
    lowering.emitScalar(ScalarKind::Maxs, dst, full, scalar, count);
    return success();
  case BinaryKind::Min:
    lowering.emitScalar(ScalarKind::Mins, dst, full, scalar, count);
    return success();
  case BinaryKind::Sub:
    if (shape.swapped) {
      negate();
      lowering.emitScalar(ScalarKind::Adds, dst, dst, scalar, count);
      return success();
    }
    scalar = number ? lowering.constant(-number->convertToFloat())
                    : lowering.create<arith::NegFOp>(scalar).getResult();
    lowering.emitScalar(ScalarKind::Adds, dst, full, scalar, count);
    return success();
  case BinaryKind::Div:
    if (!shape.swapped && number && hasExactReciprocal(*number)) {
      lowering.emitScalar(ScalarKind::Muls, dst, full,
                          lowering.constant(1.0f / number->convertToFloat()), count);
      return success();
    }
    lowering.emitDuplicate(dst, scalar, count);
    lowering.emitBinary(BinaryKind::Div, dst, shape.swapped ? dst : full,
                        shape.swapped ? full : dst, count);
    return success();
  }
  return failure();
}

/// A tile and one value per row.
void BinaryLowering::lowerColumn() {
  if (shape.swapped && kind == BinaryKind::Sub) {
    negate();
    emitWithColumn(BinaryKind::Add, dst, other);
  } else if (shape.swapped && kind == BinaryKind::Div) {
    Value count = lowering.getCount(result);
    lowering.emitDuplicate(dst, lowering.constant(1.0f), count);
    emitWithColumn(BinaryKind::Mul, dst, other);
    lowering.emitBinary(kind, dst, dst, full, count);
  } else {
    emitWithColumn(kind, full, other);
  }
}

/// A tile and one row, which lies in `row`.
void BinaryLowering::lowerRow(Value row) {
  if (shape.swapped && kind == BinaryKind::Sub) {
    negate();
    emitWithRow(BinaryKind::Add, dst, row);
  } else if (shape.swapped && kind == BinaryKind::Div) {
    lowering.forEachChunk(lowering.getRows(result), type.getRowCount(), 1, [&](Value first, Value) {
      Value offset = lowering.scale(first, pitch);
      lowering.emitBinary(kind, lowering.slice(dst, offset), row, lowering.slice(full, offset),
                          lowering.constant(pitch));
    });
  } else {
    emitWithRow(kind, full, row);
  }
}

/// The elements that a single value is spread to: a row, or a column where the result is one.
static int64_t getSpreadElements(TileType type, const ChipModel &model) {
  return isColumn(type) ? model.getBufferElements(type) : model.getPitch(type);
}

/// A tile of several rows and a single value: the value is spread first.
void BinaryLowering::lowerOne() {
  Value spread = lowering.getScratch(op, Scratch::Spread);
  int64_t elements = getSpreadElements(type, lowering.model);
  lowering.emitDuplicate(spread, lowering.constant(1.0f), lowering.constant(elements));
  lowering.create<ascend::RowBinaryOp>(BinaryKind::Mul, spread, spread, other,
                                       lowering.getScratch(op, Scratch::Broadcast),
                                       lowering.constant(int64_t(1)), elements, elements);
  if (!isColumn(type))
    return lowerRow(spread);
  lowering.emitBinary(kind, dst, shape.swapped ? spread : full, shape.swapped ? full : spread,
                      lowering.getCount(result));
}

/// A column and a row: the left operand is spread over the result first.
void BinaryLowering::lowerOuter() {
  lowering.emitDuplicate(dst, lowering.constant(1.0f), lowering.getCount(result));
  if (shape.swapped) {
    emitWithRow(BinaryKind::Mul, dst, other);
    emitWithColumn(kind, dst, full);
  } else {
    emitWithColumn(BinaryKind::Mul, dst, full);
    emitWithRow(kind, dst, other);
  }
}

/// sum = other + a * b, with `other` in the place of the sum.
static void lowerMulAdd(Lowering &lowering, AddOp op, MulOp product) {
  Value result = op.getResult();
  Value other = op.getLhs() == product.getResult() ? op.getRhs() : op.getLhs();
  Value dst = lowering.getMemory(result);
  if (lowering.assignment.getPlace(other) != lowering.assignment.getPlace(result))
    lowering.copyTile(dst, other);
  BinaryShape shape = getBinaryShape(product);
  Value full = lowering.getMemory(product->getOperand(shape.getFullOperand()));
  Value factor = lowering.getMemory(product->getOperand(shape.getOtherOperand()));
  TileType type = op.getResult().getType();
  if (shape.form == BinaryForm::Elements)
    lowering.create<ascend::MulAddOp>(dst, full, factor, lowering.getCount(result), IntegerAttr(),
                                      DenseI64ArrayAttr());
  else
    lowering.create<ascend::RowMulAddOp>(
        dst, full, factor, lowering.getScratch(op, Scratch::Broadcast), lowering.getRows(result),
        type.getColCount(), lowering.model.getPitch(type));
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// One instruction of the family over all elements of the result.
static double getCycles(Operation *op, VectorFamily family, const ChipModel &model,
                        const CostModel &costs) {
  return costs.getCycles(family, 1, model.getRepeats(getTileType(op->getResult(0))));
}

static double getBinaryCycles(Operation *op, VectorFamily family, const ChipModel &model,
                              const CostModel &costs) {
  TileType result = getTileType(op->getResult(0));
  int64_t repeats = model.getRepeats(result);
  // A row or a column is repeated by strides: along rows or along columns, whatever is shorter.
  int64_t steps = std::min<int64_t>(result.getRowCount(),
                                    llvm::divideCeil(result.getColCount(), model.getLanes()));
  switch (getBinaryShape(op).form) {
  case BinaryForm::Elements:
    return getCycles(op, family, model, costs);
  case BinaryForm::Scalar:
    // There is no division by a scalar: the scalar is spread first.
    return getCycles(op, isa<DivOp>(op) ? family : getFamily(ScalarKind::Muls), model, costs);
  case BinaryForm::Row:
    return costs.getCycles(family, steps, repeats);
  case BinaryForm::Column:
  case BinaryForm::One:
  case BinaryForm::Outer:
    return costs.getCycles(VectorFamily::Brcb, 1,
                           llvm::divideCeil(result.getRowCount(), model.getRepeatBlocks())) +
           costs.getCycles(family, steps, repeats);
  }
  llvm_unreachable("all forms are counted");
}

static void addBinaryScratch(Operation *op, const ChipModel &model,
                             SmallVectorImpl<ScratchNeed> &needs) {
  Type f32 = Float32Type::get(op->getContext());
  TileType result = getTileType(op->getResult(0));
  switch (getBinaryShape(op).form) {
  case BinaryForm::Elements:
  case BinaryForm::Scalar:
  case BinaryForm::Row:
    return;
  case BinaryForm::Column:
  case BinaryForm::Outer:
    needs.push_back({Scratch::Broadcast, f32, model.getBroadcastScratch(result.getRowCount())});
    return;
  case BinaryForm::One:
    needs.push_back({Scratch::Spread, f32, getSpreadElements(result, model)});
    needs.push_back({Scratch::Broadcast, f32, model.getBroadcastScratch(1)});
    return;
  }
}

namespace {

template <typename Op, BinaryKind kind>
struct BinaryOnChip : OnChipOpInterface::ExternalModel<BinaryOnChip<Op, kind>, Op> {
  void addScratch(Operation *op, const ChipModel &model, MulOp product,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    addBinaryScratch(product ? product.getOperation() : op, model, needs);
  }
  bool mayWriteOver(Operation *op, OpOperand &use) const {
    BinaryShape shape = getBinaryShape(op);
    if (shape.form == BinaryForm::Elements)
      return true;
    return shape.form != BinaryForm::Outer && use.getOperandNumber() == shape.getFullOperand() &&
           !fillsBeforeDividing(op, shape);
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    cost.vectorCycles = getBinaryCycles(op, getFamily(kind), model, costs);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    Value result = op->getResult(0);
    lowering.limitRows(result);
    if constexpr (std::is_same_v<Op, AddOp>)
      if (MulOp product = lowering.assignment.getFusedProduct(op)) {
        lowerMulAdd(lowering, cast<AddOp>(op), product);
        return success();
      }
    // A product that is added in place has no memory: the addition computes it.
    if (lowering.assignment.getPlace(result).kind == BufferAssignment::Place::None)
      return success();
    return BinaryLowering(lowering, op, kind).lower();
  }
};

template <typename Op, UnaryKind kind>
struct UnaryOnChip : OnChipOpInterface::ExternalModel<UnaryOnChip<Op, kind>, Op> {
  bool mayWriteOver(Operation *, OpOperand &) const { return true; }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    cost.vectorCycles = getCycles(op, getFamily(kind), model, costs);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    Value result = op->getResult(0);
    lowering.limitRows(result);
    lowering.create<ascend::UnaryOp>(kind, lowering.getMemory(result),
                                     lowering.getMemory(op->getOperand(0)),
                                     lowering.getCount(result), IntegerAttr(), DenseI64ArrayAttr());
    return success();
  }
};

/// The chip's own reciprocal root is an approximation: 1 is divided by the root.
struct RsqrtOnChip : OnChipOpInterface::ExternalModel<RsqrtOnChip, RsqrtOp> {
  using Root = UnaryOnChip<RsqrtOp, UnaryKind::Sqrt>;

  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    TileType type = getTileType(op->getResult(0));
    needs.push_back({Scratch::One, type.getElementType(), model.getBufferElements(type)});
  }
  bool mayWriteOver(Operation *, OpOperand &) const { return true; }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost = Root().getCost(op, model, costs);
    cost.vectorCycles += getCycles(op, getFamily(BinaryKind::Div), model, costs);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    if (failed(Root().lower(op, lowering)))
      return failure();
    Value one = lowering.getScratch(op, Scratch::One), dst = lowering.getMemory(op->getResult(0));
    Value count = lowering.getCount(op->getResult(0));
    lowering.emitDuplicate(one, lowering.constant(1.0f), count);
    lowering.emitBinary(BinaryKind::Div, dst, one, dst, count);
    return success();
  }
};

/// HIVM has no leaky ReLU: there, the positive part is added to the scaled negative one.
struct LeakyReluOnChip : OnChipOpInterface::ExternalModel<LeakyReluOnChip, LeakyReluOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    TileType type = getTileType(op->getResult(0));
    if (model.keepsComposites())
      needs.push_back({Scratch::Positive, type.getElementType(), model.getBufferElements(type)});
  }
  bool mayWriteOver(Operation *, OpOperand &) const { return true; }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    cost.vectorCycles = getCycles(op, getFamily(ScalarKind::LeakyRelu), model, costs);
    if (model.keepsComposites())
      for (VectorFamily family :
           {getFamily(ScalarKind::Mins), getFamily(ScalarKind::Muls), getFamily(BinaryKind::Add)})
        cost.vectorCycles += getCycles(op, family, model, costs);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto leaky = cast<LeakyReluOp>(op);
    Value result = leaky.getResult(), input = leaky.getInput();
    lowering.limitRows(result);
    Value dst = lowering.getMemory(result), src = lowering.getMemory(input);
    Value slope = lowering.scalars.lookup(leaky.getSlope()), count = lowering.getCount(result);
    if (!lowering.model.keepsComposites()) {
      lowering.emitScalar(ScalarKind::LeakyRelu, dst, src, slope, count);
      return success();
    }
    Value positive = lowering.getScratch(op, Scratch::Positive), zero = lowering.constant(0.0f);
    lowering.emitScalar(ScalarKind::Maxs, positive, src, zero, count);
    lowering.emitScalar(ScalarKind::Mins, dst, src, zero, count);
    lowering.emitScalar(ScalarKind::Muls, dst, dst, slope, count);
    lowering.emitBinary(BinaryKind::Add, dst, dst, positive, count);
    return success();
  }
};

struct CastOnChip : OnChipOpInterface::ExternalModel<CastOnChip, tile::CastOp> {
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    cost.vectorCycles =
        getCycles(op, *ascend::getFamily(ascend::Opcode::Cast, /*kind=*/0), model, costs);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto cast = llvm::cast<tile::CastOp>(op);
    Type from = cast.getInput().getType().getElementType(),
         to = cast.getResult().getType().getElementType();
    auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
    bool widens = isNarrow(from) && to.isF32();
    bool isInteger = (from.isF32() && to.isInteger(32)) || (from.isInteger(32) && to.isF32());
    if (!isInteger && (from.isInteger() || to.isInteger()))
      return cast.emitOpError() << "cannot turn " << from << " into " << to
                                << " on vector cores, which turn i32 into f32 and back; on their "
                                   "way out of L0C sums become i8, and "
                                   "sums of i8 f16, multiplied once at most, by a positive number "
                                   "with "
                                << architecture::fixScaleFractionBits << " bits after its first";
    if (!widens && !isInteger && !(from.isF32() && isNarrow(to)))
      return cast.emitOpError() << "cannot turn " << from << " into " << to
                                << " on the chip in one step; go through f32";
    lowering.limitRows(cast.getResult());
    lowering.emitCast(widens ? ascend::RoundMode::None : ascend::RoundMode::Rint,
                      lowering.getMemory(cast.getResult()), lowering.getMemory(cast.getInput()),
                      lowering.getCount(cast.getResult()));
    return success();
  }
};

} // namespace

void onchip::registerElementwise(MLIRContext *context) {
  AddOp::attachInterface<BinaryOnChip<AddOp, BinaryKind::Add>>(*context);
  SubOp::attachInterface<BinaryOnChip<SubOp, BinaryKind::Sub>>(*context);
  MulOp::attachInterface<BinaryOnChip<MulOp, BinaryKind::Mul>>(*context);
  DivOp::attachInterface<BinaryOnChip<DivOp, BinaryKind::Div>>(*context);
  MaximumOp::attachInterface<BinaryOnChip<MaximumOp, BinaryKind::Max>>(*context);
  MinimumOp::attachInterface<BinaryOnChip<MinimumOp, BinaryKind::Min>>(*context);
  ExpOp::attachInterface<UnaryOnChip<ExpOp, UnaryKind::Exp>>(*context);
  LogOp::attachInterface<UnaryOnChip<LogOp, UnaryKind::Ln>>(*context);
  SqrtOp::attachInterface<UnaryOnChip<SqrtOp, UnaryKind::Sqrt>>(*context);
  AbsOp::attachInterface<UnaryOnChip<AbsOp, UnaryKind::Abs>>(*context);
  LeakyReluOp::attachInterface<LeakyReluOnChip>(*context);
  RsqrtOp::attachInterface<RsqrtOnChip>(*context);
  tile::CastOp::attachInterface<CastOnChip>(*context);
}
