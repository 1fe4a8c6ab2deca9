// Finds the loops that belong together.
#include "SkewedLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn::ascend;

LoopsBeside attn::ascend::findLoopsBeside(scf::ForOp loop) {
  LoopsBeside found;
  SmallVector<scf::ForOp> loops;
  auto close = [&] {
    llvm::append_range(llvm::is_contained(loops, loop) ? found.together : found.apart, loops);
    loops.clear();
  };
  for (auto beside : loop->getBlock()->getOps<scf::ForOp>()) {
    if (beside->hasAttr("ascend.settled"))
      close();
    loops.push_back(beside);
  }
  close();
  return found;
}

std::optional<SkewedLoops> attn::ascend::findSkewed(scf::ForOp loop, ArrayRef<scf::ForOp> beside) {
  for (scf::ForOp steady : beside) {
    auto rest = steady.getUpperBound().getDefiningOp<arith::SubIOp>();
    if (!rest)
      continue;
    SkewedLoops skewed{{}, steady, {}};
    for (scf::ForOp other : beside) {
      if (other.getUpperBound() == rest.getRhs())
        skewed.fill = other;
      if (other.getLowerBound() == rest.getResult() && other.getUpperBound() == rest.getLhs())
        skewed.drain = other;
    }
    if (skewed.fill && skewed.drain &&
        llvm::is_contained({skewed.fill, skewed.steady, skewed.drain}, loop))
      return skewed;
  }
  return std::nullopt;
}

/// The other operand of the smaller of two, one of which is given.
static Value getSmallerOf(Value least, Value one) {
  auto op = least.getDefiningOp<arith::MinSIOp>();
  if (!op || (op.getLhs() != one && op.getRhs() != one))
    return {};
  return op.getLhs() == one ? op.getRhs() : op.getLhs();
}

/// What `difference` is less than by `amount`.
static Value getMinuend(Value difference, Value amount) {
  auto op = difference ? difference.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return op && op.getRhs() == amount ? op.getLhs() : Value();
}

/// The loop that makes so many trips, from 0 on.
static scf::ForOp findLoop(Block &block, llvm::function_ref<bool(Value)> isCount) {
  for (auto loop : block.getOps<scf::ForOp>())
    if (getConstantIntValue(loop.getLowerBound()) == 0 &&
        getConstantIntValue(loop.getStep()) == 1 && isCount(loop.getUpperBound()))
      return loop;
  return {};
}

/// The loops of which one fills and one goes on steadily, where they run on.
static std::optional<RunningLoops> matchRunning(scf::ForOp fill, scf::ForOp steady) {
  auto around = dyn_cast<scf::ForOp>(steady->getParentOp());
  Value filled = fill.getUpperBound(), rest = getMinuend(steady.getUpperBound(), filled);
  auto left = rest ? rest.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  Value room = left ? getSmallerOf(filled, rest) : Value();
  if (!around || !room)
    return std::nullopt;
  RunningLoops found{{}, {}, fill, steady, {}, left.getLhs()};
  Value both = left.getRhs();
  std::optional<int64_t> distance, across;
  if (Value ahead = getMinuend(room, both))
    distance = getConstantIntValue(ahead);
  Value first = getSmallerOf(both, found.total);
  auto limited = first ? first.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  auto waiting = limited ? dyn_cast<BlockArgument>(limited.getLhs()) : BlockArgument();
  if (limited)
    across = getConstantIntValue(limited.getRhs());
  if (!distance || !across || !waiting || waiting.getOwner() != around.getBody() ||
      waiting == around.getInductionVar() ||
      getConstantIntValue(around.getTiedLoopInit(waiting)->get()) != 0)
    return std::nullopt;
  auto next = around.getTiedLoopYieldedValue(waiting)->get().getDefiningOp<arith::AddIOp>();
  if (!next || !llvm::is_contained(next->getOperands(), both) ||
      !llvm::is_contained(next->getOperands(), filled))
    return std::nullopt;
  Value after = around.getTiedLoopResult(waiting);
  found.distance = *distance;
  found.across = *across;
  found.before =
      findLoop(*around.getBody(), [&](Value count) { return getMinuend(count, both) == waiting; });
  found.mixed = findLoop(*around.getBody(), [&](Value count) { return count == both; });
  found.last = findLoop(*around->getBlock(), [&](Value count) { return count == after; });
  if (!found.before || !found.mixed || !found.last)
    return std::nullopt;
  return found;
}

std::optional<RunningLoops> attn::ascend::findRunning(scf::ForOp loop) {
  // The last one lies beside the loop around the others.
  auto around = loop.getUpperBound().getDefiningOp<scf::ForOp>();
  Block *block = around ? around.getBody() : loop->getBlock();
  for (auto steady : block->getOps<scf::ForOp>())
    for (auto fill : block->getOps<scf::ForOp>())
      if (std::optional<RunningLoops> found = matchRunning(fill, steady);
          found && llvm::is_contained(found->getAll(), loop))
        return found;
  return std::nullopt;
}
