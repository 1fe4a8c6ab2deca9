// Plans flags and barriers: greedily along the traces of the kernel, then without what turned out
// to be implied by the rest.
#include "attn/Dialect/Ascend/Analysis/SyncPlan.h"
#include "SyncPruning.h"
#include "SyncSharing.h"
#include "SyncTurns.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-insert-sync"

using namespace mlir;
using namespace attn::ascend;

namespace attn::ascend {

class SyncPlanner : private SyncListener {
public:
  SyncPlanner(func::FuncOp kernel, const IndexRanges &ranges)
      : kernel(kernel), ranges(ranges), core(getCoreKind(kernel)), tracer(kernel, ranges),
        syncs(tracer) {
    kernel.walk([&](InstructionOpInterface op) {
      auto pipes = op.getPipes();
      for (size_t index = 0; pipes.size() > 1 && index < pipes.size(); ++index)
        ownFlags.insert({pipes[index], pipes[(index + 1) % pipes.size()]});
    });
    kernel.walk([&](SlotOp op) {
      int64_t count = getBufferSlots(op);
      auto [found, isNew] = slotCounts.try_emplace(op.getIndex(), count);
      if (!isNew && found->second != count)
        found->second = 1;
    });
  }

  FailureOr<SyncPlan> run(int64_t eventIds);

private:
  static int64_t getBufferSlots(SlotOp op) {
    return cast<MemRefType>(op.getBuffer().getType()).getDimSize(0);
  }

  SyncAnswer missesOrder(int32_t step, PipeClocks &clocks) override;
  void passes(int32_t step, const PipeClocks &clocks) override;
  SyncAnswer raisesTwice(int32_t sync) override;
  SyncAnswer isUnbalanced(int32_t sync) override;
  SyncAnswer giveUpTurns(int32_t sync);
  /// Makes the sync for one dependence and lets the clocks know it. Returns whether the trace must
  /// be run again to see its flags.
  bool order(Pipe source, Pipe target, const Need &need, int32_t consumer, PipeClocks &clocks);
  bool addFlagBackAround(const Sync &sync);
  bool orderByFlag(Pipe source, Pipe target, const Need &need, int32_t consumer,
                   const ExecutionTrace::Relation &relation);
  bool add(const Sync &sync, std::optional<Witness> witness);
  /// Everything waits for everything before `op`: when no flag can make the order.
  void addFullBarrier(Operation *op);

  /// Whether the planner may raise events between two pipes.
  bool hasOwnEvents(Pipe source, Pipe target) const {
    return hasFlags(core, getCorePipe(source), getCorePipe(target)) &&
           ownFlags.count({source, target}) == 0;
  }

  /// What `pipe` knew when a step was over.
  Flag::Knowledge getKnowledge(Pipe pipe, int32_t step) const;

  Value getUsableSlot(Value slot, Operation *at) const;
  static Operation *findOutermost(scf::ForOp carrier, Value slot);

  LogicalResult addTraces(ArrayRef<TraceChoice> choices);
  FailureOr<bool> addTracesOfLoops();
  FailureOr<bool> orderTrace();

  func::FuncOp kernel;
  const IndexRanges &ranges;
  CoreKind core;
  KernelTracer tracer;
  std::vector<ExecutionTrace> traces;
  DenseSet<Operation *> tracedLoops;
  int32_t current = 0;
  SyncSet syncs;
  std::vector<std::optional<Witness>> witnesses;
  DenseMap<Value, int64_t> slotCounts;
  /// The pairs of pipes between which instructions raise flags by themselves.
  std::set<std::pair<Pipe, Pipe>> ownFlags;
  bool hasChanged = false;
  bool hasFailed = false;
  /// What the pipe of each instruction knew in the current trace, and what all pipes knew after
  /// loops and conditions.
  std::vector<Flag::Knowledge> history;
  DenseMap<int32_t, PipeClocks> clocksAfter;
};

} // namespace attn::ascend

FailureOr<SyncPlan> SyncPlan::make(func::FuncOp kernel, const IndexRanges &ranges,
                                   int64_t eventIds) {
  return SyncPlanner(kernel, ranges).run(eventIds);
}

LogicalResult SyncPlanner::addTraces(ArrayRef<TraceChoice> choices) {
  for (const TraceChoice &choice : choices) {
    FailureOr<ExecutionTrace> trace = tracer.trace(choice, TraceDetail::NewNeeds);
    if (failed(trace))
      return failure();
    traces.push_back(std::move(*trace));
  }
  return success();
}

/// Traces for the loops that have come to hold syncs. Returns whether there are new ones.
FailureOr<bool> SyncPlanner::addTracesOfLoops() {
  size_t count = traces.size();
  for (int32_t index = 0; index < syncs.size(); ++index)
    for (Operation *consumer : syncs[index].getConsumers())
      for (auto loop = consumer->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        if (tracedLoops.insert(loop).second && failed(addTraces(tracer.getChoices(loop))))
          return failure();
  return traces.size() != count;
}

/// Orders the current trace. Returns whether that took new syncs.
FailureOr<bool> SyncPlanner::orderTrace() {
  bool tookNew = false;
  history.resize(traces[current].getSteps().size());
  do {
    hasChanged = false;
    clocksAfter.clear();
    runTrace(traces[current], syncs, *this);
    if (hasFailed)
      return kernel.emitError("has an order of its pipes that no flag or barrier can make");
    tookNew |= hasChanged;
  } while (hasChanged);
  return tookNew;
}

FailureOr<SyncPlan> SyncPlanner::run(int64_t eventIds) {
  if (failed(addTraces(tracer.getChoices())))
    return failure();
  for (Sync &sync : findTurns(kernel, ranges))
    if (hasOwnEvents(sync.source, sync.target))
      add(sync, std::nullopt);
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr("ascend.settled"))
      add({Pipe::ALL, Pipe::ALL, nullptr, loop}, std::nullopt);
  });
  // A sync made for one trace may meet flags of another: until nothing changes.
  bool isStable = false;
  while (!isStable) {
    isStable = true;
    for (current = 0; current < static_cast<int32_t>(traces.size()); ++current) {
      FailureOr<bool> tookNew = orderTrace();
      if (failed(tookNew))
        return failure();
      isStable &= !*tookNew;
    }
    FailureOr<bool> isLonger = addTracesOfLoops();
    if (failed(isLonger))
      return failure();
    isStable &= !*isLonger;
  }
  LDBG() << syncs.size() << " flags and barriers order " << traces.size() << " traces";
  OrderedTraces ordered(std::move(traces));
  pruneSyncs(ordered, syncs, witnesses, eventIds);
  if (!ordered.areOrdered(syncs))
    return kernel.emitError("has lost an order of its pipes on the way to fewer flags");

  SyncPlan plan;
  for (int32_t index = 0; index < syncs.size(); ++index)
    if (syncs.isEnabled(index))
      plan.syncs.push_back(syncs[index]);
  LDBG() << plan.syncs.size() << " of them are left";
  return plan;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

bool SyncPlanner::add(const Sync &sync, std::optional<Witness> witness) {
  std::optional<int32_t> index = syncs.add(sync);
  if (!index)
    return false;
  witnesses.resize(syncs.size());
  witnesses[*index] = witness;
  hasChanged = true;
  return true;
}

void SyncPlanner::addFullBarrier(Operation *op) {
  if (!add({Pipe::ALL, Pipe::ALL, nullptr, op}, std::nullopt)) {
    hasFailed = true;
    return;
  }
  op->emitRemark("all pipes wait for each other here: no flag can make the order");
}

SyncAnswer SyncPlanner::missesOrder(int32_t step, PipeClocks &clocks) {
  const ExecutionTrace &trace = traces[current];
  const ExecutionTrace::Step &consumer = trace.getSteps()[step];
  Pipe target = consumer.pipe;
  // The latest producer first: its flag may tell of the others.
  auto needs = llvm::to_vector<4>(trace.getNeeds(consumer));
  llvm::sort(needs, [](const auto &a, const auto &b) { return a.need.step > b.need.step; });
  for (const ExecutionTrace::PipeNeed &need : needs)
    if (!clocks.knows(target, need.pipe, momentOf(need.need.step)) &&
        order(need.pipe, target, need.need, step, clocks))
      return SyncAnswer::Stop;
  return hasFailed ? SyncAnswer::Stop : SyncAnswer::GoOn;
}

bool SyncPlanner::order(Pipe source, Pipe target, const Need &need, int32_t consumer,
                        PipeClocks &clocks) {
  // A barrier is for its consumer alone: what does not come needs none. Flags must be raised and
  // awaited whatever conditions hold.
  ExecutionTrace::Relation relation =
      traces[current].relate(need.step, consumer, /*entersConditions=*/source == target);
  if (source != target) {
    if (orderByFlag(source, target, need, consumer, relation))
      return true;
    clocks.learn(target, getKnowledge(source, relation.producerStep));
    return false;
  }
  if (!add({target, target, nullptr, relation.consumer}, Witness{current, need.step, consumer})) {
    addFullBarrier(relation.consumer);
    return true;
  }
  clocks.barrier(target, momentBefore(relation.consumerStep));
  return false;
}

void SyncPlanner::passes(int32_t step, const PipeClocks &clocks) {
  const ExecutionTrace::Step &passed = traces[current].getSteps()[step];
  if (passed.kind == ExecutionTrace::Step::Kind::Exit)
    clocksAfter[step] = clocks;
  else
    history[step] = clocks.getKnowledge(passed.pipe);
}

Flag::Knowledge SyncPlanner::getKnowledge(Pipe pipe, int32_t step) const {
  auto known = clocksAfter.find(step);
  Flag::Knowledge knowledge =
      known == clocksAfter.end() ? history[step] : known->second.getKnowledge(pipe);
  knowledge[getIndex(pipe)] = momentAfter(step);
  return knowledge;
}

/// Whether flags with slots around this loop would be raised again in each run of a loop outside: a
/// condition between the two keeps the slot's index from running on.
static bool isRaisedAgain(Operation *around) {
  auto condition = around->getParentOfType<scf::IfOp>();
  return condition && condition->getParentOfType<scf::ForOp>();
}

bool SyncPlanner::orderByFlag(Pipe source, Pipe target, const Need &need, int32_t consumer,
                              const ExecutionTrace::Relation &relation) {
  if (!hasOwnEvents(source, target)) {
    addFullBarrier(relation.consumer);
    return true;
  }
  Sync sync{source, target, relation.producer, relation.consumer};
  // Inside one iteration the wait follows the set. That also orders a later iteration.
  bool isForward = !relation.carrier || (relation.producer != relation.consumer &&
                                         relation.producer->isBeforeInBlock(relation.consumer));
  sync.slot = getUsableSlot(need.slot, relation.consumer);
  if (!isForward && sync.slot &&
      (!isa<BlockArgument>(sync.slot) ||
       sync.slot.getParentRegion() != &relation.carrier->getRegion(0)))
    sync.slot = Value();
  Witness witness{current, need.step, consumer};
  for (bool isRetry : {false, true}) {
    if (isRetry)
      sync.slot = Value();
    sync.slots = sync.slot ? slotCounts.lookup(sync.slot) : 1;
    sync.around = isForward ? nullptr : findOutermost(relation.carrier, sync.slot);
    if (sync.slot && sync.around && isRaisedAgain(sync.around))
      continue;
    if (add(sync, witness))
      return !isForward;
    if (!sync.slot)
      break;
  }
  addFullBarrier(relation.consumer);
  return true;
}

/// The slot index, where it has a value at `at` and is a counter of turns: carried by a loop, or
/// what one has counted.
Value SyncPlanner::getUsableSlot(Value slot, Operation *at) const {
  if (!slot || slotCounts.lookup(slot) < 2)
    return {};
  Operation *in = slot.getParentBlock()->findAncestorOpInBlock(*at);
  Operation *maker = slot.getDefiningOp();
  bool isCounted = !maker || (in && isa<scf::ForOp>(maker) && maker->isBeforeInBlock(in));
  return in && isCounted ? slot : Value();
}

/// The outermost loop around `carrier` that a flag may run through. A single flag is raised and
/// awaited in turns whatever the loops do; slots need an index that runs on.
Operation *SyncPlanner::findOutermost(scf::ForOp carrier, Value slot) {
  scf::ForOp loop = carrier;
  if (!slot) {
    while (auto parent = loop->getParentOfType<scf::ForOp>())
      loop = parent;
    return loop;
  }
  auto argument = cast<BlockArgument>(slot);
  while (auto parent = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    if (argument == loop.getInductionVar())
      break;
    auto init = dyn_cast<BlockArgument>(loop.getTiedLoopInit(argument)->get());
    if (!init || init.getOwner() != parent.getBody() || init == parent.getInductionVar() ||
        parent.getTiedLoopYieldedValue(init)->get() != loop.getTiedLoopResult(argument))
      break;
    argument = init;
    loop = parent;
  }
  return loop;
}

/// A flag of a loop that does not run is raised before it and awaited after it all the same. Where
/// the loop is come to again, the source must know of that: a flag back from run to run.
bool SyncPlanner::addFlagBackAround(const Sync &sync) {
  auto outer = sync.around ? sync.around->getParentOfType<scf::ForOp>() : scf::ForOp();
  if (!outer)
    return false;
  Operation *run = outer.getBody()->findAncestorOpInBlock(*sync.around);
  Sync back{sync.target, sync.source, run, run};
  back.around = findOutermost(outer, Value());
  return add(back, std::nullopt);
}

/// The source must know that the target has passed its wait: a flag back.
SyncAnswer SyncPlanner::raisesTwice(int32_t index) {
  Sync sync = syncs[index];
  if (!sync.turns.empty())
    return giveUpTurns(index);
  scf::ForOp loop = sync.producer->getParentOfType<scf::ForOp>();
  if (!loop) {
    addFullBarrier(sync.around ? sync.around : sync.producer);
    return SyncAnswer::Stop;
  }
  Operation *first = loop.getBody()->findAncestorOpInBlock(*sync.consumer);
  Operation *second = loop.getBody()->findAncestorOpInBlock(*sync.producer);
  Sync back{sync.target, sync.source, first ? first : sync.consumer, second};
  bool isForward = first && first != second && first->isBeforeInBlock(second);
  if (!isForward) {
    bool isCarried =
        isa_and_present<BlockArgument>(sync.slot) && sync.slot.getParentBlock() == loop.getBody();
    back.slot = isCarried ? sync.slot : Value();
    if (back.slot && isRaisedAgain(findOutermost(loop, back.slot)))
      back.slot = Value();
    back.slots = back.slot ? sync.slots : 1;
    back.around = findOutermost(loop, back.slot);
  }
  if ((first && add(back, std::nullopt)) || addFlagBackAround(sync))
    return SyncAnswer::Stop;
  addFullBarrier(second);
  return SyncAnswer::Stop;
}

/// Where turns cannot be told by one flag, each order gets a flag of its own.
SyncAnswer SyncPlanner::giveUpTurns(int32_t index) {
  syncs.disable(index);
  hasChanged = true;
  return SyncAnswer::Stop;
}

/// Slots that do not take turns cannot tell iterations apart: the flag goes without them.
SyncAnswer SyncPlanner::isUnbalanced(int32_t index) {
  Sync sync = syncs[index];
  if (!sync.turns.empty())
    return giveUpTurns(index);
  if (!sync.slot) {
    hasFailed = true;
    return SyncAnswer::Stop;
  }
  slotCounts[sync.slot] = 1;
  for (int32_t other = 0; other < syncs.size(); ++other)
    if (syncs[other].slot == sync.slot)
      syncs.disable(other);
  hasChanged = true;
  return SyncAnswer::Stop;
}
