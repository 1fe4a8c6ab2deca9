// How often the loops of a trace run.
//
// Two trips show all that a loop does whose trips touch the same bytes. An instruction Y of trip
// i + 2 that must wait for X of trip i meets the same bytes of X in trip i + 1, and pipes start
// their instructions in order, so that to wait for the later X is to wait for both. What a pipe
// knows of the trip before comes from flags and barriers of these two trips and grows with the
// number of trips before: an order that holds from the first trip to the second holds from each to
// the next. That is why what is implied in two trips may be left out.
//
// Four things make trips differ:
// - Slots that the loop itself moves on, k of them, come back after k trips: k + 1 show it. A loop
//   around, through which the counter only runs on, needs none of that: its trips go through the
//   inner loop's flags, slot by slot, however many slots each of them takes.
// - A condition may hold in one trip and not in the next: with three, each way follows the other.
//   What uses slots inside it may meet itself only when they come back, while an order that is made
//   inside it lacks in the trips between: those go each way, whatever way both ends go.
// - So may a loop run in one trip and not in the next, where each finds its count: with three, one
//   lies between two that run.
// - Places that move with the trips, in a buffer or in an array that the kernel writes, may meet
//   only places two trips away. The third stands for those, and in buffers for all that follow.
//
// Loops may also run less often, or not at all. What is done is known through flags and barriers
// that come after it, so that a loop with few trips makes a difference only where it lies between
// the two ends of a dependence. Of the other loops there, the last use of each slot before and the
// first after are all that counts: they run one trip less than in full. Nor does anything count
// from which the loop is cut off by a place where all pipes come to rest (`ascend.settled`). What
// follows such a place begins again in each trip of the loop around: one shows it, and what the
// loop around does next, up to where pipes rest again. A vector core that has no rows runs none of
// the loops over them: those stay idle together.
//
// Loops that run on from one trip of the loop around to the next (`RunningLoops`) each run or not
// in every combination: two of them, of one trip or of two, must be in order though nothing else
// runs.
//
// A wait for other cores tells of flags that were raised some turns before, or before its loop was
// come to. To leave trips out brings turns closer together: what a trace is told of, a run is.
#include "KernelFacts.h"
#include "SkewedLoops.h"
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

/// The loops that choose another slot from trip to trip by their own body, for an index of slots.
static SmallVector<scf::ForOp> findAdvancingLoops(Value index) {
  SmallVector<scf::ForOp> loops;
  SmallVector<Value> worklist = {index};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      Operation *source = value.getDefiningOp();
      if (auto loop = dyn_cast<scf::ForOp>(source))
        worklist.push_back(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
      if (auto condition = dyn_cast<scf::IfOp>(source))
        for (scf::YieldOp yield : {condition.thenYield(), condition.elseYield()})
          worklist.push_back(yield.getOperand(cast<OpResult>(value).getResultNumber()));
      llvm::append_range(worklist, source->getOperands());
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      continue;
    if (argument == loop.getInductionVar()) {
      loops.push_back(loop);
      continue;
    }
    Value next = loop.getTiedLoopYieldedValue(argument)->get();
    auto inner = next.getDefiningOp<scf::ForOp>();
    bool runsOn = next == argument ||
                  (inner && inner.getTiedLoopInit(cast<OpResult>(next))->get() == argument);
    if (!runsOn)
      loops.push_back(loop);
    worklist.push_back(loop.getTiedLoopInit(argument)->get());
  }
  return loops;
}

/// The innermost loop around a condition that moves on slots that it uses, if any.
static scf::ForOp findTurningLoop(scf::IfOp condition) {
  scf::ForOp innermost;
  auto note = [&](scf::ForOp loop) {
    if (loop->isProperAncestor(condition) && (!innermost || innermost->isProperAncestor(loop)))
      innermost = loop;
  };
  condition.walk([&](InstructionOpInterface instruction) {
    for (Value memory : instruction->getOperands()) {
      while (auto slice = memory.getDefiningOp<SliceOp>())
        memory = slice.getBuffer();
      if (auto slot = memory.getDefiningOp<SlotOp>())
        llvm::for_each(findAdvancingLoops(slot.getIndex()), note);
    }
  });
  return innermost;
}

/// Whether instructions of one way of a condition run on several pipes, so that an order between
/// them may be made inside it.
static bool ordersPipes(scf::IfOp condition) {
  return llvm::any_of(condition->getRegions(), [](Region &way) {
    std::optional<Pipe> first;
    return way
        .walk([&](InstructionOpInterface instruction) {
          bool isOther = first && *first != instruction.getPipe();
          first = instruction.getPipe();
          return isOther ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

void KernelFacts::setFullTrips() {
  auto raise = [](int64_t &trips, int64_t least) { trips = std::max(trips, least); };
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool hasConditions =
          loop.walk([](scf::IfOp) { return WalkResult::interrupt(); }).wasInterrupted();
      raise(evenTrips[op], movingLoops.contains(op) ? 3 : 2);
      raise(fullTrips[op], hasConditions ? 3 : 2);
      if (scf::ForOp outer = varyingWith.lookup(loop))
        raise(fullTrips[outer], 3);
    } else if (auto condition = dyn_cast<scf::IfOp>(op)) {
      if (scf::ForOp loop = ordersPipes(condition) ? findTurningLoop(condition) : scf::ForOp())
        turningLoops[op] = loop;
    } else if (auto slot = dyn_cast<SlotOp>(op)) {
      int64_t slots = cast<MemRefType>(slot.getBuffer().getType()).getDimSize(0);
      for (scf::ForOp loop : findAdvancingLoops(slot.getIndex()))
        raise(evenTrips[loop], slots + 1);
    }
  });
  for (auto [loop, trips] : evenTrips)
    raise(fullTrips[loop], trips);
}

void KernelFacts::setSkewedLoops() {
  kernel.walk([&](scf::ForOp loop) {
    std::optional<SkewedLoops> skewed = findSkewed(loop, findLoopsBeside(loop).together);
    if (!skewed || loop != skewed->drain)
      return;
    fillOf[loop] = skewed->fill;
    tripLimits[loop] = tripLimits.lookup(skewed->fill);
  });
}

void KernelFacts::setExchangeLoops() {
  kernel.walk([&](CrossWaitOp wait) {
    auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
    if (!loop || !wait.getHeard() || exchangeLoops.contains(loop))
      return;
    if (std::optional<RunningLoops> running = findRunning(loop)) {
      int32_t exchange = exchangeCount++;
      for (scf::ForOp each : running->getAll())
        exchangeLoops[each] = {exchange, /*isFirst=*/false, /*runsOn=*/true};
      return;
    }
    SkewedLoops loops = findSkewed(loop, findLoopsBeside(loop).together).value_or(SkewedLoops());
    scf::ForOp first = loops.fill ? loops.fill : loop;
    int32_t exchange = exchangeCount++;
    for (scf::ForOp each : {first, loop, loops.steady, loops.drain})
      if (each)
        exchangeLoops[each] = {exchange, each == first, /*runsOn=*/false};
  });
}

/// Whether conditions, or counts that are found in a trip of a loop around, differ from trip to
/// trip.
static bool isUneven(const TraceChoice &choice) {
  return choice.branch == TraceChoice::Branch::Alternating ||
         choice.branch == TraceChoice::Branch::ByTurn || llvm::any_of(choice.idle, [](auto &idle) {
           return idle.second != TraceChoice::Runs::Never;
         });
}

int64_t KernelFacts::getFullTrips(scf::ForOp loop, const TraceChoice &choice) const {
  return (isUneven(choice) ? fullTrips : evenTrips).lookup(loop);
}

int64_t KernelFacts::getTrips(scf::ForOp loop, const TraceChoice &choice) const {
  int64_t full = getFullTrips(loop, choice);
  // A loop that drains runs as often as the one that fills.
  bool isException = choice.exception && (choice.exception == loop.getOperation() ||
                                          choice.exception == fillOf.lookup(loop));
  int64_t trips = isException ? choice.exceptionTrips : std::min(choice.trips, full);
  if (choice.subject && !isException && !loop->isAncestor(choice.subject))
    trips = std::min(trips, full - 1);
  if (fixedLoops.contains(loop))
    trips = full;
  return std::min(trips, tripLimits.lookup(loop).value_or(trips));
}

bool KernelTracer::isNew(const TraceChoice &choice) {
  std::vector<int64_t> key = {static_cast<int64_t>(choice.branch)};
  llvm::append_range(key, choice.holds);
  scf::ForOp skipped;
  for (scf::ForOp loop : facts->loopsInOrder) {
    // What is inside of a loop that does not run does not run either.
    if (skipped && skipped->isProperAncestor(loop))
      continue;
    key.push_back(facts->getTrips(loop, choice));
    for (auto [idle, runs] : choice.idle)
      if (idle == loop)
        key.back() = runs == TraceChoice::Runs::Never ? 0 : -static_cast<int64_t>(runs);
    if (key.back() == 0)
      skipped = loop;
    key.push_back(llvm::is_contained(choice.afterRest, loop));
  }
  return named.insert(std::move(key)).second;
}

static bool alwaysRuns(scf::ForOp loop, const IndexRanges &ranges) {
  std::optional<int64_t> least = ranges.getLowerBound(loop.getUpperBound());
  std::optional<int64_t> most = ranges.getUpperBound(loop.getLowerBound());
  return least && most && *least > *most;
}

/// Whether a number is computed from which vector core of its group runs.
static bool dependsOnCore(Value number) {
  SmallVector<Value> worklist = {number};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *source = value.getDefiningOp();
    if (isa_and_present<SubBlockIdOp>(source))
      return true;
    if (source && source->getNumRegions() == 0 && seen.insert(value).second)
      llvm::append_range(worklist, source->getOperands());
  }
  return false;
}

void KernelFacts::setRowLoops() {
  kernel.walk([&](scf::ForOp loop) {
    if (!alwaysRuns(loop, ranges) && dependsOnCore(loop.getUpperBound()))
      rowLoops.push_back(loop);
  });
}

/// The same on a vector core that has no rows.
static TraceChoice leaveOutRows(TraceChoice choice, const KernelFacts &facts) {
  for (Operation *loop : facts.rowLoops)
    if (llvm::none_of(choice.idle, [&](auto &idle) { return idle.first == loop; }))
      choice.idle.push_back({loop, TraceChoice::Runs::Never});
  return choice;
}

SmallVector<TraceChoice> KernelTracer::getChoices() {
  int64_t most = 0;
  for (auto [loop, trips] : facts->evenTrips)
    most = std::max(most, trips);
  SmallVector<TraceChoice> choices = {TraceChoice()};
  bool hasConditions =
      facts->kernel.walk([](scf::IfOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (hasConditions)
    for (auto branch : {TraceChoice::Branch::Else, TraceChoice::Branch::Alternating}) {
      choices.emplace_back();
      choices.back().branch = branch;
    }
  if (!facts->turningLoops.empty())
    for (bool first : {true, false})
      for (bool between : {true, false})
        for (bool last : {true, false}) {
          if (first == between && between == last)
            continue;
          choices.emplace_back();
          choices.back().branch = TraceChoice::Branch::ByTurn;
          choices.back().holds = {first, between, last};
        }
  for (int64_t trips = 1; trips < most; ++trips) {
    choices.emplace_back();
    choices.back().trips = trips;
  }
  choices.push_back(leaveOutRows(TraceChoice(), *facts));
  llvm::erase_if(choices, [&](const TraceChoice &choice) { return !isNew(choice); });
  return choices;
}

/// Whether a loop moves data of a vector core, so that pipes may wait for each other through it. Of
/// cube cores only the three loops of one distance stay idle together (`findSkewed`), others one at
/// a time: between loops that a mask has made of one, the pipes rest.
static bool moves(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        auto instruction = dyn_cast<InstructionOpInterface>(op);
        bool isCopy = instruction && instruction.getCoreKind() == CoreKind::Vector &&
                      llvm::is_contained({Pipe::MTE2, Pipe::MTE3}, instruction.getPipe());
        return isCopy ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Loops of which none stays idle alone, beside each other.
using LoopGroup = SmallVector<scf::ForOp, 3>;

/// The loops that need not run, in the block of one and together with it; those of which iterations
/// were made into three are one group. Of those that run on from trip to trip any may stay idle.
static SmallVector<LoopGroup> findIdleGroups(ArrayRef<scf::ForOp> together,
                                             const IndexRanges &ranges) {
  SmallVector<LoopGroup> groups;
  for (scf::ForOp loop : together) {
    if (alwaysRuns(loop, ranges) || (!moves(loop) && !findRunning(loop)))
      continue;
    std::optional<SkewedLoops> skewed = findSkewed(loop, together);
    if (!skewed)
      groups.push_back({loop});
    else if (loop == skewed->steady)
      groups.push_back({skewed->fill, skewed->steady, skewed->drain});
  }
  return groups;
}

/// Of loops in one block that need not run, an order of two instructions must hold though only
/// theirs do: whatever else runs can only add to what pipes wait for. Where counts vary with a loop
/// around, one may run in its first trip only and the other in its last.
static void addIdleLoops(scf::ForOp loop, ArrayRef<scf::ForOp> together, const KernelFacts &facts,
                         SmallVectorImpl<TraceChoice> &choices) {
  using Runs = TraceChoice::Runs;
  SmallVector<LoopGroup> groups = findIdleGroups(together, facts.ranges);
  size_t count = groups.size();
  if (!llvm::is_contained(groups, LoopGroup{loop}))
    return;
  auto addChoice = [&](size_t first, size_t second, bool isApart) {
    TraceChoice &choice = choices.emplace_back();
    for (size_t index = 0; index < count; ++index) {
      Runs runs = index != first && index != second ? Runs::Never
                  : first == second                 ? Runs::FirstAndLast
                  : index == first                  ? Runs::First
                                                    : Runs::Last;
      for (scf::ForOp idle : groups[index])
        if (isApart || runs == Runs::Never)
          choice.idle.push_back({idle, runs});
    }
  };
  for (size_t first = 0; count > 1 && first <= count; ++first)
    for (size_t second = first; second <= count; ++second)
      addChoice(first, second, /*isApart=*/false);
  for (size_t first = 0; first < count; ++first)
    for (size_t second = 0; second < count; ++second)
      if (scf::ForOp outer = facts.varyingWith.lookup(groups[first].front());
          outer && outer == facts.varyingWith.lookup(groups[second].front()))
        addChoice(first, second, /*isApart=*/true);
}

/// The loops that are cut off from one by places where all pipes come to rest.
static SmallVector<scf::ForOp> findCutOff(scf::ForOp loop) {
  SmallVector<scf::ForOp> loops;
  for (; loop; loop = loop->getParentOfType<scf::ForOp>())
    llvm::append_range(loops, findLoopsBeside(loop).apart);
  return loops;
}

/// The loops around and beside one, and itself, that run in one trip only of the loop around them:
/// they follow a place where all pipes come to rest.
static SmallVector<Operation *> findAfterRest(scf::ForOp loop, const IndexRanges &ranges) {
  SmallVector<Operation *> loops;
  for (; isa<scf::ForOp>(loop->getParentOp()); loop = cast<scf::ForOp>(loop->getParentOp())) {
    SmallVector<scf::ForOp> together = findLoopsBeside(loop).together;
    if (together.front()->hasAttr("ascend.settled"))
      llvm::copy_if(together, std::back_inserter(loops),
                    [&](scf::ForOp beside) { return !alwaysRuns(beside, ranges); });
  }
  return loops;
}

/// With few iterations there is no steady state, and the other two run as often as there are
/// iterations; with none, where there may be none, nothing runs.
static void addSkewed(const SkewedLoops &skewed, const KernelFacts &facts,
                      SmallVectorImpl<TraceChoice> &choices) {
  using Runs = TraceChoice::Runs;
  bool alwaysFills = alwaysRuns(skewed.fill, facts.ranges);
  auto addIdle = [&](Runs runs) {
    choices.emplace_back().idle = {{skewed.steady, runs}};
    if (!alwaysFills)
      choices.emplace_back().idle = {
          {skewed.fill, runs}, {skewed.steady, runs}, {skewed.drain, runs}};
  };
  addIdle(Runs::Never);
  if (facts.varyingWith.lookup(skewed.steady))
    for (Runs runs : {Runs::First, Runs::Last, Runs::FirstAndLast})
      addIdle(runs);
  int64_t end = facts.tripLimits.lookup(skewed.fill).value_or(facts.evenTrips.lookup(skewed.fill));
  for (int64_t trips = 1; trips < end; ++trips) {
    choices.emplace_back().idle = {{skewed.steady, Runs::Never}};
    choices.back().exception = skewed.fill;
    choices.back().exceptionTrips = trips;
  }
}

SmallVector<TraceChoice> KernelTracer::getChoices(scf::ForOp loop) {
  SmallVector<TraceChoice> choices;
  SmallVector<scf::ForOp> together = findLoopsBeside(loop).together;
  std::optional<SkewedLoops> skewed = findSkewed(loop, together);
  // How often the steady state runs says how often the others do: the three are looked at together.
  if (skewed)
    loop = skewed->steady;
  bool runs = alwaysRuns(loop, facts->ranges);
  if (skewed && !runs)
    addSkewed(*skewed, *facts, choices);
  else if (!runs)
    addIdleLoops(loop, together, *facts, choices);
  // That it runs once less than in full is seen where a loop around it runs less often.
  int64_t end = facts->evenTrips.lookup(loop) - (loop->getParentOfType<scf::ForOp>() ? 1 : 0);
  for (int64_t trips = runs ? 1 : 0; trips < end; ++trips) {
    choices.emplace_back();
    choices.back().exception = loop;
    choices.back().exceptionTrips = trips;
  }
  if (!llvm::is_contained(facts->rowLoops, loop.getOperation()))
    for (size_t index = 0, end = choices.size(); index < end; ++index)
      choices.push_back(leaveOutRows(choices[index], *facts));
  SmallVector<scf::ForOp> cutOff = findCutOff(loop);
  SmallVector<Operation *> afterRest = findAfterRest(loop, facts->ranges);
  // What runs in one trip only does not run in the first or the last of several.
  llvm::erase_if(choices, [&](const TraceChoice &choice) {
    return llvm::any_of(choice.idle, [&](auto &idle) {
      return idle.second != TraceChoice::Runs::Never && llvm::is_contained(afterRest, idle.first);
    });
  });
  for (TraceChoice &choice : choices) {
    choice.subject = loop;
    choice.afterRest = afterRest;
    for (scf::ForOp other : cutOff)
      if (!alwaysRuns(other, facts->ranges))
        choice.idle.push_back({other, TraceChoice::Runs::Never});
  }
  llvm::erase_if(choices, [&](const TraceChoice &choice) { return !isNew(choice); });
  return choices;
}
