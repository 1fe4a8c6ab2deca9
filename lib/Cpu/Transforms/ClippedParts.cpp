// Which parts of arrays the kernel has cut to what exists. CPU stage, on tensors.
//
// The rows from `first` to `limit` of `rows` rows from `base` on begin at `base + missing` and are
// `end - missing`, with `missing = max(min(first - base, rows), 0)` and
// `end = max(min(limit - base, rows), missing)`. Where these are any, `end` is at most
// `limit - base` and `missing` at least `first - base`, as long as nothing overflows.
#include "ClippedParts.h"
#include "IndexLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// A number and multiples of values that are not looked into.
struct Sum {
  uint64_t number = 0;
  llvm::SmallMapVector<Value, int64_t, 4> values;

  /// Numbers wrap as those of the kernel do.
  void add(Value value, int64_t times) {
    if (std::optional<int64_t> constant = getConstantIntValue(value)) {
      number += static_cast<uint64_t>(times) * static_cast<uint64_t>(*constant);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (isa_and_present<arith::AddIOp, arith::SubIOp>(op)) {
      add(op->getOperand(0), times);
      add(op->getOperand(1), isa<arith::AddIOp>(op) ? times : -times);
      return;
    }
    int64_t &sum = values[value];
    sum += times;
    if (sum == 0)
      values.erase(value);
  }
};

/// The least and the most that a number can be.
struct Interval {
  int64_t least, most;
};
using MaybeInterval = std::optional<Interval>;

/// No array is that large.
constexpr int64_t mostElements = int64_t(1) << 60;
constexpr int64_t mostDepth = 24;

template <typename OpTy> std::pair<Value, Value> match(Value value) {
  auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
  return op ? std::pair<Value, Value>(op.getLhs(), op.getRhs()) : std::pair<Value, Value>();
}

MaybeInterval getInterval(Value value, int64_t depth = 0);

MaybeInterval getSumInterval(Interval left, Interval right) {
  Interval sum;
  if (llvm::AddOverflow(left.least, right.least, sum.least) ||
      llvm::AddOverflow(left.most, right.most, sum.most))
    return std::nullopt;
  return sum;
}

/// Of what the operands of an operation can be; none where it may overflow or is not known.
MaybeInterval combine(Operation *op, Interval left, Interval right) {
  if (isa<arith::AddIOp>(op))
    return getSumInterval(left, right);
  if (isa<arith::MinSIOp>(op))
    return Interval{std::min(left.least, right.least), std::min(left.most, right.most)};
  if (isa<arith::MaxSIOp>(op))
    return Interval{std::max(left.least, right.least), std::max(left.most, right.most)};
  if (isa<arith::SubIOp>(op) && right.least != std::numeric_limits<int64_t>::min())
    return getSumInterval(left, {-right.most, -right.least});
  if (left.least < 0 || right.least < 0)
    return std::nullopt;
  Interval result = {0, left.most};
  if (isa<arith::MulIOp>(op))
    return llvm::MulOverflow(left.most, right.most, result.most) ? MaybeInterval() : result;
  if (isa<arith::CeilDivUIOp, arith::DivUIOp>(op)) {
    if (right.least > 0)
      result.most = left.most / right.least + 1;
    return result;
  }
  return std::nullopt;
}

MaybeInterval getInterval(Value value, int64_t depth) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return Interval{*number, *number};
  if (++depth > mostDepth)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return std::nullopt;
    MaybeInterval lower = getInterval(loop.getLowerBound(), depth);
    MaybeInterval upper = getInterval(loop.getUpperBound(), depth);
    return lower && upper ? MaybeInterval({lower->least, upper->most}) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (isa<memref::DimOp>(op))
    return Interval{0, mostElements};
  // A rest is below the divisor, whatever is divided.
  if (auto [dividend, divisor] = match<arith::RemUIOp>(value); dividend) {
    MaybeInterval most = getInterval(jit::skipCheck(divisor), depth);
    return most && most->least >= 0 ? MaybeInterval({0, most->most}) : std::nullopt;
  }
  if (op->getNumOperands() != 2 || !isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  MaybeInterval left = getInterval(op->getOperand(0), depth);
  MaybeInterval right = getInterval(jit::skipCheck(op->getOperand(1)), depth);
  return left && right ? combine(op, *left, *right) : std::nullopt;
}

/// Whether a value is at most what a dimension has.
bool isAtMost(Value value, Attribute limit) {
  if (jit::getLimit(value) == limit)
    return true;
  auto [left, right] = match<arith::MinSIOp>(value);
  return left && (isAtMost(left, limit) || isAtMost(right, limit));
}

/// `max(min(distance, rows), least)` with a positive number of rows.
struct Clamped {
  Value distance, least;
  int64_t rows = 0;

  static std::optional<Clamped> get(Value value) {
    auto [inner, least] = match<arith::MaxSIOp>(value);
    auto [distance, size] = match<arith::MinSIOp>(inner);
    std::optional<int64_t> rows = size ? getConstantIntValue(size) : std::nullopt;
    return rows && *rows > 0 ? std::optional(Clamped{distance, least, *rows}) : std::nullopt;
  }
};

/// What lies `distance` from `base`: a value, or a number;
/// neither where it is another sum, or where it may overflow.
struct End {
  Value value;
  std::optional<int64_t> number;

  End(Value distance, Value base) {
    MaybeInterval from = getInterval(base), by = getInterval(distance);
    if (!from || !by || !getSumInterval(*from, *by))
      return;
    Sum sum;
    sum.add(distance, 1);
    sum.add(base, 1);
    if (sum.values.empty())
      number = static_cast<int64_t>(sum.number);
    else if (sum.values.size() == 1 && sum.values.front().second == 1 && sum.number == 0)
      value = sum.values.front().first;
  }

  bool mayBeNegative() const {
    MaybeInterval interval = value ? getInterval(value) : std::nullopt;
    return number ? *number < 0 : !interval || interval->least < 0;
  }
};

} // namespace

bool jit::isClippedInside(Value offset, Value size, Attribute limit) {
  auto [base, missing] = match<arith::AddIOp>(offset);
  auto [last, before] = match<arith::SubIOp>(size);
  if (!base || !last || before != missing)
    return false;
  std::optional<Clamped> toFirst = Clamped::get(missing), toEnd = Clamped::get(last);
  if (!toFirst || !toEnd || getConstantIntValue(toFirst->least) != 0 || toEnd->least != missing ||
      toFirst->rows != toEnd->rows)
    return false;
  End first(toFirst->distance, base), end(toEnd->distance, base);
  return !first.mayBeNegative() && end.value && isAtMost(end.value, limit);
}
