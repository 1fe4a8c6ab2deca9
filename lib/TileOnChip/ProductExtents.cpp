// How many rows and columns of the sums of products cube cores compute (tile on the chip,
// analysis).
#include "attn/TileOnChip/ProductExtents.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

ProductExtents::ProductExtents(func::FuncOp kernel, const Placement &placement,
                               const RowLimits &limits)
    : placement(placement) {
  joinSums(kernel);
  limitSums(limits, Rows);
  limitSums(limits, Cols);
  widenOperands();
}

ArrayRef<Value> ProductExtents::getSpans(Value sums, Axis axis) const {
  auto leader = classes.findLeader(sums);
  if (leader == classes.member_end())
    return {};
  auto found = limited[axis].find(*leader);
  return found == limited[axis].end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

void ProductExtents::joinSums(func::FuncOp kernel) {
  auto join = [&](Value sums, Value other) {
    if (placement.isSums(sums) && placement.isSums(other))
      classes.unionSets(sums, other);
  };
  kernel.walk([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op); dot && placement.isOnCube(op)) {
      products.push_back(dot);
      classes.insert(dot.getResult());
      if (dot.getAcc())
        join(dot.getResult(), dot.getAcc());
    }
    if (auto range = dyn_cast<RangeOp>(op))
      for (auto [init, argument, next, result] :
           llvm::zip_equal(range.getInits(), range.getCarried(), range.getYield().getValues(),
                           range.getResults())) {
        join(argument, init);
        join(argument, next);
        join(argument, result);
      }
  });
}

static bool areSame(ArrayRef<Value> spans, ArrayRef<Value> others) {
  return spans.size() == others.size() &&
         llvm::all_of(spans, [&](Value span) { return llvm::is_contained(others, span); });
}

/// What a loop carries is limited by spans from around the loop only, so spans that all sums of a
/// class have are the same for all products that add to them.
void ProductExtents::limitSums(const RowLimits &limits, Axis axis) {
  auto getLimits = [&](Value sums) {
    return axis == Rows ? limits.getSpans(sums) : limits.getColumnSpans(sums);
  };
  for (const auto *member : classes) {
    if (!member->isLeader())
      continue;
    ArrayRef<Value> spans = getLimits(member->getData());
    if (!spans.empty() && llvm::all_of(classes.members(*member),
                                       [&](Value sums) { return areSame(getLimits(sums), spans); }))
      limited[axis][member->getData()].assign(spans.begin(), spans.end());
  }
  for (DotOp dot : products) {
    ArrayRef<Value> operand =
        axis == Rows ? limits.getLeftRowSpans(dot) : limits.getRightColumnSpans(dot);
    if (!areSame(getSpans(dot.getResult(), axis), operand))
      limited[axis].erase(classes.getLeaderValue(dot.getResult()));
  }
}

bool ProductExtents::widenOperand(DotOp dot, OpOperand &use) {
  if (isa_and_present<LoadOp, SplatOp>(use.get().getDefiningOp()))
    return false;
  bool isLeft = use.getOperandNumber() == dot.getAMutable().getOperandNumber();
  bool isTurned = isLeft ? dot.getTransposeA() : dot.getTransposeB();
  // Along k exactly as much is read as both operands have.
  Axis read = isLeft ? Rows : Cols, made = isLeft == isTurned ? Cols : Rows;
  Value sums = placement.getOutput(use.get()).sums;
  return getSpans(dot.getResult(), read).empty() && !getSpans(sums, made).empty() &&
         limited[made].erase(classes.getLeaderValue(sums));
}

void ProductExtents::widenOperands() {
  bool grows = true;
  while (grows) {
    grows = false;
    for (DotOp dot : products)
      for (OpOperand *use : {&dot.getAMutable(), &dot.getBMutable()})
        grows |= widenOperand(dot, *use);
  }
}
