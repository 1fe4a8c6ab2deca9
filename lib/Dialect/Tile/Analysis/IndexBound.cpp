// How far two indices of a kernel can be apart (tile stage, analysis): each is bounded by sums of a
// number and unknown values; where the unknowns of both cancel out, the rest is the bound.
#include "attn/Dialect/Tile/Analysis/IndexBound.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// A number and multiples of values that are not looked into.
struct Sum {
  int64_t number = 0;
  llvm::SmallMapVector<Value, int64_t, 4> unknowns;

  static Sum of(Value value) {
    Sum sum;
    sum.unknowns[value] = 1;
    return sum;
  }

  /// This and `factor` times the other; none where numbers overflow.
  std::optional<Sum> plus(const Sum &other, int64_t factor) const {
    Sum result = *this;
    auto add = [&](int64_t &to, int64_t amount) {
      int64_t scaled;
      return !llvm::MulOverflow(amount, factor, scaled) && !llvm::AddOverflow(to, scaled, to);
    };
    bool holds = add(result.number, other.number);
    for (auto [value, times] : other.unknowns)
      holds &= add(result.unknowns[value], times);
    result.unknowns.remove_if([](auto &entry) { return entry.second == 0; });
    return holds ? std::optional(result) : std::nullopt;
  }

  std::optional<int64_t> getNumber() const {
    return unknowns.empty() ? std::optional(number) : std::nullopt;
  }
};

/// Each of them bounds a value; the tightest does so best.
using Bounds = SmallVector<Sum, 4>;
enum class Side { Above, Below };

constexpr size_t mostBounds = 16;
constexpr int64_t mostDepth = 32;

Side opposite(Side side) { return side == Side::Above ? Side::Below : Side::Above; }

Bounds getBounds(Value value, Side side, int64_t depth = 0);

/// All sums of a bound of one value and `factor` times a bound of another.
Bounds combine(const Bounds &left, const Bounds &right, int64_t factor) {
  Bounds result;
  for (const Sum &one : left)
    for (const Sum &other : right)
      if (std::optional<Sum> sum = one.plus(other, factor); sum && result.size() < mostBounds)
        result.push_back(std::move(*sum));
  return result;
}

/// Bounds of the value that lies further to `side`: where two bounds can be compared, the further.
Bounds getFurther(const Bounds &left, const Bounds &right, Side side) {
  Bounds result;
  for (const Sum &one : left)
    for (const Sum &other : right) {
      std::optional<Sum> difference = one.plus(other, -1);
      std::optional<int64_t> number = difference ? difference->getNumber() : std::nullopt;
      if (number && result.size() < mostBounds)
        result.push_back((*number >= 0) == (side == Side::Above) ? one : other);
    }
  return result;
}

Bounds getExtremeBounds(Operation *op, Side side, int64_t depth) {
  Bounds left = getBounds(op->getOperand(0), side, depth);
  Bounds right = getBounds(op->getOperand(1), side, depth);
  bool isEither = isa<arith::MinSIOp>(op) == (side == Side::Above);
  Bounds result = isEither ? left : getFurther(left, right, side);
  if (isEither)
    result.append(right);
  // The value itself may cancel out.
  result.insert(result.begin(), Sum::of(op->getResult(0)));
  result.resize(std::min(result.size(), mostBounds));
  return result;
}

Bounds getProductBounds(arith::MulIOp op, Side side, int64_t depth) {
  for (auto [factor, value] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}})
    if (std::optional<int64_t> number = getFoldedConstant(factor))
      return combine({Sum()}, getBounds(value, *number < 0 ? opposite(side) : side, depth),
                     *number);
  return {Sum::of(op.getResult())};
}

Bounds getBounds(Value value, Side side, int64_t depth) {
  if (std::optional<int64_t> number = getFoldedConstant(value))
    return {Sum{*number, {}}};
  Operation *op = value.getDefiningOp();
  if (!op || ++depth > mostDepth)
    return {Sum::of(value)};
  if (auto base = dyn_cast<SpanBaseOp>(op))
    if (auto span = base.getSpan().getDefiningOp<MakeSpanOp>())
      return getBounds(span.getBase(), side, depth);
  if (isa<arith::AddIOp>(op))
    return combine(getBounds(op->getOperand(0), side, depth),
                   getBounds(op->getOperand(1), side, depth), 1);
  if (isa<arith::SubIOp>(op))
    return combine(getBounds(op->getOperand(0), side, depth),
                   getBounds(op->getOperand(1), opposite(side), depth), -1);
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return getProductBounds(product, side, depth);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return getExtremeBounds(op, side, depth);
  return {Sum::of(value)};
}

} // namespace

std::optional<int64_t> tile::getLargestDifference(Value upper, Value lower) {
  std::optional<int64_t> tightest;
  Bounds differences = combine(getBounds(upper, Side::Above), getBounds(lower, Side::Below), -1);
  for (const Sum &difference : differences)
    if (std::optional<int64_t> number = difference.getNumber())
      tightest = std::min(tightest.value_or(*number), *number);
  return tightest;
}

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

/// Looks through at most `depth` ops, so that shared operands cannot make the search explode.
static bool isMultipleOf(Value index, int64_t factor, int depth) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return *number % factor == 0;
  Operation *op = index.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto holds = [&](Value operand) { return isMultipleOf(operand, factor, depth - 1); };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), holds);
  return isa<arith::MulIOp>(op) && llvm::any_of(op->getOperands(), holds);
}

bool tile::isMultipleOf(Value index, int64_t factor) {
  constexpr int maxDepth = 8;
  return ::isMultipleOf(index, factor, maxDepth);
}
