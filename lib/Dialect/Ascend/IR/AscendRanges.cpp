// What is known about an index before it runs: a small interval arithmetic over the ops that
// lowering writes, so that an instruction with a runtime amount still says how far it may reach.
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn::ascend;

namespace {

using Bound = std::optional<int64_t>;

struct Range {
  Bound low, high;
};

/// Chains of arithmetic are short; the limit keeps malformed input from costing time.
constexpr int maxDepth = 12;

Range getRange(Value index, int depth);

Bound combine(Bound a, Bound b, llvm::function_ref<Bound(int64_t, int64_t)> with) {
  return a && b ? with(*a, *b) : std::nullopt;
}

Bound sum(Bound a, Bound b) { return combine(a, b, llvm::checkedAdd<int64_t>); }
Bound difference(Bound a, Bound b) { return combine(a, b, llvm::checkedSub<int64_t>); }

/// The smaller of two, where one of them is enough.
Bound smaller(Bound a, Bound b) { return a && b ? std::min(*a, *b) : (a ? a : b); }
Bound larger(Bound a, Bound b) { return a && b ? std::max(*a, *b) : (a ? a : b); }

/// Bounds of `value * constant`, either way round, or of the product of two non-negative values.
Range product(Range a, Range b) {
  if (a.low && a.low == a.high)
    std::swap(a, b);
  bool isScaled = b.low && b.low == b.high && *b.low >= 0;
  if (!isScaled && (!a.low || *a.low < 0 || !b.low || *b.low < 0))
    return {};
  return {combine(a.low, b.low, llvm::checkedMul<int64_t>),
          combine(a.high, b.high, llvm::checkedMul<int64_t>)};
}

/// Bounds of `value / positive constant`; unsigned division says nothing about negative values.
Range quotient(Range a, Range b, bool isSigned, bool up) {
  bool isPositive = b.low && b.low == b.high && *b.low > 0;
  if (!isPositive || (!isSigned && (!a.low || *a.low < 0)))
    return {};
  auto by = [&](Bound value) -> Bound {
    if (!value)
      return value;
    return up ? llvm::divideCeilSigned(*value, *b.low) : *value / *b.low;
  };
  return {by(a.low), by(a.high)};
}

Range getArgumentRange(BlockArgument argument, int depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return {};
  Bound last = difference(getRange(loop.getUpperBound(), depth).high, 1);
  return {getRange(loop.getLowerBound(), depth).low, last};
}

Range getRange(Value index, int depth) {
  if (std::optional<int64_t> constant = getConstant(index))
    return {constant, constant};
  if (depth == 0)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(index))
    return getArgumentRange(argument, depth - 1);
  auto operand = [&](unsigned i) {
    return getRange(index.getDefiningOp()->getOperand(i), depth - 1);
  };
  return llvm::TypeSwitch<Operation *, Range>(index.getDefiningOp())
      .Case([&](arith::AddIOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {sum(a.low, b.low), sum(a.high, b.high)};
      })
      .Case([&](arith::SubIOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {difference(a.low, b.high), difference(a.high, b.low)};
      })
      .Case([&](arith::MulIOp) -> Range { return product(operand(0), operand(1)); })
      .Case([&](arith::MinSIOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {combine(a.low, b.low, [](int64_t x, int64_t y) { return Bound(std::min(x, y)); }),
                smaller(a.high, b.high)};
      })
      .Case([&](arith::MaxSIOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {larger(a.low, b.low), combine(a.high, b.high, [](int64_t x, int64_t y) {
                  return Bound(std::max(x, y));
                })};
      })
      .Case([&](arith::DivSIOp) { return quotient(operand(0), operand(1), true, false); })
      .Case([&](arith::DivUIOp) { return quotient(operand(0), operand(1), false, false); })
      .Case([&](arith::CeilDivSIOp) { return quotient(operand(0), operand(1), true, true); })
      .Case([&](arith::CeilDivUIOp) { return quotient(operand(0), operand(1), false, true); })
      .Case<StrideOp, BlockIdOp, CoreIdOp, SubBlockIdOp>(
          [](auto) -> Range { return {0, std::nullopt}; })
      .Case<DimOp, BlockCountOp>([](auto) -> Range { return {1, std::nullopt}; })
      .Default(Range());
}

} // namespace

std::optional<int64_t> attn::ascend::getUpperBound(Value index) {
  return getRange(index, maxDepth).high;
}

std::optional<int64_t> attn::ascend::getLowerBound(Value index) {
  return getRange(index, maxDepth).low;
}
