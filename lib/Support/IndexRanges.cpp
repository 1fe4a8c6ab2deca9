// Runs MLIR's integer range analysis on a kernel, with what holds for the numbers of kernels.
#include "attn/Support/IndexRanges.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dataflow;
using namespace attn;

ConstantIntRanges attn::makeIndexRange(int64_t least, int64_t most) {
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  return ConstantIntRanges::fromSigned(APInt(width, least, /*isSigned=*/true),
                                       APInt(width, most, /*isSigned=*/true));
}

namespace {

/// Upstream's analysis, but for two things. An overflow of index arithmetic would make a range
/// unknown, and with it the sign of every product of sizes. And what a loop carries would be
/// unknown as soon as it grows, sign included.
class KernelRangeAnalysis : public IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const IntegerValueRangeLattice *> operands,
                               ArrayRef<IntegerValueRangeLattice *> results) override {
    auto inferable = dyn_cast<InferIntRangeInterface>(op);
    if (!inferable)
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    auto given = llvm::map_to_vector(
        operands, [](const IntegerValueRangeLattice *operand) { return operand->getValue(); });
    auto set = [&](Value value, const IntegerValueRange &range) {
      if (auto result = dyn_cast<OpResult>(value))
        join(result, range, results[result.getResultNumber()]);
    };
    if (std::optional<ConstantIntRanges> range = inferWithoutOverflow(op, given))
      set(op->getResult(0), IntegerValueRange(*range));
    else
      inferable.inferResultRangesFromOptional(given, set);
    return success();
  }

private:
  static std::optional<ConstantIntRanges> inferWithoutOverflow(Operation *op,
                                                               ArrayRef<IntegerValueRange> given) {
    using intrange::OverflowFlags;
    using Result = std::optional<ConstantIntRanges>;
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
        !op->getResult(0).getType().isIndex() ||
        llvm::any_of(given, [](const IntegerValueRange &range) { return range.isUninitialized(); }))
      return std::nullopt;
    ConstantIntRanges ranges[] = {given[0].getValue(), given[1].getValue()};
    return llvm::TypeSwitch<Operation *, Result>(op)
        .Case([&](arith::AddIOp) { return intrange::inferAdd(ranges, OverflowFlags::Nsw); })
        .Case([&](arith::SubIOp) { return intrange::inferSub(ranges, OverflowFlags::Nsw); })
        .Case([&](arith::MulIOp) { return intrange::inferMul(ranges, OverflowFlags::Nsw); });
  }

  /// A range that keeps growing runs around a loop: it is let go to the end of its sign.
  void join(Value value, const IntegerValueRange &range, IntegerValueRangeLattice *lattice) {
    constexpr unsigned mostGrowths = 4;
    bool isFirst = lattice->getValue().isUninitialized();
    ChangeResult changed = lattice->join(range);
    if (!isFirst && changed == ChangeResult::Change && ++growths[value] > mostGrowths)
      changed |= lattice->join(IntegerValueRange(widen(lattice->getValue().getValue())));
    propagateIfChanged(lattice, changed);
  }

  static ConstantIntRanges widen(const ConstantIntRanges &range) {
    unsigned width = range.smin().getBitWidth();
    return ConstantIntRanges::fromSigned(
        range.smin().isNonNegative() ? APInt::getZero(width) : APInt::getSignedMinValue(width),
        APInt::getSignedMaxValue(width));
  }

  llvm::DenseMap<Value, unsigned> growths;
};

} // namespace

IndexRanges::IndexRanges(Operation *op) {
  // A kernel is called from outside, whatever its module holds.
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(false));
  loadBaselineAnalyses(solver);
  solver.load<KernelRangeAnalysis>();
  if (failed(solver.initializeAndRun(op)))
    return;
  auto addAll = [&](ValueRange values) {
    for (Value value : values)
      if (const auto *found = solver.lookupState<IntegerValueRangeLattice>(value);
          found && !found->getValue().isUninitialized())
        add(value, found->getValue().getValue());
  };
  op->walk([&](Operation *inner) {
    addAll(inner->getResults());
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        addAll(block.getArguments());
  });
}

void IndexRanges::add(Value integer, const ConstantIntRanges &range) {
  if (integer.getType().isIntOrIndex() && range.smin().getBitWidth() <= 64)
    ranges.insert({integer, {range.smin().getSExtValue(), range.smax().getSExtValue()}});
}

std::optional<IndexRanges::Range> IndexRanges::find(Value integer) const {
  if (auto found = ranges.find(integer); found != ranges.end())
    return found->second;
  if (std::optional<int64_t> constant = getConstantIntValue(integer))
    return Range{*constant, *constant};
  return std::nullopt;
}

/// A bound that only the width of integers sets, and what is computed from it: no memory is so
/// large.
static bool isBound(int64_t bound) {
  constexpr int64_t most = int64_t(1) << 40;
  return bound >= -most && bound <= most;
}

std::optional<int64_t> IndexRanges::getLowerBound(Value integer) const {
  std::optional<Range> range = find(integer);
  if (!range || (!isBound(range->low) && range->low != range->high))
    return std::nullopt;
  return range->low;
}

std::optional<int64_t> IndexRanges::getUpperBound(Value integer) const {
  std::optional<Range> range = find(integer);
  if (!range || (!isBound(range->high) && range->low != range->high))
    return std::nullopt;
  return range->high;
}

bool IndexRanges::isNonNegative(Value integer) const {
  std::optional<Range> range = find(integer);
  return range && range->low >= 0;
}
