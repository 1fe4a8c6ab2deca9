// What the indices of a kernel are in an abstract run: numbers, or expressions over what only the
// run knows.
#include "TraceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

IndexExpression TraceBuilder::get(Value index) {
  auto [found, isNew] = indices.try_emplace(index);
  if (isNew) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    IndexExpression value = constant ? IndexExpression(*constant) : makeUnknown(index);
    return indices[index] = std::move(value);
  }
  return found->second;
}

/// A number of which the bounds are known that its value always has.
IndexExpression TraceBuilder::makeUnknown(Value index) {
  if (!findsNeeds)
    return makeUnknown();
  IndexSymbols::Facts known{
      facts.ranges.getLowerBound(index), facts.ranges.getUpperBound(index), {}};
  if (facts.rowSteps.contains(index))
    known.low = std::max<int64_t>(known.low.value_or(1), 1);
  if (auto larger = index.getDefiningOp<arith::MaxSIOp>())
    known.atLeast = {get(larger.getLhs()), get(larger.getRhs())};
  return symbols.make(std::move(known));
}

void TraceBuilder::set(Value index, IndexExpression expression) {
  if (facts.slotIndices.contains(index)) {
    Step step{Step::Kind::Slot};
    step.slot = index;
    step.slotNumber = expression.getConstant().value_or(-1);
    trace.steps.push_back(step);
  }
  indices[index] = std::move(expression);
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

IndexExpression TraceBuilder::evaluate(Operation *op) {
  Value result = op->getResult(0);
  if (op->hasTrait<OpTrait::ConstantLike>())
    if (std::optional<int64_t> constant = getConstantIntValue(result))
      return *constant;
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex() ||
      !result.getType().isIndex())
    return makeUnknown(result);
  IndexExpression a = get(op->getOperand(0)), b = get(op->getOperand(1));
  std::optional<IndexExpression> value;
  if (isa<arith::AddIOp>(op))
    value = IndexExpression::add(a, b);
  else if (isa<arith::SubIOp>(op))
    value = IndexExpression::subtract(a, b);
  else if (isa<arith::MulIOp>(op))
    value = IndexExpression::multiply(a, b);
  else if (a.getConstant() && b.getConstant())
    value = compute(op, *a.getConstant(), *b.getConstant());
  return value ? *value : makeUnknown(result);
}
