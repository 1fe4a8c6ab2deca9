// Runs the flags of both halves of a mixed kernel against each other, and finds what they tell.
//
// The halves were made of one kernel: a loop of one corresponds to a loop, or to three that fill,
// go on and drain, of the other, with as many iterations. What part of an iteration runs early and
// what late by some distance is the same in every iteration, and so is the order inside a turn.
// Call the turn of a flag's n-th set or wait n, plus the distance if it is late. Core A waits for
// flag f, the n-th time. B has raised it then, and before that has waited for those of A's flag g
// whose turn in B comes earlier: up to the m-th, where m - n depends on the two distances and
// places alone. From m - n follows how many turns of A lie between its set of g and its wait for f.
//
// Where the cube core runs on from trip to trip of a loop around (`RunningLoops`), sets and waits
// go on as if they were those of one loop, but not every turn has both. No more iterations wait
// than the distance, so that the last sets of g of which B may not have heard are no more than the
// turns would be: it is these that are counted. Vector cores finish each trip, and the flags of the
// next one tell at least what they would tell if it were the first.
#include "attn/Dialect/Ascend/Analysis/GroupFlags.h"
#include "GroupHalf.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// How often loops run in a run of the flags. Loops around others run twice at most, and what is in
/// them may run another number of times the second time.
struct RunChoice {
  int64_t trips, laterTrips;
  /// One loop or condition that does not run.
  std::optional<std::array<int64_t, 3>> idle;
};

class GroupRun {
public:
  /// What would take more flags than that is not followed.
  static constexpr size_t mostFlags = 1 << 16;

  GroupRun(const Half &vector, const Half &cube, RunChoice choice)
      : choice(choice), sides{Side{vector.getBody()->getTerminator()->getLoc()},
                              Side{cube.getBody()->getTerminator()->getLoc()}} {
    collect(vector, vector.getBody(), sides[0].ops);
    collect(cube, cube.getBody(), sides[1].ops);
  }

  LogicalResult run() {
    if (llvm::any_of(sides, [](const Side &side) { return side.ops.size() > mostFlags; }))
      return success();
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

  /// Where cube cores run on, the number of iterations that wait goes from trip to trip.
  void collectRunning(const Half &half, const RunningLoops &loops, int64_t trips,
                      SmallVectorImpl<Operation *> &ops) {
    int64_t both = std::min({waiting, loops.across, trips});
    int64_t filled = std::min(trips - both, loops.distance - both);
    auto repeat = [&](scf::ForOp loop, int64_t count) {
      for (int64_t trip = 0; trip < count; ++trip)
        collect(half, loop.getBody(), ops);
    };
    repeat(loops.before, waiting - both);
    repeat(loops.mixed, both);
    repeat(loops.fill, filled);
    repeat(loops.steady, trips - both - filled);
    waiting = both + filled;
  }

  void collect(const Half &half, Block *block, SmallVectorImpl<Operation *> &ops) {
    for (const HalfPart &part : half.getParts(block)) {
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
      auto isAround = [](const HalfPart &inner) { return !inner.isFlag(); };
      SkewedLoops loops = part.loops;
      bool holdsLoops = llvm::any_of(half.getParts(loops.steady.getBody()), isAround);
      int64_t trips = isIdle ? 0 : isLater ? choice.laterTrips : choice.trips;
      if (part.trips)
        trips = *part.trips;
      else if (holdsLoops)
        trips = isIdle ? 0 : std::min<int64_t>(2, std::max(choice.trips, choice.laterTrips));
      if (part.running && !part.isLast()) {
        collectRunning(half, *part.running, trips, ops);
        continue;
      }
      if (part.isLast())
        trips = std::exchange(waiting, 0);
      int64_t ahead = part.isSkewed() && !part.isLast() ? std::min(trips, part.distance) : 0;
      auto repeat = [&](scf::ForOp loop, int64_t count) {
        for (int64_t trip = 0; trip < count && ops.size() <= mostFlags; ++trip) {
          isLater = holdsLoops && trip > 0 ? true : isLater;
          collect(half, loop.getBody(), ops);
        }
      };
      repeat(loops.fill, ahead);
      repeat(loops.steady, trips - ahead);
      repeat(loops.drain, ahead);
      isLater = isLater && !holdsLoops;
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
  /// While ops are collected: whether a loop around runs again, and the iterations that wait.
  bool isLater = false;
  int64_t waiting = 0;
};

LogicalResult runFlags(const Half &vector, const Half &cube) {
  // Enough for a steady state of both, and for a turn after it.
  int64_t most = std::max(vector.getLongestDistance(), cube.getLongestDistance()) + 2;
  // What runs on from trip to trip meets other numbers of iterations there.
  for (int64_t trips = 0; trips <= most; ++trips)
    for (int64_t later = cube.runsOn() ? 0 : trips; later <= (cube.runsOn() ? most : trips);
         ++later)
      if (failed(GroupRun(vector, cube, {trips, later, std::nullopt}).run()))
        return failure();
  for (const std::array<int64_t, 3> &idle : vector.getCounts())
    if (failed(GroupRun(vector, cube, {most, most, idle}).run()))
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
    std::array<HalfPart, 2> parts;
    std::array<std::map<int64_t, Use>, 2> uses;
  };

  LogicalResult match(Block *vector, Block *cube);
  std::map<int64_t, Use> findUses(const Half &half, const HalfPart &part) const;
  bool endsInSet(const Exchange &exchange) const;
  void tell(const Exchange &exchange, int half);

  std::array<const Half *, 2> halves;
  GroupFlags &found;
  std::vector<Exchange> exchanges;
};

} // namespace attn::ascend

/// Loops must follow each other in the same order. Flags outside of them count for nothing.
LogicalResult HalvesMatcher::match(Block *vector, Block *cube) {
  std::array<SmallVector<HalfPart>, 2> loops;
  for (auto [list, half, block] : llvm::zip(loops, halves, std::array{vector, cube}))
    for (const HalfPart &part : half->getParts(block)) {
      if (part.isFlag() || part.isLast())
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
    auto holdsLoops = [](const Half &half, HalfPart part) {
      return llvm::any_of(half.getParts(part.loops.steady.getBody()),
                          [](const HalfPart &inner) { return !inner.isFlag(); });
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
    if (one.running || (other.running && !endsInSet(exchange)))
      exchanges.pop_back();
  }
  return success();
}

static bool isAlike(Operation *one, Operation *other) {
  return one->getName() == other->getName() && getFlag(one) == getFlag(other);
}

static bool areAlike(ArrayRef<Operation *> some, ArrayRef<Operation *> others) {
  return some.size() == others.size() && llvm::all_of(llvm::zip(some, others), [](auto pair) {
           return isAlike(std::get<0>(pair), std::get<1>(pair));
         });
}

/// The flags that a half uses once in every iteration of a loop, and nowhere else. None where the
/// loops of one distance do not have them in the same order.
std::map<int64_t, HalvesMatcher::Use> HalvesMatcher::findUses(const Half &half,
                                                              const HalfPart &part) const {
  auto list = [&](scf::ForOp loop) {
    SmallVector<Operation *> ops;
    for (const HalfPart &flag : loop ? half.getParts(loop.getBody()) : ArrayRef<HalfPart>())
      ops.push_back(flag.op);
    return ops;
  };
  RunningLoops running = part.running.value_or(RunningLoops());
  SmallVector<Operation *> steady = list(part.loops.steady);
  SmallVector<Operation *> early = list(part.running ? running.fill : part.loops.fill);
  SmallVector<Operation *> late = list(part.running ? running.last : part.loops.drain);
  SmallVector<Operation *> before = list(running.before), mixed = list(running.mixed);
  if (part.running && (!areAlike(before, late) || !areAlike(mixed, steady)))
    return {};
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
      if (part.running)
        use.ops.push_back(mixed[place]);
      if (part.running && isLate)
        use.ops.push_back(before[nextLate]);
      use.ops.push_back(isLate ? late[nextLate++] : early[nextEarly++]);
    }
    if (half.countUses(getFlag(op)) == static_cast<int64_t>(use.ops.size()))
      uses.emplace(getFlag(op), std::move(use));
  }
  if (nextEarly != early.size() || nextLate != late.size())
    return {};
  return uses;
}

/// Whether the last that the cube core does in an iteration is to raise a flag that vector cores
/// await: when these have finished a trip of the loop around, it has awaited all of their flags.
bool HalvesMatcher::endsInSet(const Exchange &exchange) const {
  scf::ForOp steady = exchange.parts[1].loops.steady;
  Operation *last = halves[1]->getParts(steady.getBody()).back().op;
  return isa<CrossSetOp>(last) && exchange.uses[1].count(getFlag(last)) != 0;
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
          // Turns of loops that run on do not all have both: these are counted by sets.
          if (exchange.parts[half].running && wait.isLate == set.isLate && wait.place < set.place)
            turns = std::max<int64_t>(0, turns - 1);
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
