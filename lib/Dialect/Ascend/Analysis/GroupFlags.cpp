// Runs the flags of both halves of a mixed kernel against each other, and finds what they tell.
//
// The halves were made of one kernel: a loop of one corresponds to a loop, or to three that fill,
// go on and drain, of the other, with as many iterations. What part of an iteration runs early and
// what late by some distance is the same in every iteration, and so is the order inside a turn.
// Call the turn of a flag's n-th set or wait n, plus the distance if it is late. Core A waits for
// flag f, the n-th time. B has raised it then, and before that has waited for those of A's flag g
// whose turn in B comes earlier: up to the m-th, where m - n depends on the two distances and
// places alone. From m - n follows how many turns of A lie between its set of g and its wait for f.
#include "attn/Dialect/Ascend/Analysis/GroupFlags.h"
#include "SkewedLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Numbers values such that those of two functions are the same wherever they have the same number:
/// computed by the same operations from the same arguments, in the same trips of loops around.
class ValueNumbers {
public:
  int64_t get(Value value) {
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

  std::optional<Key> getKey(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(owner))
        return Key{Argument, argument.getArgNumber()};
      auto loop = dyn_cast<scf::ForOp>(owner);
      if (!loop || argument != loop.getInductionVar())
        return std::nullopt;
      auto around = loop->getParentOfType<scf::ForOp>();
      return Key{Induction, get(loop.getLowerBound()), get(loop.getUpperBound()),
                 get(loop.getStep()), around ? get(around.getInductionVar()) : -1};
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

  DenseMap<Value, int64_t> numbers;
  std::map<Key, int64_t> keys;
  int64_t next = 0;
};

/// A flag, a loop with flags, the three loops of one distance, or a condition with flags.
struct Part {
  Operation *op = nullptr;
  /// The loop, or the three of it.
  SkewedLoops loops = {};
  /// How many iterations the first of the three runs ahead.
  int64_t distance = 0;
  /// The numbers of a loop's bounds and step, or that of a condition.
  std::array<int64_t, 3> count = {-1, -1, -1};

  bool isFlag() const { return isa<CrossSetOp, CrossWaitOp>(op); }
  bool isLoop() const { return isa<scf::ForOp>(op); }
  bool isSkewed() const { return static_cast<bool>(loops.fill); }
};

int64_t getFlag(Operation *op) {
  auto set = dyn_cast<CrossSetOp>(op);
  return set ? set.getFlag() : cast<CrossWaitOp>(op).getFlag();
}

/// One half, as far as its flags for other cores go.
class Half {
public:
  Half(func::FuncOp function, ValueNumbers &numbers)
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

  /// Whether all control flow around flags is of a form that can be followed.
  bool isFollowed() const { return isKnown; }
  ArrayRef<Part> getParts(Block *block) const { return parts.find(block)->second; }
  Block *getBody() const { return body; }
  int64_t countUses(int64_t flag) const { return uses.lookup(flag); }
  int64_t getLongestDistance() const { return longestDistance; }
  const std::set<std::array<int64_t, 3>> &getCounts() const { return counts; }

private:
  LogicalResult collect(Block &block) {
    SmallVector<Part> &found = parts[&block];
    llvm::SmallPtrSet<Operation *, 4> done;
    for (Operation &op : block) {
      if (!holders.contains(&op) || done.contains(&op))
        continue;
      Part part{&op};
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(setLoops(loop, part)))
          return failure();
        for (scf::ForOp each : {part.loops.fill, part.loops.steady, part.loops.drain})
          if (each && (!done.insert(each).second || failed(collect(*each.getBody()))))
            return failure();
      } else if (auto condition = dyn_cast<scf::IfOp>(op)) {
        part.count = {numbers.get(condition.getCondition()), -1, -1};
        for (Block *way : {condition.thenBlock(), condition.elseBlock()})
          if (way && failed(collect(*way)))
            return failure();
      } else if (!part.isFlag()) {
        return failure();
      }
      if (!part.isFlag())
        counts.insert(part.count);
      found.push_back(part);
    }
    return success();
  }

  LogicalResult setLoops(scf::ForOp loop, Part &part) {
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
    }
    part.count = {numbers.get(loop.getLowerBound()), numbers.get(upper),
                  numbers.get(loop.getStep())};
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

  Block *body;
  ValueNumbers &numbers;
  llvm::DenseSet<Operation *> holders;
  llvm::DenseMap<int64_t, int64_t> uses;
  llvm::DenseMap<Block *, SmallVector<Part>> parts;
  std::set<std::array<int64_t, 3>> counts;
  int64_t longestDistance = 0;
  bool isKnown = false;
};

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// How often loops run in a run of the flags. Loops around others run twice at most.
struct RunChoice {
  int64_t trips;
  /// One loop or condition that does not run.
  std::optional<std::array<int64_t, 3>> idle;
};

class GroupRun {
public:
  GroupRun(const Half &vector, const Half &cube, RunChoice choice)
      : choice(choice), sides{Side{vector.getBody()->getTerminator()->getLoc()},
                              Side{cube.getBody()->getTerminator()->getLoc()}} {
    collect(vector, vector.getBody(), sides[0].ops);
    collect(cube, cube.getBody(), sides[1].ops);
  }

  LogicalResult run() {
    bool goesOn = true;
    while (goesOn) {
      goesOn = false;
      for (auto [side, other] : {std::pair(&sides[0], &sides[1]), std::pair(&sides[1], &sides[0])})
        while (side->next < side->ops.size() && step(*side, *other))
          goesOn = true;
    }
    for (auto [side, other] : {std::pair(&sides[1], &sides[0]), std::pair(&sides[0], &sides[1])})
      if (side->next < side->ops.size())
        return reportHeld(*side, *other);
    for (auto [side, other] : {std::pair(&sides[1], &sides[0]), std::pair(&sides[0], &sides[1])})
      for (auto [flag, pending] : side->raised)
        if (pending > 0)
          return reportLeft(flag, *other);
    return success();
  }

private:
  struct Side {
    Location end;
    SmallVector<Operation *> ops = {};
    size_t next = 0;
    /// How often each flag is raised here and was not awaited yet.
    std::map<int64_t, int64_t> raised = {};
  };

  void collect(const Half &half, Block *block, SmallVectorImpl<Operation *> &ops) {
    for (const Part &part : half.getParts(block)) {
      if (part.isFlag()) {
        ops.push_back(part.op);
        continue;
      }
      bool isIdle = choice.idle == part.count;
      if (auto condition = dyn_cast<scf::IfOp>(part.op)) {
        if (Block *way = isIdle ? condition.elseBlock() : condition.thenBlock())
          collect(half, way, ops);
        continue;
      }
      auto isAround = [](const Part &inner) { return !inner.isFlag(); };
      SkewedLoops loops = part.loops;
      int64_t trips = isIdle ? 0 : choice.trips;
      if (llvm::any_of(half.getParts(loops.steady.getBody()), isAround))
        trips = std::min<int64_t>(trips, 2);
      int64_t ahead = part.isSkewed() ? std::min(trips, part.distance) : 0;
      auto repeat = [&](scf::ForOp loop, int64_t count) {
        for (int64_t trip = 0; trip < count; ++trip)
          collect(half, loop.getBody(), ops);
      };
      repeat(loops.fill, ahead);
      repeat(loops.steady, trips - ahead);
      repeat(loops.drain, ahead);
    }
  }

  static bool step(Side &side, Side &other) {
    Operation *op = side.ops[side.next];
    int64_t &raised = (isa<CrossSetOp>(op) ? other : side).raised[getFlag(op)];
    if (isa<CrossWaitOp>(op) && raised == 0)
      return false;
    raised += isa<CrossSetOp>(op) ? 1 : -1;
    ++side.next;
    return true;
  }

  StringRef getName(const Side &side) const {
    return &side == &sides[0] ? "a vector core" : "the cube core";
  }

  /// Attaches where `side` would raise the flag next.
  void noteSet(InFlightDiagnostic &error, const Side &side, int64_t flag) const {
    auto rest = ArrayRef(side.ops).drop_front(side.next);
    const auto *set = llvm::find_if(
        rest, [&](Operation *op) { return isa<CrossSetOp>(op) && getFlag(op) == flag; });
    if (set != rest.end())
      error.attachNote((*set)->getLoc())
          << getName(side) << " raises flag " << flag << " here, after that";
    else
      error.attachNote(side.end) << getName(side) << " does not raise flag " << flag << " any more";
  }

  LogicalResult reportHeld(const Side &side, const Side &other) const {
    Operation *wait = side.ops[side.next];
    InFlightDiagnostic error =
        wait->emitError() << "deadlock: " << getName(side) << " waits for flag " << getFlag(wait)
                          << " here, where loops have " << choice.trips << " trips";
    if (other.next == other.ops.size()) {
      noteSet(error, other, getFlag(wait));
      return error;
    }
    Operation *held = other.ops[other.next];
    error.attachNote(held->getLoc())
        << getName(other) << " waits for flag " << getFlag(held) << " here";
    noteSet(error, other, getFlag(wait));
    noteSet(error, side, getFlag(held));
    return error;
  }

  LogicalResult reportLeft(int64_t flag, const Side &by) const {
    Operation *last = nullptr;
    for (Operation *op : by.ops)
      if (isa<CrossSetOp>(op) && getFlag(op) == flag)
        last = op;
    return last->emitError() << "raises flag " << flag
                             << " more often than it is awaited, where loops have " << choice.trips
                             << " trips";
  }

  RunChoice choice;
  std::array<Side, 2> sides;
};

LogicalResult runFlags(const Half &vector, const Half &cube) {
  // Enough for a steady state of both, and for a turn after it.
  int64_t most = std::max(vector.getLongestDistance(), cube.getLongestDistance()) + 2;
  for (int64_t trips = 0; trips <= most; ++trips)
    if (failed(GroupRun(vector, cube, {trips, std::nullopt}).run()))
      return failure();
  for (const std::array<int64_t, 3> &idle : vector.getCounts())
    if (failed(GroupRun(vector, cube, {most, idle}).run()))
      return failure();
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

namespace attn::ascend {

/// Finds the loops of both halves that correspond, and what their waits tell.
class HalvesMatcher {
public:
  HalvesMatcher(const Half &vector, const Half &cube, GroupFlags &found)
      : halves{&vector, &cube}, found(found) {}

  void run() {
    if (failed(match(halves[0]->getBody(), halves[1]->getBody())))
      return;
    for (const Exchange &exchange : exchanges)
      for (int half : {0, 1})
        tell(exchange, half);
  }

private:
  /// Where a flag is raised or awaited in the loops of a half.
  struct Use {
    bool isSet;
    bool isLate;
    int64_t place;
    SmallVector<Operation *, 2> ops;
  };
  /// Loops of both halves that correspond, and their flags: those that each half uses once in every
  /// iteration.
  struct Exchange {
    std::array<Part, 2> parts;
    std::array<std::map<int64_t, Use>, 2> uses;
  };

  LogicalResult match(Block *vector, Block *cube);
  std::map<int64_t, Use> findUses(const Half &half, const Part &part) const;
  void tell(const Exchange &exchange, int half);

  std::array<const Half *, 2> halves;
  GroupFlags &found;
  std::vector<Exchange> exchanges;
};

} // namespace attn::ascend

/// Loops must follow each other in the same order. Flags outside of them count for nothing.
LogicalResult HalvesMatcher::match(Block *vector, Block *cube) {
  std::array<SmallVector<Part>, 2> loops;
  for (auto [list, half, block] : llvm::zip(loops, halves, std::array{vector, cube}))
    for (const Part &part : half->getParts(block)) {
      if (part.isFlag())
        continue;
      if (!part.isLoop())
        return failure();
      list.push_back(part);
    }
  if (loops[0].size() != loops[1].size())
    return failure();
  for (auto [one, other] : llvm::zip(loops[0], loops[1])) {
    if (one.count != other.count)
      return failure();
    auto holdsLoops = [](const Half &half, Part part) {
      return llvm::any_of(half.getParts(part.loops.steady.getBody()),
                          [](const Part &inner) { return !inner.isFlag(); });
    };
    bool isAround = holdsLoops(*halves[0], one);
    if (isAround != holdsLoops(*halves[1], other) ||
        (isAround && (one.isSkewed() || other.isSkewed())))
      return failure();
    if (isAround) {
      if (failed(match(one.loops.steady.getBody(), other.loops.steady.getBody())))
        return failure();
      continue;
    }
    Exchange &exchange = exchanges.emplace_back();
    exchange.parts = {one, other};
    for (int half : {0, 1})
      exchange.uses[half] = findUses(*halves[half], exchange.parts[half]);
    for (int half : {0, 1})
      for (auto use = exchange.uses[half].begin(); use != exchange.uses[half].end();) {
        auto counterpart = exchange.uses[1 - half].find(use->first);
        bool isPair = counterpart != exchange.uses[1 - half].end() &&
                      counterpart->second.isSet != use->second.isSet;
        use = isPair ? std::next(use) : exchange.uses[half].erase(use);
      }
  }
  return success();
}

/// The flags that a half uses once in every iteration of a loop, and nowhere else. None where the
/// loops of one distance do not have them in the same order.
std::map<int64_t, HalvesMatcher::Use> HalvesMatcher::findUses(const Half &half,
                                                              const Part &part) const {
  auto list = [&](scf::ForOp loop) {
    SmallVector<Operation *> ops;
    for (const Part &flag : loop ? half.getParts(loop.getBody()) : ArrayRef<Part>())
      ops.push_back(flag.op);
    return ops;
  };
  auto isAlike = [](Operation *one, Operation *other) {
    return one->getName() == other->getName() && getFlag(one) == getFlag(other);
  };
  SmallVector<Operation *> early = list(part.loops.fill), late = list(part.loops.drain);
  SmallVector<Operation *> steady = list(part.loops.steady);
  std::map<int64_t, Use> uses;
  size_t nextEarly = 0, nextLate = 0;
  for (auto [place, op] : llvm::enumerate(steady)) {
    Use use{isa<CrossSetOp>(op), false, static_cast<int64_t>(place), {op}};
    if (part.isSkewed()) {
      bool isEarly = nextEarly < early.size() && isAlike(early[nextEarly], op);
      bool isLate = nextLate < late.size() && isAlike(late[nextLate], op);
      if (isEarly == isLate)
        return {};
      use.isLate = isLate;
      use.ops.push_back(isLate ? late[nextLate++] : early[nextEarly++]);
    }
    if (half.countUses(getFlag(op)) == static_cast<int64_t>(use.ops.size()))
      uses.emplace(getFlag(op), std::move(use));
  }
  if (nextEarly != early.size() || nextLate != late.size())
    return {};
  return uses;
}

/// Notes what the waits of one half in an exchange tell.
void HalvesMatcher::tell(const Exchange &exchange, int half) {
  const auto &own = exchange.uses[half], &others = exchange.uses[1 - half];
  int64_t ownDistance = exchange.parts[half].distance;
  int64_t otherDistance = exchange.parts[1 - half].distance;
  for (const auto &[flag, wait] : own) {
    if (wait.isSet)
      continue;
    const Use &answer = others.at(flag);
    GroupFlags::HeardPairs pairs;
    for (const Exchange &any : exchanges)
      for (const auto &[told, set] : any.uses[half]) {
        if (!set.isSet)
          continue;
        int64_t turns = -1;
        if (&any == &exchange) {
          const Use &awaited = others.at(told);
          int64_t iterations = otherDistance * (awaited.isLate - answer.isLate) +
                               (awaited.place < answer.place ? 0 : 1);
          turns = std::max<int64_t>(0, iterations + ownDistance * (wait.isLate - set.isLate));
        }
        pairs.append({told, turns});
      }
    for (Operation *op : wait.ops)
      found.heard[cast<CrossWaitOp>(op)] = pairs;
  }
}

FailureOr<GroupFlags> GroupFlags::make(func::FuncOp vectorHalf, func::FuncOp cubeHalf) {
  GroupFlags flags;
  ValueNumbers numbers;
  Half vector(vectorHalf, numbers), cube(cubeHalf, numbers);
  if (!vector.isFollowed() || !cube.isFollowed() || vector.getCounts() != cube.getCounts())
    return flags;
  if (failed(runFlags(vector, cube)))
    return failure();
  HalvesMatcher(vector, cube, flags).run();
  return flags;
}
