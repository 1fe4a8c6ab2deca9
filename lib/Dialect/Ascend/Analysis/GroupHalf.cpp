// Finds the loops, conditions and flags for other cores in a half of a mixed kernel.
#include "GroupHalf.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn::ascend;

int64_t ValueNumbers::get(Value value) {
  if (auto known = numbers.find(value); known != numbers.end())
    return known->second;
  std::optional<Key> key = getKey(value);
  int64_t number = key ? keys.try_emplace(*key, next).first->second : next;
  next += number == next;
  return numbers[value] = number;
}

std::optional<ValueNumbers::Key> ValueNumbers::getKey(Value value) {
  enum Source { Argument, Induction, Result };
  auto fromPointer = [](const void *pointer) -> int64_t {
    return reinterpret_cast<intptr_t>(pointer);
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(owner))
      return Key{Argument, argument.getArgNumber()};
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || argument != loop.getInductionVar())
      return std::nullopt;
    auto around = loop->getParentOfType<scf::ForOp>();
    return Key{Induction, get(loop.getLowerBound()), get(loop.getUpperBound()), get(loop.getStep()),
               around ? get(around.getInductionVar()) : -1};
  }
  Operation *op = value.getDefiningOp();
  // What has no effect gives the same each time: nothing writes an index while it can be read.
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return std::nullopt;
  Key key{Result, fromPointer(op->getName().getAsOpaquePointer()),
          fromPointer(op->getPropertiesAsAttribute().getAsOpaquePointer()),
          static_cast<int64_t>(cast<OpResult>(value).getResultNumber())};
  for (Value operand : op->getOperands())
    key.push_back(get(operand));
  return key;
}

int64_t attn::ascend::getFlag(Operation *op) {
  auto set = dyn_cast<CrossSetOp>(op);
  return set ? set.getFlag() : cast<CrossWaitOp>(op).getFlag();
}

Half::Half(func::FuncOp function, ValueNumbers &numbers)
    : body(&function.getBody().front()), numbers(numbers) {
  function.walk([&](Operation *op) {
    if (!isa<CrossSetOp, CrossWaitOp>(op))
      return;
    ++uses[getFlag(op)];
    for (; op != function; op = op->getParentOp())
      holders.insert(op);
  });
  isKnown = succeeded(collect(*body));
}

static SmallVector<scf::ForOp> getLoops(const HalfPart &part) {
  if (part.isLast())
    return {part.running->last};
  if (part.running)
    return {part.running->before, part.running->mixed, part.running->fill, part.running->steady};
  if (part.isSkewed())
    return {part.loops.fill, part.loops.steady, part.loops.drain};
  return {part.loops.steady};
}

LogicalResult Half::collect(Block &block) {
  SmallVector<HalfPart> found;
  llvm::SmallPtrSet<Operation *, 4> done;
  for (Operation &op : block) {
    if (!holders.contains(&op) || done.contains(&op))
      continue;
    HalfPart part{&op};
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(setLoops(loop, part)))
        return failure();
      for (scf::ForOp each : getLoops(part))
        if (!done.insert(each).second || failed(collect(*each.getBody())))
          return failure();
    } else if (auto condition = dyn_cast<scf::IfOp>(op)) {
      part.count = {numbers.get(condition.getCondition()), -1, -1};
      for (Block *way : {condition.thenBlock(), condition.elseBlock()})
        if (way && failed(collect(*way)))
          return failure();
    } else if (!part.isFlag()) {
      return failure();
    }
    if (!part.isFlag() && !part.isLast() && !part.trips)
      counts.insert(part.count);
    found.push_back(part);
  }
  parts[&block] = std::move(found);
  return success();
}

/// How many trips the first of three loops makes, unless there are fewer iterations.
static std::optional<int64_t> getDistance(SkewedLoops loops) {
  for (scf::ForOp loop : {loops.fill, loops.steady, loops.drain})
    if (getConstantIntValue(loop.getStep()) != 1 ||
        (loop != loops.drain && getConstantIntValue(loop.getLowerBound()) != 0))
      return std::nullopt;
  Operation *least = loops.fill.getUpperBound().getDefiningOp();
  if (!isa_and_present<arith::MinSIOp, arith::MinUIOp>(least))
    return std::nullopt;
  Value total = loops.drain.getUpperBound();
  for (auto [one, other] : {std::pair(0, 1), std::pair(1, 0)})
    if (least->getOperand(one) == total)
      return getConstantIntValue(least->getOperand(other));
  return std::nullopt;
}

LogicalResult Half::setLoops(scf::ForOp loop, HalfPart &part) {
  part.running = findRunning(loop);
  if (part.running) {
    part.loops.steady = part.isLast() ? loop : part.running->steady;
    part.distance = part.running->distance;
    hasRunning = true;
    longestDistance = std::max(longestDistance, part.distance);
    part.count = {numbers.get(loop.getLowerBound()), numbers.get(part.running->total),
                  numbers.get(loop.getStep())};
    return success(part.isLast() || loop == part.running->before);
  }
  std::optional<SkewedLoops> skewed = findSkewed(loop, findLoopsBeside(loop).together);
  part.loops.steady = loop;
  Value upper = loop.getUpperBound();
  if (skewed) {
    part.loops = *skewed;
    upper = skewed->drain.getUpperBound();
    std::optional<int64_t> distance = getDistance(*skewed);
    if (loop != skewed->fill || !distance)
      return failure();
    part.distance = *distance;
    longestDistance = std::max(longestDistance, part.distance);
  } else if (std::optional<APInt> trips = loop.getStaticTripCount()) {
    part.trips = trips->getSExtValue();
  }
  part.count = {numbers.get(loop.getLowerBound()), numbers.get(upper), numbers.get(loop.getStep())};
  return success();
}
