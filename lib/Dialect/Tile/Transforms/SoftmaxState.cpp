// The arithmetic of softmax states on tiles, which all their forms share (tile stage).
#include "SoftmaxState.h"
#include <cfloat>

using namespace mlir;
using namespace attn;
using namespace attn::tile;

StateBuilder::StateBuilder(Operation *op, Location stateLoc, SoftmaxStateType type)
    : ImplicitLocOpBuilder(op->getLoc(), op), stateLoc(stateLoc) {
  Type f32 = getF32Type();
  IntegerAttr one = getDim(getContext(), 1);
  column = TileType::get(getContext(), type.getRows(), one, f32);
  whole = TileType::get(getContext(), type.getRows(), type.getCols(), f32);
  scalar = TileType::get(getContext(), one, one, f32);
}

Value StateBuilder::fill(float number, TileType type) {
  Value value = arith::ConstantOp::create(*this, getF32FloatAttr(number));
  return SplatOp::create(*this, type, value);
}

StateParts StateBuilder::makeEmpty(bool withAccumulator) {
  return {named("max", fill(lowestScore, column)), named("sum", fill(0, column)),
          withAccumulator ? makeAccumulator() : Value()};
}

StateParts StateBuilder::extract(StateParts all, Value row) {
  Value zero = arith::ConstantIndexOp::create(*this, 0);
  auto take = [&](Value tile, TileType type) -> Value {
    return ExtractOp::create(*this, type, tile, row, zero, /*transposed=*/false);
  };
  return {take(all.maximum, column), take(all.sum, column), take(all.accumulator, whole)};
}

StateParts StateBuilder::insert(StateParts some, StateParts all, Value row) {
  Value zero = arith::ConstantIndexOp::create(*this, 0);
  auto put = [&](StringRef name, Value tile, Value into) {
    return named(name, InsertOp::create(*this, into.getType(), tile, into, row, zero,
                                        /*transposed=*/false));
  };
  return {put("max", some.maximum, all.maximum), put("sum", some.sum, all.sum),
          put("acc", some.accumulator, all.accumulator)};
}

Value StateBuilder::expDifference(Value a, Value b) {
  return ExpOp::create(*this, column, SubOp::create(*this, column, a, b));
}

StateParts StateBuilder::push(StateParts old, Value scores, Value values) {
  StateParts next;
  next.maximum = named("max", MaximumOp::create(*this, column, old.maximum, scores));
  Value alpha = expDifference(old.maximum, next.maximum);
  Value weight = expDifference(scores, next.maximum);
  Value scaled = MulOp::create(*this, column, old.sum, alpha);
  next.sum = named("sum", AddOp::create(*this, column, scaled, weight));
  if (!old.accumulator)
    return next;
  Value rescaled = named("acc", MulOp::create(*this, whole, old.accumulator, alpha));
  next.accumulator = accumulate(rescaled, values, weight);
  return next;
}

std::pair<StateParts, Value> StateBuilder::weigh(StateParts old, Value scores) {
  auto type = cast<TileType>(scores.getType());
  StateParts next;
  Value highest = ReduceOp::create(*this, column, ReduceKind::Max, scores, 1);
  next.maximum = named("max", MaximumOp::create(*this, column, old.maximum, highest));
  Value alpha = expDifference(old.maximum, next.maximum);
  Value distance = SubOp::create(*this, type, scores, next.maximum);
  Value weights = ExpOp::create(*this, type, distance);
  Value scaled = MulOp::create(*this, column, old.sum, alpha);
  Value pushed = ReduceOp::create(*this, column, ReduceKind::Sum, weights, 1);
  next.sum = named("sum", AddOp::create(*this, column, scaled, pushed));
  next.accumulator = named("acc", MulOp::create(*this, whole, old.accumulator, alpha));
  return {next, weights};
}

Value StateBuilder::addShared(Value sums, Value weights, Value values, bool isRowByRow) {
  if (isRowByRow)
    return addRowByRow(sums, weights, values);
  auto type = cast<TileType>(weights.getType());
  Type element = cast<TileType>(values.getType()).getElementType();
  if (element != type.getElementType())
    weights = CastOp::create(
        *this, TileType::get(getContext(), type.getRows(), type.getCols(), element), weights);
  Value product = DotOp::create(*this, whole, weights, values, /*acc=*/Value(),
                                /*transpose_a=*/false, /*transpose_b=*/false);
  return named("acc", AddOp::create(*this, whole, sums, product));
}

/// Adds weights [m, k] times values [k, d] to rows: for each row, the sum of the values by its
/// weights as a column.
Value StateBuilder::addRowByRow(Value sums, Value weights, Value values) {
  auto from = cast<TileType>(weights.getType()), to = cast<TileType>(values.getType());
  IntegerAttr one = getDim(getContext(), 1);
  auto make = [&](Attribute rows, Attribute cols) {
    return TileType::get(getContext(), rows, cols, getF32Type());
  };
  TileType wide = make(to.getRows(), to.getCols()), line = make(one, to.getCols());
  if (to != wide)
    values = CastOp::create(*this, wide, values);
  Value zero = arith::ConstantIndexOp::create(*this, 0);
  for (int64_t row = 0, rows = from.getRowCount(); row < rows; ++row) {
    Value index = arith::ConstantIndexOp::create(*this, row);
    auto extract = [&](Value tile, TileType type) -> Value {
      return rows == 1 ? tile
                       : ExtractOp::create(*this, type, tile, index, zero, /*transposed=*/false);
    };
    Value weight = TransposeOp::create(*this, make(to.getRows(), one),
                                       extract(weights, make(one, from.getCols())));
    Value weighted = MulOp::create(*this, wide, values, weight);
    Value pushed = ReduceOp::create(*this, line, ReduceKind::Sum, weighted, 0);
    Value sum = AddOp::create(*this, line, extract(sums, line), pushed);
    sums = rows == 1 ? sum
                     : InsertOp::create(*this, sums.getType(), sum, sums, index, zero,
                                        /*transposed=*/false);
  }
  return named("acc", sums);
}

Value StateBuilder::accumulate(Value accumulator, Value values, Value weight) {
  Value weighted = MulOp::create(*this, whole, values, weight);
  return named("acc", AddOp::create(*this, whole, accumulator, weighted));
}

Value StateBuilder::makeLse(StateParts parts) {
  return AddOp::create(*this, column, parts.maximum, LogOp::create(*this, column, parts.sum));
}

Value StateBuilder::makeOutput(Value accumulator, Value sum) {
  Value safe = MaximumOp::create(*this, column, sum, fill(FLT_MIN, scalar));
  Value inverse = DivOp::create(*this, column, fill(1, scalar), safe);
  return MulOp::create(*this, whole, accumulator, inverse);
}

/// Calls a part after its state, "st_max", where the source names the state.
Value StateBuilder::named(StringRef part, Value value) {
  auto name = dyn_cast<NameLoc>(stateLoc);
  std::string text = ((name ? name.getName().getValue() : "softmax") + "_" + part).str();
  Location position = isa<NameLoc>(getLoc()) ? cast<NameLoc>(getLoc()).getChildLoc() : getLoc();
  value.getDefiningOp()->setLoc(NameLoc::get(getStringAttr(text), position));
  return value;
}
