// Ramps, comparisons and choices by masks on the chip: scratch, cost and instructions (tile on the
// chip, family).
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using ascend::BinaryKind;
using ascend::BitwiseKind;
using ascend::ScalarKind;

//===----------------------------------------------------------------------===//
// Operands that are smaller than the result
//===----------------------------------------------------------------------===//

static bool isFull(Operation *op, Value operand) {
  return !isSplat(operand) && operand.getType() == op->getResult(0).getType();
}

/// Whether an operand has a value of its own for each row.
static bool isColumnOf(TileType operand, TileType result) {
  return isColumn(operand) && operand.getRowCount() == result.getRowCount();
}

/// Scratch to spread the operands that are not full.
static void addSpreadScratch(Operation *op, const ChipModel &model,
                             SmallVectorImpl<ScratchNeed> &needs) {
  Type f32 = Float32Type::get(op->getContext());
  TileType result = getTileType(op->getResult(0));
  bool hasColumn = false, hasOne = false;
  for (Value operand : op->getOperands()) {
    if (isFull(op, operand) || isSplat(operand) || !isColumn(getTileType(operand)))
      continue;
    (isColumnOf(getTileType(operand), result) ? hasColumn : hasOne) = true;
  }
  if (hasColumn || hasOne)
    needs.push_back(
        {Scratch::Broadcast, f32, model.getBroadcastScratch(hasColumn ? result.getRowCount() : 1)});
  if (hasOne && !isColumn(result))
    needs.push_back({Scratch::Spread, f32, model.getPitch(result)});
}

/// Fills `dst` with an operand that is not full, as often as the result of `op` has it. A product
/// with one changes nothing, not even NaN.
static void spread(Lowering &lowering, Operation *op, Value dst, Value operand) {
  Value result = op->getResult(0), count = lowering.getCount(result);
  if (auto splat = operand.getDefiningOp<SplatOp>())
    return lowering.emitDuplicate(dst, lowering.scalars.lookup(splat.getValue()), count);
  TileType type = getTileType(result), from = getTileType(operand);
  Value rows = lowering.getRows(result), memory = lowering.getMemory(operand);
  int64_t pitch = lowering.model.getPitch(type);
  Value one = lowering.constant(1.0f);
  if (isColumn(type)) {
    // Its elements follow each other, as those of a row do.
    int64_t elements = lowering.model.getBufferElements(type);
    lowering.emitDuplicate(dst, one, lowering.constant(elements));
    lowering.create<ascend::RowBinaryOp>(BinaryKind::Mul, dst, dst, memory,
                                         lowering.getScratch(op, Scratch::Broadcast),
                                         lowering.constant(int64_t(1)), elements, elements);
    return;
  }
  lowering.emitDuplicate(dst, one, count);
  if (isColumnOf(from, type)) {
    lowering.create<ascend::RowBinaryOp>(BinaryKind::Mul, dst, dst, memory,
                                         lowering.getScratch(op, Scratch::Broadcast), rows,
                                         type.getColCount(), pitch);
    return;
  }
  if (isColumn(from)) {
    Value row = lowering.getScratch(op, Scratch::Spread);
    lowering.emitDuplicate(row, one, lowering.constant(pitch));
    lowering.create<ascend::RowBinaryOp>(BinaryKind::Mul, row, row, memory,
                                         lowering.getScratch(op, Scratch::Broadcast),
                                         lowering.constant(int64_t(1)), pitch, pitch);
    memory = row;
  }
  lowering.create<ascend::ColBinaryOp>(BinaryKind::Mul, dst, dst, memory, rows, type.getColCount(),
                                       pitch);
}

/// An operand as the result has it: in its own memory, or spread to `dst`.
static Value getFull(Lowering &lowering, Operation *op, Value operand, Value dst) {
  if (isFull(op, operand))
    return lowering.getMemory(operand);
  spread(lowering, op, dst, operand);
  return dst;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

/// The first data block one number less at a time, each time one element shorter; then twice as
/// many with each addition.
struct RampOnChip : OnChipOpInterface::ExternalModel<RampOnChip, RampOp> {
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    int64_t elements = model.getBufferElements(getTileType(op->getResult(0)));
    int64_t block = model.getBlockLanes();
    OpCost cost;
    cost.vectorCycles = costs.getCycles(VectorFamily::Duplicate, block, block);
    for (int64_t known = block; known < elements; known *= 2)
      cost.vectorCycles += costs.getCycles(getFamily(ScalarKind::Adds), 1,
                                           llvm::divideCeil(known, model.getLanes()));
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    Value result = op->getResult(0), ramp = lowering.getMemory(result);
    lowering.limitRows(result);
    int64_t elements = lowering.model.getBufferElements(getTileType(result));
    int64_t block = lowering.model.getBlockLanes();
    for (int64_t number = block - 1; number >= 0; --number)
      lowering.emitDuplicate(ramp, lowering.constant(static_cast<float>(number)),
                             lowering.constant(number + 1));
    for (int64_t known = block; known < elements; known *= 2)
      lowering.emitScalar(ScalarKind::Adds, lowering.slice(ramp, lowering.constant(known)), ramp,
                          lowering.constant(static_cast<float>(known)),
                          lowering.constant(std::min(known, elements - known)));
    return success();
  }
};

/// How elements that a mask does not take are made.
enum class OtherForm {
  Zero,     // by taking no bits
  Negative, // by multiplying: a number below zero, which is known
  Bits,     // by taking their bits
};

OtherForm getOtherForm(SelectOp op) {
  std::optional<APFloat> number = getSplatConstant(op.getOther());
  if (number && number->isPosZero())
    return OtherForm::Zero;
  bool isNegative = number && number->isFiniteNonZero() && number->isNegative();
  return isNegative && isFull(op, op.getMask()) ? OtherForm::Negative : OtherForm::Bits;
}

/// The chip's own choice takes one instruction, and a comparison before it, for each 64 elements.
/// All bits of an element, or none of them, are casts of -1 and 0 to integers, and take one for a
/// tile.
class SelectLowering {
public:
  SelectLowering(Lowering &lowering, SelectOp op)
      : lowering(lowering), op(op), dst(lowering.getMemory(op.getResult())),
        count(lowering.getCount(op.getResult())),
        bits(lowering.getScratch(op, Scratch::TakenBits)) {}

  void lower() {
    mask = getFull(lowering, op, op.getMask(), dst);
    scale(dst, mask, -1.0f);
    lowering.emitCast(ascend::RoundMode::Rint, bits, dst, count);
    switch (getOtherForm(op)) {
    case OtherForm::Zero:
      return combine(BitwiseKind::And, dst, getFull(lowering, op, op.getTaken(), dst), bits);
    case OtherForm::Negative:
      return lowerNegative();
    case OtherForm::Bits:
      return lowerBits();
    }
  }

private:
  /// 0 is multiplied by what is not negative: -0 has a bit that would show.
  void lowerNegative() {
    combine(BitwiseKind::And, bits, getFull(lowering, op, op.getTaken(), dst), bits);
    subtractOne();
    scale(dst, dst, -getSplatConstant(op.getOther())->convertToFloat());
    combine(BitwiseKind::Or, dst, dst, bits);
  }

  void lowerBits() {
    Value otherBits = lowering.getScratch(op, Scratch::OtherBits);
    if (mask == dst)
      scale(dst, dst, -1.0f);
    subtractOne();
    lowering.emitCast(ascend::RoundMode::Rint, otherBits, dst, count);
    combine(BitwiseKind::And, bits, getFull(lowering, op, op.getTaken(), dst), bits);
    combine(BitwiseKind::And, otherBits, getFull(lowering, op, op.getOther(), dst), otherBits);
    combine(BitwiseKind::Or, dst, bits, otherBits);
  }

  /// 0 for the elements that are taken, -1 for the others.
  void subtractOne() {
    lowering.emitScalar(ScalarKind::Adds, dst, mask, lowering.constant(-1.0f), count);
  }
  void scale(Value to, Value from, float factor) {
    lowering.emitScalar(ScalarKind::Muls, to, from, lowering.constant(factor), count);
  }
  void combine(BitwiseKind kind, Value to, Value lhs, Value rhs) {
    lowering.create<ascend::BitwiseOp>(kind, to, lhs, rhs, count, IntegerAttr(),
                                       DenseI64ArrayAttr());
  }

  Lowering &lowering;
  SelectOp op;
  Value dst, count, bits, mask;
};

struct SelectOnChip : OnChipOpInterface::ExternalModel<SelectOnChip, SelectOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    TileType type = getTileType(op->getResult(0));
    Type word = IntegerType::get(op->getContext(), 32);
    needs.push_back({Scratch::TakenBits, word, model.getBufferElements(type)});
    if (getOtherForm(cast<SelectOp>(op)) == OtherForm::Bits)
      needs.push_back({Scratch::OtherBits, word, model.getBufferElements(type)});
    addSpreadScratch(op, model, needs);
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    int64_t repeats = model.getRepeats(getTileType(op->getResult(0)));
    VectorFamily scalar = getFamily(ScalarKind::Muls), bits = getFamily(BitwiseKind::And);
    OpCost cost;
    auto add = [&](ArrayRef<VectorFamily> families) {
      for (VectorFamily family : families)
        cost.vectorCycles += costs.getCycles(family, 1, repeats);
    };
    add({scalar, VectorFamily::Cast, bits});
    OtherForm form = getOtherForm(cast<SelectOp>(op));
    if (form == OtherForm::Negative)
      add({scalar, scalar, bits});
    if (form == OtherForm::Bits)
      add({scalar, VectorFamily::Cast, bits, bits});
    for (Value operand : op->getOperands())
      if (!isFull(op, operand) &&
          !(operand == cast<SelectOp>(op).getOther() && form != OtherForm::Bits))
        add({VectorFamily::Duplicate});
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    lowering.limitRows(op->getResult(0));
    SelectLowering(lowering, cast<SelectOp>(op)).lower();
    return success();
  }
};

ascend::CompareKind getChipKind(CompareKind kind) {
  switch (kind) {
  case CompareKind::Less:
    return ascend::CompareKind::LT;
  case CompareKind::LessEqual:
    return ascend::CompareKind::LE;
  case CompareKind::Greater:
    return ascend::CompareKind::GT;
  case CompareKind::GreaterEqual:
    return ascend::CompareKind::GE;
  case CompareKind::Equal:
    return ascend::CompareKind::EQ;
  }
  llvm_unreachable("all kinds are listed");
}

/// A repeat at a time: its bits, and ones and zeros chosen by them.
class CompareLowering {
public:
  CompareLowering(Lowering &lowering, CompareOp op)
      : lowering(lowering), op(op), lanes(lowering.model.getLanes()),
        one(lowering.getScratch(op, Scratch::One)), zero(lowering.getScratch(op, Scratch::Zero)) {}

  /// Elements that the result has at most, and those of them that are whole repeats.
  static int64_t getElements(TileType type, const ChipModel &model) {
    return type.getRowCount() * model.getPitch(type);
  }
  static int64_t getWholeRepeats(TileType type, const ChipModel &model) {
    return llvm::alignDown(getElements(type, model), model.getLanes());
  }

  void lower() {
    dst = lowering.getMemory(op.getResult());
    Value left = op.getLhs(), right = op.getRhs();
    lhs = getFull(lowering, op, left, dst);
    bool isSpreadTwice = !isFull(op, left) && !isFull(op, right);
    rhs = getFull(lowering, op, right,
                  isSpreadTwice ? lowering.getScratch(op, Scratch::RightTile) : dst);
    lowering.emitDuplicate(one, lowering.constant(1.0f), lowering.constant(lanes));
    lowering.emitDuplicate(zero, lowering.constant(0.0f), lowering.constant(lanes));
    TileType type = getTileType(op.getResult());
    int64_t elements = getElements(type, lowering.model),
            whole = getWholeRepeats(type, lowering.model);
    // All elements, or those of the rows that exist.
    Value limit = lowering.getLimit(op.getResult()), count = lowering.getCount(op.getResult());
    Value inRepeats = limit ? lowering.clamp(count, whole) : lowering.constant(whole);
    if (whole != 0)
      lowering.forEachChunk(inRepeats, whole, lanes, [&](Value first, Value amount) {
        compare(lowering.slice(lhs, first), lowering.slice(rhs, first), first, amount);
      });
    Value rest = lowering.constant(elements - whole);
    if (limit)
      rest = lowering.clamp(lowering.subtract(count, lowering.constant(whole)), elements - whole);
    if (elements != whole)
      lowerRest(whole, rest);
  }

private:
  /// Whole repeats are read, which the memory of the last elements need not have.
  void lowerRest(int64_t first, Value amount) {
    Value start = lowering.constant(first);
    auto copy = [&](Scratch scratch, Value from) {
      Value to = lowering.getScratch(op, scratch);
      lowering.emitScalar(ScalarKind::Muls, to, lowering.slice(from, start),
                          lowering.constant(1.0f), amount);
      return to;
    };
    Value left = copy(Scratch::LeftTail, lhs);
    compare(left, copy(Scratch::RightTail, rhs), start, amount);
  }

  void compare(Value left, Value right, Value first, Value amount) {
    Value bits = lowering.getScratch(op, Scratch::Bits);
    lowering.create<ascend::CompareOp>(getChipKind(op.getKind()), bits, left, right,
                                       lowering.constant(lanes));
    lowering.create<ascend::SelectOp>(lowering.slice(dst, first), bits, one, zero, amount);
  }

  Lowering &lowering;
  CompareOp op;
  int64_t lanes;
  Value one, zero, dst, lhs, rhs;
};

struct CompareOnChip : OnChipOpInterface::ExternalModel<CompareOnChip, CompareOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    Type f32 = Float32Type::get(op->getContext()), byte = IntegerType::get(op->getContext(), 8);
    TileType type = getTileType(op->getResult(0));
    int64_t lanes = model.getLanes();
    needs.push_back({Scratch::Bits, byte, model.getBlockElements(byte)});
    needs.push_back({Scratch::One, f32, lanes});
    needs.push_back({Scratch::Zero, f32, lanes});
    if (CompareLowering::getWholeRepeats(type, model) !=
        CompareLowering::getElements(type, model)) {
      needs.push_back({Scratch::LeftTail, f32, lanes});
      needs.push_back({Scratch::RightTail, f32, lanes});
    }
    if (!isFull(op, op->getOperand(0)) && !isFull(op, op->getOperand(1)))
      needs.push_back({Scratch::RightTile, f32, model.getBufferElements(type)});
    addSpreadScratch(op, model, needs);
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    int64_t repeats = model.getRepeats(getTileType(op->getResult(0)));
    OpCost cost;
    for (VectorFamily family : {VectorFamily::Compare, VectorFamily::Select})
      cost.vectorCycles += costs.getCycles(family, repeats, repeats);
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    if (lowering.model.keepsComposites())
      return op->emitError("a comparison of tiles has no form in HIVM yet, one of positions has: "
                           "t.idx, at.arange(n)");
    lowering.limitRows(op->getResult(0));
    CompareLowering(lowering, cast<CompareOp>(op)).lower();
    return success();
  }
};

} // namespace

void onchip::registerMasks(MLIRContext *context) {
  RampOp::attachInterface<RampOnChip>(*context);
  CompareOp::attachInterface<CompareOnChip>(*context);
  SelectOp::attachInterface<SelectOnChip>(*context);
}
