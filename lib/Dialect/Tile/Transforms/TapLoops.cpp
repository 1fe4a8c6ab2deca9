// Joins loops over taps that do not need each other (tile stage).
#include "TapLoops.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static bool runOverTheSame(RangeOp first, RangeOp second) {
  auto isSame = [](Value one, Value other) {
    return isEqualConstantIntOrValue(getAsOpFoldResult(one), getAsOpFoldResult(other));
  };
  return first->getBlock() == second->getBlock() && isSame(first.getLower(), second.getLower()) &&
         isSame(first.getUpper(), second.getUpper()) && first.getStages() == second.getStages();
}

/// Whether something from `first` up to `last`, an op of the same block, writes `array`.
static bool isWrittenBetween(Value array, Operation *first, Operation *last) {
  auto writes = [&](Operation *op) {
    bool mayWrite = op->getNumRegions() == 0 && !isa<LoadOp>(op) && !isMemoryEffectFree(op);
    return mayWrite && llvm::is_contained(op->getOperands(), array);
  };
  for (Operation *op = first; op != last; op = op->getNextNode()) {
    WalkResult result = op->walk([&](Operation *inner) {
      return writes(inner) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

/// Whether the body of `second` does the same where `first` is: it writes nothing, and nothing in
/// between writes what it reads.
static bool mayRunAt(RangeOp first, RangeOp second) {
  WalkResult result = second.getBody().walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    bool stays = load ? isWrittenBetween(load.getArray(), first, second) : !isMemoryEffectFree(op);
    return stays ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// The ops after `first` that `second` needs, all of which can move before `first`; none where it
/// needs `first` itself or something that has to stay where it is.
static std::optional<SetVector<Operation *>> collectNeeded(RangeOp first, RangeOp second) {
  SetVector<Value> values;
  getUsedValuesDefinedAbove(second.getBody(), values);
  values.insert(second->operand_begin(), second->operand_end());
  SetVector<Operation *> needed;
  for (size_t next = 0; next < values.size(); ++next) {
    Operation *op = values[next].getDefiningOp();
    if (!op || op->getBlock() != first->getBlock() || op->isBeforeInBlock(first))
      continue;
    auto load = dyn_cast<LoadOp>(op);
    bool mayMove = load ? !isWrittenBetween(load.getArray(), first, load) : isPure(op);
    if (op == first || op->getNumRegions() != 0 || !mayMove)
      return std::nullopt;
    needed.insert(op);
    values.insert(op->operand_begin(), op->operand_end());
  }
  return needed;
}

/// A loop in the place of `first` that does what both do.
static RangeOp join(RangeOp first, RangeOp second) {
  OpBuilder builder(first);
  SmallVector<Value> inits(first.getInitArgs()), yielded;
  llvm::append_range(inits, second.getInitArgs());
  auto joined = RangeOp::create(builder, first.getLoc(), TypeRange(ValueRange(inits)),
                                first.getLower(), first.getUpper(), inits, first.getBlockAttr(),
                                first.getStages(), /*parallel=*/false);
  Block &body = joined.getBody().emplaceBlock();
  Value tap = body.addArgument(builder.getIndexType(), first.getLoc());
  size_t results = 0;
  for (RangeOp loop : {first, second}) {
    Block &from = loop.getBody().front();
    loop.getInductionVar().replaceAllUsesWith(tap);
    for (BlockArgument carried : loop.getCarried())
      carried.replaceAllUsesWith(body.addArgument(carried.getType(), carried.getLoc()));
    llvm::append_range(yielded, loop.getYield().getOperands());
    loop.getYield().erase();
    body.getOperations().splice(body.end(), from.getOperations());
    loop.replaceAllUsesWith(joined.getResults().slice(results, loop.getNumResults()));
    results += loop.getNumResults();
    loop.erase();
  }
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, joined.getLoc(), yielded);
  return joined;
}

void tile::joinTapLoops(ArrayRef<RangeOp> loops) {
  SmallVector<RangeOp> left(loops);
  for (size_t first = 0; first < left.size(); ++first)
    for (size_t second = first + 1; second < left.size();) {
      bool mayJoin =
          runOverTheSame(left[first], left[second]) && mayRunAt(left[first], left[second]);
      std::optional<SetVector<Operation *>> needed =
          mayJoin ? collectNeeded(left[first], left[second]) : std::nullopt;
      if (!needed) {
        ++second;
        continue;
      }
      for (Operation *op : topologicalSort(*needed))
        op->moveBefore(left[first]);
      left[first] = join(left[first], left[second]);
      left.erase(left.begin() + second);
    }
}
