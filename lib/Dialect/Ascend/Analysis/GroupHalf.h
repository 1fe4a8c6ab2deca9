// One half of a mixed kernel as far as its flags for other cores go: its loops, which correspond to
// those of the other half.
#ifndef ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H
#define ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H

#include "SkewedLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>
#include <set>

namespace attn::ascend {

/// Numbers values such that those of two functions are the same wherever they have the same number:
/// computed by the same operations from the same arguments, in the same trips of loops around.
class ValueNumbers {
public:
  int64_t get(mlir::Value value) {
    if (auto known = numbers.find(value); known != numbers.end())
      return known->second;
    std::optional<Key> key = getKey(value);
    int64_t number = key ? keys.try_emplace(*key, next).first->second : next;
    next += number == next;
    return numbers[value] = number;
  }

private:
  using Key = std::vector<int64_t>;
  enum Source { Argument, Induction, Result };

  static int64_t fromPointer(const void *pointer) { return reinterpret_cast<intptr_t>(pointer); }

  std::optional<Key> getKey(mlir::Value value) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      mlir::Operation *owner = argument.getOwner()->getParentOp();
      if (llvm::isa<mlir::func::FuncOp>(owner))
        return Key{Argument, argument.getArgNumber()};
      auto loop = llvm::dyn_cast<mlir::scf::ForOp>(owner);
      if (!loop || argument != loop.getInductionVar())
        return std::nullopt;
      auto around = loop->getParentOfType<mlir::scf::ForOp>();
      return Key{Induction, get(loop.getLowerBound()), get(loop.getUpperBound()),
                 get(loop.getStep()), around ? get(around.getInductionVar()) : -1};
    }
    mlir::Operation *op = value.getDefiningOp();
    // What has no effect gives the same each time: nothing writes an index while it can be read.
    if (op->getNumRegions() != 0 || !mlir::isMemoryEffectFree(op))
      return std::nullopt;
    Key key{Result, fromPointer(op->getName().getAsOpaquePointer()),
            fromPointer(op->getPropertiesAsAttribute().getAsOpaquePointer()),
            static_cast<int64_t>(llvm::cast<mlir::OpResult>(value).getResultNumber())};
    for (mlir::Value operand : op->getOperands())
      key.push_back(get(operand));
    return key;
  }

  llvm::DenseMap<mlir::Value, int64_t> numbers;
  std::map<Key, int64_t> keys;
  int64_t next = 0;
};

/// A flag, a loop with flags, the three loops of one distance, or a condition with flags.
struct Part {
  mlir::Operation *op = nullptr;
  /// The loop, or the three of it.
  SkewedLoops loops = {};
  /// Those that run on, where the part is these, or the last of them.
  std::optional<RunningLoops> running = {};
  /// How many iterations the first of the three runs ahead.
  int64_t distance = 0;
  /// The numbers of a loop's bounds and step, or that of a condition.
  std::array<int64_t, 3> count = {-1, -1, -1};

  bool isFlag() const { return llvm::isa<CrossSetOp, CrossWaitOp>(op); }
  bool isLoop() const { return llvm::isa<mlir::scf::ForOp>(op); }
  bool isSkewed() const { return loops.fill || running; }
  /// What is left of an exchange after the loop around it.
  bool isLast() const { return running && running->last == op; }
};

int64_t getFlag(mlir::Operation *op) {
  auto set = llvm::dyn_cast<CrossSetOp>(op);
  return set ? set.getFlag() : llvm::cast<CrossWaitOp>(op).getFlag();
}

/// One half, as far as its flags for other cores go.
class Half {
public:
  Half(mlir::func::FuncOp function, ValueNumbers &numbers)
      : body(&function.getBody().front()), numbers(numbers) {
    function.walk([&](mlir::Operation *op) {
      if (!llvm::isa<CrossSetOp, CrossWaitOp>(op))
        return;
      ++uses[getFlag(op)];
      for (; op != function; op = op->getParentOp())
        holders.insert(op);
    });
    isKnown = mlir::succeeded(collect(*body));
  }

  /// Whether all control flow around flags is of a form that can be followed.
  bool isFollowed() const { return isKnown; }
  llvm::ArrayRef<Part> getParts(mlir::Block *block) const { return parts.find(block)->second; }
  mlir::Block *getBody() const { return body; }
  int64_t countUses(int64_t flag) const { return uses.lookup(flag); }
  int64_t getLongestDistance() const { return longestDistance; }
  /// Whether loops run on from trip to trip of the one around.
  bool runsOn() const { return hasRunning; }
  const std::set<std::array<int64_t, 3>> &getCounts() const { return counts; }

private:
  mlir::LogicalResult collect(mlir::Block &block) {
    llvm::SmallVector<Part> &found = parts[&block];
    llvm::SmallPtrSet<mlir::Operation *, 4> done;
    for (mlir::Operation &op : block) {
      if (!holders.contains(&op) || done.contains(&op))
        continue;
      Part part{&op};
      if (auto loop = llvm::dyn_cast<mlir::scf::ForOp>(op)) {
        if (mlir::failed(setLoops(loop, part)))
          return mlir::failure();
        for (mlir::scf::ForOp each : getLoops(part))
          if (!done.insert(each).second || mlir::failed(collect(*each.getBody())))
            return mlir::failure();
      } else if (auto condition = llvm::dyn_cast<mlir::scf::IfOp>(op)) {
        part.count = {numbers.get(condition.getCondition()), -1, -1};
        for (mlir::Block *way : {condition.thenBlock(), condition.elseBlock()})
          if (way && mlir::failed(collect(*way)))
            return mlir::failure();
      } else if (!part.isFlag()) {
        return mlir::failure();
      }
      if (!part.isFlag() && !part.isLast())
        counts.insert(part.count);
      found.push_back(part);
    }
    return mlir::success();
  }

  static llvm::SmallVector<mlir::scf::ForOp> getLoops(const Part &part) {
    if (part.isLast())
      return {part.running->last};
    if (part.running)
      return {part.running->before, part.running->mixed, part.running->fill, part.running->steady};
    if (part.isSkewed())
      return {part.loops.fill, part.loops.steady, part.loops.drain};
    return {part.loops.steady};
  }

  mlir::LogicalResult setLoops(mlir::scf::ForOp loop, Part &part) {
    part.running = findRunning(loop);
    if (part.running) {
      part.loops.steady = part.isLast() ? loop : part.running->steady;
      part.distance = part.running->distance;
      hasRunning = true;
      longestDistance = std::max(longestDistance, part.distance);
      part.count = {numbers.get(loop.getLowerBound()), numbers.get(part.running->total),
                    numbers.get(loop.getStep())};
      return mlir::success(part.isLast() || loop == part.running->before);
    }
    std::optional<SkewedLoops> skewed = findSkewed(loop, findLoopsBeside(loop).together);
    part.loops.steady = loop;
    mlir::Value upper = loop.getUpperBound();
    if (skewed) {
      part.loops = *skewed;
      upper = skewed->drain.getUpperBound();
      std::optional<int64_t> distance = getDistance(*skewed);
      if (loop != skewed->fill || !distance)
        return mlir::failure();
      part.distance = *distance;
      longestDistance = std::max(longestDistance, part.distance);
    }
    part.count = {numbers.get(loop.getLowerBound()), numbers.get(upper),
                  numbers.get(loop.getStep())};
    return mlir::success();
  }

  /// How many trips the first of three loops makes, unless there are fewer iterations.
  static std::optional<int64_t> getDistance(SkewedLoops loops) {
    for (mlir::scf::ForOp loop : {loops.fill, loops.steady, loops.drain})
      if (mlir::getConstantIntValue(loop.getStep()) != 1 ||
          (loop != loops.drain && mlir::getConstantIntValue(loop.getLowerBound()) != 0))
        return std::nullopt;
    mlir::Operation *least = loops.fill.getUpperBound().getDefiningOp();
    if (!llvm::isa_and_present<mlir::arith::MinSIOp, mlir::arith::MinUIOp>(least))
      return std::nullopt;
    mlir::Value total = loops.drain.getUpperBound();
    for (auto [one, other] : {std::pair(0, 1), std::pair(1, 0)})
      if (least->getOperand(one) == total)
        return mlir::getConstantIntValue(least->getOperand(other));
    return std::nullopt;
  }

  mlir::Block *body;
  ValueNumbers &numbers;
  llvm::DenseSet<mlir::Operation *> holders;
  llvm::DenseMap<int64_t, int64_t> uses;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<Part>> parts;
  std::set<std::array<int64_t, 3>> counts;
  int64_t longestDistance = 0;
  bool hasRunning = false;
  bool isKnown = false;
};

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_ANALYSIS_GROUPHALF_H
