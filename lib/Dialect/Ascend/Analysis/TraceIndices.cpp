// What the indices of a kernel are in an abstract run: numbers, or expressions over what only the
// run knows.
#include "TraceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

const IndexExpression &TraceBuilder::get(IndexNumber index) {
  if (!hasIndex[index]) {
    const IndexFacts &known = facts.indices[index];
    indices[index] = known.constant ? IndexExpression(*known.constant) : makeUnknown(index);
    hasIndex[index] = true;
  }
  return indices[index];
}

/// A number of which the bounds are known that its value always has.
IndexExpression TraceBuilder::makeUnknown(IndexNumber index) {
  if (detail == TraceDetail::Flags)
    return makeUnknown();
  const IndexFacts &known = facts.indices[index];
  IndexSymbols::Facts bounds{known.low, known.high, {}};
  if (auto [one, other] = known.largerOf; one != noIndex)
    bounds.atLeast = {get(one), get(other)};
  return symbols.make(std::move(bounds));
}

void TraceBuilder::set(IndexNumber index, IndexExpression expression) {
  if (int32_t slotIndex = facts.indices[index].slotIndex; slotIndex >= 0) {
    Step step{Step::Kind::Slot};
    step.number = slotIndex;
    step.slotNumber = expression.getConstant().value_or(-1);
    trace.steps.push_back(step);
  }
  indices[index] = std::move(expression);
  hasIndex[index] = true;
}

/// What an operation gives on known numbers, or none.
static std::optional<int64_t> compute(Operation *op, int64_t a, int64_t b) {
  std::optional<int64_t> number;
  if (auto inferable = dyn_cast<InferIntRangeInterface>(op))
    inferable.inferResultRanges({makeIndexRange(a, a), makeIndexRange(b, b)},
                                [&](Value, const ConstantIntRanges &range) {
                                  if (std::optional<APInt> known = range.getConstantValue())
                                    number = known->getSExtValue();
                                });
  return number;
}

/// None where only the run knows it.
std::optional<IndexExpression> TraceBuilder::evaluate(TraceEntry &next) {
  if (next.kind == TraceEntry::Kind::Index)
    return facts.indices[next.result].constant;
  const IndexExpression &a = get(next.operands[0]), &b = get(next.operands[1]);
  switch (next.kind) {
  case TraceEntry::Kind::Add:
    return IndexExpression::add(a, b);
  case TraceEntry::Kind::Subtract:
    return IndexExpression::subtract(a, b);
  case TraceEntry::Kind::Multiply:
    return IndexExpression::multiply(a, b);
  default:
    break;
  }
  if (!a.getConstant() || !b.getConstant())
    return std::nullopt;
  // Slots come back, so the same numbers do.
  int64_t left = *a.getConstant(), right = *b.getConstant();
  auto known = llvm::find_if(next.known, [&](const TraceEntry::Known &known) {
    return known.a == left && known.b == right;
  });
  if (known == next.known.end()) {
    next.known.push_back({left, right, compute(next.op, left, right)});
    known = std::prev(next.known.end());
  }
  return known->result;
}
