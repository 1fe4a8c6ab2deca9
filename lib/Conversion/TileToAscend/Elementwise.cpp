// The lowering of elementwise arithmetic: one form of the chip per pair of shapes.
#include "Lowering.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;
using ascend::BinaryKind;
using ascend::ScalarKind;
using ascend::UnaryKind;

void Lowering::emitScalar(ScalarKind kind, Value dst, Value src, Value scalar, Value count) {
  ascend::ScalarOp::create(builder, loc, kind, dst, src, scalar, count, IntegerAttr(),
                           DenseI64ArrayAttr());
}

void Lowering::emitBinary(BinaryKind kind, Value dst, Value lhs, Value rhs, Value count) {
  ascend::BinaryOp::create(builder, loc, kind, dst, lhs, rhs, count, IntegerAttr(),
                           DenseI64ArrayAttr());
}

void Lowering::emitDuplicate(Value dst, Value scalar, Value count) {
  ascend::DuplicateOp::create(builder, loc, dst, scalar, count, IntegerAttr(), DenseI64ArrayAttr());
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerUnary(Operation *op) {
  Value result = op->getResult(0);
  limitRows(result);
  Value dst = getMemory(result), src = getMemory(op->getOperand(0)), count = getCount(result);
  UnaryKind kind = llvm::TypeSwitch<Operation *, UnaryKind>(op)
                       .Case([](ExpOp) { return UnaryKind::Exp; })
                       .Case([](LogOp) { return UnaryKind::Ln; })
                       .Case<SqrtOp, RsqrtOp>([](auto) { return UnaryKind::Sqrt; })
                       .Case([](AbsOp) { return UnaryKind::Abs; });
  ascend::UnaryOp::create(builder, loc, kind, dst, src, count, IntegerAttr(), DenseI64ArrayAttr());
  if (isa<RsqrtOp>(op)) {
    // The chip's own reciprocal root is an approximation.
    Value one = getScratch(op, 0);
    emitDuplicate(one, constant(1.0f), count);
    emitBinary(BinaryKind::Div, dst, one, dst, count);
  }
  return success();
}

LogicalResult Lowering::lowerCast(CastOp op) {
  Type from = op.getInput().getType().getElementType(),
       to = op.getResult().getType().getElementType();
  auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
  bool widens = isNarrow(from) && to.isF32();
  if (!widens && !(from.isF32() && isNarrow(to)))
    return op.emitOpError() << "cannot turn " << from << " into " << to
                            << " on the chip in one step; go through f32";
  limitRows(op.getResult());
  ascend::CastOp::create(builder, loc, widens ? ascend::RoundMode::None : ascend::RoundMode::Rint,
                         getMemory(op.getResult()), getMemory(op.getInput()),
                         getCount(op.getResult()), IntegerAttr(), DenseI64ArrayAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static BinaryKind getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, BinaryKind>(op)
      .Case([](AddOp) { return BinaryKind::Add; })
      .Case([](SubOp) { return BinaryKind::Sub; })
      .Case([](MulOp) { return BinaryKind::Mul; })
      .Case([](DivOp) { return BinaryKind::Div; })
      .Case([](MaximumOp) { return BinaryKind::Max; })
      .Case([](MinimumOp) { return BinaryKind::Min; });
}

LogicalResult Lowering::lowerBinary(Operation *op) {
  Value result = op->getResult(0);
  if (auto sum = dyn_cast<AddOp>(op))
    if (MulOp product = assignment.getFusedProduct(sum))
      return lowerMulAdd(sum, product);
  limitRows(result);
  // A product that is added in place has no memory: the addition computes it.
  if (assignment.getPlace(result).kind == BufferAssignment::Place::None)
    return success();
  BinaryShape shape = getBinaryShape(op);
  switch (shape.form) {
  case BinaryForm::Elements:
    emitBinary(getKind(op), getMemory(result), getMemory(op->getOperand(0)),
               getMemory(op->getOperand(1)), getCount(result));
    return success();
  case BinaryForm::Scalar:
    return lowerScalarForm(op, shape);
  case BinaryForm::Column:
    return lowerColumnForm(op, shape);
  case BinaryForm::Row:
    return lowerRowForm(op, shape, getMemory(op->getOperand(shape.getOtherOperand())));
  case BinaryForm::One:
    return lowerOneForm(op, shape);
  case BinaryForm::Outer:
    return lowerOuterForm(op, shape);
  }
  return failure();
}

/// sum = other + a * b, with `other` in the place of the sum.
LogicalResult Lowering::lowerMulAdd(AddOp op, MulOp product) {
  Value result = op.getResult();
  Value other = op.getLhs() == product.getResult() ? op.getRhs() : op.getLhs();
  limitRows(result);
  Value dst = getMemory(result);
  if (assignment.getPlace(other) != assignment.getPlace(result))
    copyTile(dst, other);
  BinaryShape shape = getBinaryShape(product);
  Value full = getMemory(product->getOperand(shape.getFullOperand()));
  Value factor = getMemory(product->getOperand(shape.getOtherOperand()));
  TileType type = op.getResult().getType();
  if (shape.form == BinaryForm::Elements)
    ascend::MulAddOp::create(builder, loc, dst, full, factor, getCount(result), IntegerAttr(),
                             DenseI64ArrayAttr());
  else
    ascend::RowMulAddOp::create(builder, loc, dst, full, factor, getScratch(op, 0), getRows(result),
                                type.getColCount(), getPitch(type));
  return success();
}

/// A tile and a scalar.
LogicalResult Lowering::lowerScalarForm(Operation *op, BinaryShape shape) {
  Value result = op->getResult(0);
  auto splat = op->getOperand(shape.getOtherOperand()).getDefiningOp<SplatOp>();
  Value scalar = scalars.lookup(splat.getValue());
  Value dst = getMemory(result), src = getMemory(op->getOperand(shape.getFullOperand())),
        count = getCount(result);
  std::optional<APFloat> number = getSplatConstant(splat);
  switch (getKind(op)) {
  case BinaryKind::Add:
    emitScalar(ScalarKind::Adds, dst, src, scalar, count);
    return success();
  case BinaryKind::Mul:
    emitScalar(ScalarKind::Muls, dst, src, scalar, count);
    return success();
  case BinaryKind::Max:
    emitScalar(ScalarKind::Maxs, dst, src, scalar, count);
    return success();
  case BinaryKind::Min:
    emitScalar(ScalarKind::Mins, dst, src, scalar, count);
    return success();
  case BinaryKind::Sub:
    if (shape.swapped) {
      emitScalar(ScalarKind::Muls, dst, src, constant(-1.0f), count);
      emitScalar(ScalarKind::Adds, dst, dst, scalar, count);
      return success();
    }
    scalar = number ? constant(-number->convertToFloat())
                    : arith::NegFOp::create(builder, loc, scalar).getResult();
    emitScalar(ScalarKind::Adds, dst, src, scalar, count);
    return success();
  case BinaryKind::Div:
    if (!shape.swapped && number && hasExactReciprocal(*number)) {
      emitScalar(ScalarKind::Muls, dst, src, constant(1.0f / number->convertToFloat()), count);
      return success();
    }
    emitDuplicate(dst, scalar, count);
    emitBinary(BinaryKind::Div, dst, shape.swapped ? dst : src, shape.swapped ? src : dst, count);
    return success();
  }
  return failure();
}

/// A tile and one value per row.
LogicalResult Lowering::lowerColumnForm(Operation *op, BinaryShape shape) {
  Value result = op->getResult(0);
  TileType type = getType(result);
  Value dst = getMemory(result), src = getMemory(op->getOperand(shape.getFullOperand()));
  Value column = getMemory(op->getOperand(shape.getOtherOperand()));
  auto emit = [&](BinaryKind kind, Value from) {
    ascend::RowBinaryOp::create(builder, loc, kind, dst, from, column, getScratch(op, 0),
                                getRows(result), type.getColCount(), getPitch(type));
  };
  BinaryKind kind = getKind(op);
  if (shape.swapped && kind == BinaryKind::Sub) {
    emitScalar(ScalarKind::Muls, dst, src, constant(-1.0f), getCount(result));
    emit(BinaryKind::Add, dst);
  } else if (shape.swapped && kind == BinaryKind::Div) {
    Value count = getCount(result);
    emitDuplicate(dst, constant(1.0f), count);
    emit(BinaryKind::Mul, dst);
    emitBinary(kind, dst, dst, src, count);
  } else {
    emit(kind, src);
  }
  return success();
}

/// A tile and one row, which lies in `row`.
LogicalResult Lowering::lowerRowForm(Operation *op, BinaryShape shape, Value row) {
  Value result = op->getResult(0);
  TileType type = getType(result);
  int64_t pitch = getPitch(type);
  Value dst = getMemory(result), src = getMemory(op->getOperand(shape.getFullOperand()));
  auto emit = [&](BinaryKind kind, Value from) {
    ascend::ColBinaryOp::create(builder, loc, kind, dst, from, row, getRows(result),
                                type.getColCount(), pitch);
  };
  BinaryKind kind = getKind(op);
  if (shape.swapped && kind == BinaryKind::Sub) {
    emitScalar(ScalarKind::Muls, dst, src, constant(-1.0f), getCount(result));
    emit(BinaryKind::Add, dst);
  } else if (shape.swapped && kind == BinaryKind::Div) {
    forEachChunk(getRows(result), type.getRowCount(), 1, [&](Value first, Value) {
      Value offset = scale(first, pitch);
      emitBinary(kind, slice(dst, offset), row, slice(src, offset), constant(pitch));
    });
  } else {
    emit(kind, src);
  }
  return success();
}

/// A tile of several rows and a single value: the value is spread to a row, or to a column.
LogicalResult Lowering::lowerOneForm(Operation *op, BinaryShape shape) {
  Value result = op->getResult(0);
  TileType type = getType(result);
  Value one = getMemory(op->getOperand(shape.getOtherOperand()));
  Value spread = getScratch(op, 0), broadcast = getScratch(op, 1);
  int64_t elements = isColumn(type) ? getBufferElements(type) : getPitch(type);
  emitDuplicate(spread, constant(1.0f), constant(elements));
  ascend::RowBinaryOp::create(builder, loc, BinaryKind::Mul, spread, spread, one, broadcast,
                              constant(int64_t(1)), elements, elements);
  if (!isColumn(type))
    return lowerRowForm(op, shape, spread);
  Value full = getMemory(op->getOperand(shape.getFullOperand()));
  emitBinary(getKind(op), getMemory(result), shape.swapped ? spread : full,
             shape.swapped ? full : spread, getCount(result));
  return success();
}

/// A column and a row: the left operand is spread over the result first.
LogicalResult Lowering::lowerOuterForm(Operation *op, BinaryShape shape) {
  Value result = op->getResult(0);
  TileType type = getType(result);
  Value dst = getMemory(result);
  Value column = getMemory(op->getOperand(shape.getFullOperand()));
  Value row = getMemory(op->getOperand(shape.getOtherOperand()));
  auto withColumn = [&](BinaryKind kind) {
    ascend::RowBinaryOp::create(builder, loc, kind, dst, dst, column, getScratch(op, 0),
                                getRows(result), type.getColCount(), getPitch(type));
  };
  auto withRow = [&](BinaryKind kind) {
    ascend::ColBinaryOp::create(builder, loc, kind, dst, dst, row, getRows(result),
                                type.getColCount(), getPitch(type));
  };
  emitDuplicate(dst, constant(1.0f), getCount(result));
  if (shape.swapped) {
    withRow(BinaryKind::Mul);
    withColumn(getKind(op));
  } else {
    withColumn(BinaryKind::Mul);
    withRow(getKind(op));
  }
  return success();
}
