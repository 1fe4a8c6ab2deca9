// Writes index arithmetic, views of buffers and common instructions (tile on the chip, lowering).
#include "attn/TileOnChip/ChipBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;

ChipBuilder::ChipBuilder(Block *body, Location loc)
    : loc(loc), builder(OpBuilder::atBlockEnd(body)), entry(builder) {
  // What is written at the entry must come before everything else: this op marks the place.
  entry.setInsertionPoint(func::ReturnOp::create(builder, loc));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value ChipBuilder::constant(int64_t number) {
  Value &value = indexConstants[number];
  if (!value)
    value = arith::ConstantIndexOp::create(entry, loc, number);
  return value;
}

Value ChipBuilder::constant(float number) { return constant(APFloat(number), entry.getF32Type()); }

Value ChipBuilder::constant(const APFloat &number, FloatType type) {
  return constant(FloatAttr::get(type, number));
}

Value ChipBuilder::word(int32_t number) { return constant(entry.getI32IntegerAttr(number)); }

Value ChipBuilder::constant(TypedAttr number) {
  Value &value = otherConstants[number];
  if (!value)
    value = arith::ConstantOp::create(entry, loc, number);
  return value;
}

/// The result of the op that was just written, or what it folds to in its place.
Value ChipBuilder::fold(Operation *op) {
  Value result = op->getResult(0);
  SmallVector<OpFoldResult, 1> folded;
  // Folding may first bring the constant to the right, in place, and then find more to do.
  while (succeeded(op->fold(folded)) && folded.empty())
    ;
  if (folded.empty())
    return result;
  op->erase();
  std::optional<int64_t> number = getConstantIntValue(folded.front());
  return number ? constant(*number) : cast<Value>(folded.front());
}

Value ChipBuilder::scale(Value value, int64_t factor) {
  // No constant is written for a factor that is not needed: it would have this op's location.
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(*number * factor);
  return factor == 1 ? value : multiply(value, constant(factor));
}

Value ChipBuilder::add(Value lhs, Value rhs) { return fold(create<arith::AddIOp>(lhs, rhs)); }

Value ChipBuilder::subtract(Value lhs, Value rhs) { return fold(create<arith::SubIOp>(lhs, rhs)); }

Value ChipBuilder::multiply(Value lhs, Value rhs) { return fold(create<arith::MulIOp>(lhs, rhs)); }

Value ChipBuilder::max(Value lhs, Value rhs) { return fold(create<arith::MaxSIOp>(lhs, rhs)); }

Value ChipBuilder::divideCeil(Value value, int64_t unit) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(static_cast<int64_t>(llvm::divideCeil(*number, unit)));
  return create<arith::CeilDivUIOp>(value, constant(unit));
}

Value ChipBuilder::alignTo(Value value, int64_t unit) {
  return scale(divideCeil(value, unit), unit);
}

Value ChipBuilder::clamp(Value value, int64_t size, Value least) {
  std::optional<int64_t> number = getConstantIntValue(value);
  std::optional<int64_t> bound = least ? getConstantIntValue(least) : 0;
  if (number && bound)
    return constant(std::max(std::min(*number, size), *bound));
  Value atMost = create<arith::MinSIOp>(value, constant(size));
  return create<arith::MaxSIOp>(atMost, least ? least : constant(int64_t(0)));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Value ChipBuilder::slice(Value memory, Value offset) {
  if (isZeroInteger(offset))
    return memory;
  auto type = cast<MemRefType>(memory.getType());
  auto view = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              MemRefLayoutAttrInterface(), type.getMemorySpace());
  return create<ascend::SliceOp>(view, memory, offset);
}

void ChipBuilder::emitScalar(ascend::ScalarKind kind, Value dst, Value src, Value scalar,
                             Value count) {
  create<ascend::ScalarOp>(kind, dst, src, scalar, count, IntegerAttr(), DenseI64ArrayAttr());
}

void ChipBuilder::emitBinary(ascend::BinaryKind kind, Value dst, Value lhs, Value rhs,
                             Value count) {
  create<ascend::BinaryOp>(kind, dst, lhs, rhs, count, IntegerAttr(), DenseI64ArrayAttr());
}

void ChipBuilder::emitDuplicate(Value dst, Value scalar, Value count) {
  create<ascend::DuplicateOp>(dst, scalar, count, IntegerAttr(), DenseI64ArrayAttr());
}

void ChipBuilder::emitCast(ascend::RoundMode mode, Value dst, Value src, Value count) {
  create<ascend::CastOp>(mode, dst, src, count, IntegerAttr(), DenseI64ArrayAttr());
}

void ChipBuilder::forEachChunk(Value count, int64_t bound, int64_t step,
                               function_ref<void(Value first, Value amount)> body) {
  if (bound <= step)
    return body(constant(int64_t(0)), count);
  auto loop = create<scf::ForOp>(constant(int64_t(0)), count, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value amount = constant(int64_t(1));
  if (step > 1) {
    Value left = create<arith::SubIOp>(count, loop.getInductionVar());
    amount = create<arith::MinSIOp>(left, constant(step));
  }
  body(loop.getInductionVar(), amount);
}

void ChipBuilder::writeIf(Value condition, function_ref<void()> then,
                          function_ref<void()> otherwise) {
  auto branch = create<scf::IfOp>(condition, /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

void ChipBuilder::ifLess(Value less, int64_t size, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  if (std::optional<int64_t> known = getConstantIntValue(less)) {
    if (*known < size)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  writeIf(create<arith::CmpIOp>(arith::CmpIPredicate::slt, less, constant(size)), then, otherwise);
}

void ChipBuilder::ifLess(Value less, Value size, function_ref<void()> then) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return ifLess(less, *known, then);
  writeIf(create<arith::CmpIOp>(arith::CmpIPredicate::slt, less, size), then);
}
