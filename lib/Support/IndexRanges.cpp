// Finds the ranges of a kernel's integers, with what holds for the numbers of kernels.
#include "attn/Support/IndexRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

ConstantIntRanges attn::makeIndexRange(int64_t least, int64_t most) {
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  return ConstantIntRanges::fromSigned(APInt(width, least, /*isSigned=*/true),
                                       APInt(width, most, /*isSigned=*/true));
}

namespace {

/// Follows a kernel in the order in which it runs, and its loops until nothing changes. It finds
/// what MLIR's integer range analysis finds, in a fraction of the time that a solver for any
/// control flow takes, but for two things. An overflow of index arithmetic would make a range
/// unknown, and with it the sign of every product of sizes. And what a loop carries would be
/// unknown as soon as it grows, sign included.
class RangeWalk {
public:
  /// What comes into the region from outside can be anything.
  void visit(Region &region) {
    for (Block &block : region) {
      setUnknown(block.getArguments());
      visit(block);
    }
  }

  const llvm::DenseMap<Value, IntegerValueRange> &getRanges() const { return ranges; }

private:
  void visit(Block &block) {
    for (Operation &op : block) {
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
        visitBranch(branch);
        continue;
      }
      for (Region &region : op.getRegions())
        visit(region);
      if (llvm::any_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
        visitOperation(op);
    }
  }

  void visitOperation(Operation &op) {
    auto inferable = dyn_cast<InferIntRangeInterface>(op);
    if (!inferable)
      return setUnknown(op.getResults());
    auto given =
        llvm::map_to_vector<4>(op.getOperands(), [&](Value operand) { return get(operand); });
    if (std::optional<ConstantIntRanges> range = inferWithoutOverflow(op, given))
      return (void)join(op.getResult(0), IntegerValueRange(*range));
    inferable.inferResultRangesFromOptional(given,
                                            [&](Value value, const IntegerValueRange &range) {
                                              if (isa<OpResult>(value))
                                                join(value, range);
                                            });
  }

  /// Goes through the regions that the op can come to, as long as one hands the next, or itself,
  /// more than before.
  void visitBranch(RegionBranchOpInterface branch) {
    SmallVector<RegionSuccessor, 2> successors, reached;
    branch.getEntrySuccessorRegions(getConstants(branch), successors);
    auto goOn = [&](auto getOperands) {
      bool hasMore = false;
      for (const RegionSuccessor &successor : successors) {
        if (!successor.isParent() && !llvm::is_contained(reached, successor)) {
          reached.push_back(successor);
          hasMore = true;
        }
        for (auto [input, operand] :
             llvm::zip_equal(successor.getSuccessorInputs(), getOperands(successor)))
          hasMore |= grow(input, get(operand)) && !successor.isParent();
      }
      return hasMore;
    };
    bool hasMore = goOn([&](const RegionSuccessor &successor) {
      return branch.getEntrySuccessorOperands(successor);
    });
    while (hasMore) {
      hasMore = false;
      for (size_t number = 0; number < reached.size(); ++number) {
        Block &block = reached[number].getSuccessor()->front();
        visitOwnArguments(branch, block, reached[number].getSuccessorInputs());
        visit(block);
        auto terminator = cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
        successors.clear();
        terminator.getSuccessorRegions(getConstants(terminator), successors);
        hasMore |= goOn([&](const RegionSuccessor &successor) {
          return terminator.getSuccessorOperands(successor);
        });
      }
    }
  }

  /// What the op itself gives a block, beside what it hands on: the counters of a loop.
  void visitOwnArguments(RegionBranchOpInterface branch, Block &block, ValueRange handedOn) {
    auto loop = dyn_cast<LoopLikeOpInterface>(branch.getOperation());
    std::optional<SmallVector<Value>> counters = loop ? loop.getLoopInductionVars() : std::nullopt;
    if (!counters) {
      for (Value argument : block.getArguments())
        if (!llvm::is_contained(handedOn, argument))
          join(argument, IntegerValueRange::getMaxRange(argument));
      return;
    }
    for (auto [counter, lower, upper, step] :
         llvm::zip_equal(*counters, *loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                         *loop.getLoopSteps()))
      visitCounter(counter, lower, upper, step);
  }

  void visitCounter(Value counter, OpFoldResult lower, OpFoldResult upper, OpFoldResult step) {
    auto getBound = [&](OpFoldResult bound, bool isUpper) {
      if (std::optional<int64_t> number = getConstantIntValue(bound))
        return APInt(ConstantIntRanges::getStorageBitwidth(counter.getType()), *number,
                     /*isSigned=*/true);
      auto value = dyn_cast<Value>(bound);
      IntegerValueRange range = value ? get(value) : IntegerValueRange();
      if (range.isUninitialized())
        range = IntegerValueRange::getMaxRange(counter);
      return isUpper ? range.getValue().smax() : range.getValue().smin();
    };
    APInt least = getBound(lower, /*isUpper=*/false), end = getBound(upper, /*isUpper=*/true);
    if (getBound(step, /*isUpper=*/true).isNegative())
      std::swap(least, end);
    else
      --end;
    if (end.sge(least))
      join(counter, IntegerValueRange(ConstantIntRanges::fromSigned(least, end)));
  }

  /// The operands of an op that chooses a way, as far as they are constants. A way that only ranges
  /// rule out is still in the kernel, and what checks it asks for its numbers.
  static SmallVector<Attribute> getConstants(Operation *op) {
    return llvm::map_to_vector(op->getOperands(), [](Value operand) {
      Attribute constant;
      matchPattern(operand, m_Constant(&constant));
      return constant;
    });
  }

  static std::optional<ConstantIntRanges> inferWithoutOverflow(Operation &op,
                                                               ArrayRef<IntegerValueRange> given) {
    using intrange::OverflowFlags;
    using Result = std::optional<ConstantIntRanges>;
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
        !op.getResult(0).getType().isIndex() ||
        llvm::any_of(given, [](const IntegerValueRange &range) { return range.isUninitialized(); }))
      return std::nullopt;
    ConstantIntRanges ranges[] = {given[0].getValue(), given[1].getValue()};
    return llvm::TypeSwitch<Operation *, Result>(&op)
        .Case([&](arith::AddIOp) { return intrange::inferAdd(ranges, OverflowFlags::Nsw); })
        .Case([&](arith::SubIOp) { return intrange::inferSub(ranges, OverflowFlags::Nsw); })
        .Case([&](arith::MulIOp) { return intrange::inferMul(ranges, OverflowFlags::Nsw); });
  }

  IntegerValueRange get(Value value) const { return ranges.lookup(value); }

  void setUnknown(ValueRange values) {
    for (Value value : values)
      join(value, IntegerValueRange::getMaxRange(value));
  }

  /// Adds to what a value can be; returns whether that is more than before.
  bool join(Value value, const IntegerValueRange &range) {
    IntegerValueRange &known = ranges[value];
    IntegerValueRange joined = IntegerValueRange::join(known, range);
    if (joined == known)
      return false;
    known = std::move(joined);
    return true;
  }

  /// What a loop carries and keeps growing is let go to the end of its sign. What is computed from
  /// it is not: a minimum bounds it still.
  bool grow(Value carried, const IntegerValueRange &range) {
    constexpr unsigned mostGrowths = 4;
    bool isFirst = get(carried).isUninitialized();
    if (!join(carried, range))
      return false;
    if (!isFirst && ++growths[carried] > mostGrowths)
      join(carried, IntegerValueRange(widen(get(carried).getValue())));
    return true;
  }

  static ConstantIntRanges widen(const ConstantIntRanges &range) {
    unsigned width = range.smin().getBitWidth();
    return ConstantIntRanges::fromSigned(
        range.smin().isNonNegative() ? APInt::getZero(width) : APInt::getSignedMinValue(width),
        APInt::getSignedMaxValue(width));
  }

  llvm::DenseMap<Value, IntegerValueRange> ranges;
  llvm::DenseMap<Value, unsigned> growths;
};

} // namespace

IndexRanges::IndexRanges(Operation *op) {
  RangeWalk walk;
  for (Region &region : op->getRegions())
    walk.visit(region);
  for (const auto &[value, range] : walk.getRanges())
    if (!range.isUninitialized())
      add(value, range.getValue());
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
