// Which loops run as often as numbers from memory or arguments say (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/LoopCounts.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// How many ops a value is followed back.
static constexpr int64_t mostSteps = 24;

LoopCounts::LoopCounts(func::FuncOp kernel)
    : indices(kernel, MemoryIndices::Sources::MemoryAndArguments) {}

/// Whether each iteration takes a part of an array at the index of the loop; a list of blocks has
/// fewer entries than they have rows.
static bool takesOwnIndex(RangeOp range) {
  return llvm::any_of(range.getInductionVar().getUses(), [&](OpOperand &use) {
    auto list = dyn_cast<ListRowsOp>(use.getOwner());
    return use.getOwner()->getParentOp() == range &&
           isa<LoadOp, StoreOp, LoadIndexOp, ListRowsOp>(use.getOwner()) &&
           !(list && list.getSize());
  });
}

/// A block's share of a grid, whose tiles are counted before the launch.
static bool isShare(RangeOp range) {
  auto quotient = range.getUpper().getDefiningOp<arith::DivUIOp>();
  return quotient && quotient.getRhs().getDefiningOp<BlockCountOp>();
}

bool LoopCounts::isOpen(RangeOp range) const {
  return !isShare(range) && !takesOwnIndex(range) &&
         !(isLimited(range.getUpper(), Side::Above) && isLimited(range.getLower(), Side::Below));
}

Value LoopCounts::getSource(RangeOp range) const {
  Value source = findSource(range.getUpper());
  return source ? source : findSource(range.getLower());
}

Value LoopCounts::findSource(Value value) const {
  if (!indices.contains(value))
    return {};
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<LoadIndexOp>(op))
    return load.getArray();
  auto argument = dyn_cast<BlockArgument>(value);
  if (auto range = argument ? dyn_cast<RangeOp>(argument.getOwner()->getParentOp()) : RangeOp()) {
    if (argument == range.getInductionVar())
      return getSource(range);
    return findSource(range.getInits()[argument.getArgNumber() - 1]);
  }
  if (!op)
    return value;
  for (Value operand : op->getOperands())
    if (Value source = findSource(operand))
      return source;
  return {};
}

/// Whether sizes of arrays and numbers of the kernel limit a value on one side.
bool LoopCounts::isLimited(Value value, Side side, int64_t depth) const {
  if (!indices.contains(value))
    return true;
  if (++depth > mostSteps)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto range = dyn_cast<RangeOp>(argument.getOwner()->getParentOp());
    return range && argument == range.getInductionVar() &&
           isLimited(side == Side::Above ? range.getUpper() : range.getLower(), side, depth);
  }
  return isResultLimited(value.getDefiningOp(), side, depth);
}

bool LoopCounts::isBoundLimited(BoundIndexOp bound, Side side, int64_t depth) const {
  bool isOwnSide = bound.getKind() == BoundKind::Index ||
                   (bound.getKind() == BoundKind::End) == (side == Side::Above);
  return isOwnSide || isLimited(bound.getIndex(), side, depth);
}

bool LoopCounts::isResultLimited(Operation *op, Side side, int64_t depth) const {
  auto isOperandLimited = [&](unsigned operand, Side side) {
    return isLimited(op->getOperand(operand), side, depth);
  };
  if (auto load = dyn_cast<LoadIndexOp>(op))
    return load.getArray().getType().getElementType().isUnsignedInteger(16);
  if (auto bound = dyn_cast<BoundIndexOp>(op))
    return isBoundLimited(bound, side, depth);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    bool isEither = isa<arith::MinSIOp>(op) == (side == Side::Above);
    bool left = isOperandLimited(0, side), right = isOperandLimited(1, side);
    return isEither ? left || right : left && right;
  }
  if (isa<arith::AddIOp>(op))
    return isOperandLimited(0, side) && isOperandLimited(1, side);
  if (isa<arith::SubIOp>(op))
    return isOperandLimited(0, side) && isOperandLimited(1, opposite(side));
  if (isa<arith::MulIOp>(op))
    return isLimitedBothWays(op->getOperand(0), depth) &&
           isLimitedBothWays(op->getOperand(1), depth);
  // Blocks and tiles of a grid have no sign; a rest is below its divisor.
  if (isa<arith::RemUIOp>(op))
    return side == Side::Below || isOperandLimited(1, side);
  // A quotient lies at most as far from 0 as its dividend; by a size, it has its sign.
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp, arith::CeilDivUIOp,
          arith::DivUIOp>(op))
    return isLimitedBothWays(op->getOperand(0), depth) ||
           (!indices.contains(op->getOperand(1)) && isOperandLimited(0, side));
  return false;
}
