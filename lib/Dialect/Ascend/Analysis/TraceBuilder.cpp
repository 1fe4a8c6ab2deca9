// Runs a kernel abstractly: loops are unrolled, and every access is held against the history of its
// bytes.
#include "TraceBuilder.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

/// A longer trace means loops nested too deeply to look at.
static constexpr size_t maxSteps = 4000000;

KernelTracer::KernelTracer(func::FuncOp kernel, const IndexRanges &ranges)
    : facts(std::make_unique<KernelFacts>(kernel, ranges)) {}
KernelTracer::~KernelTracer() = default;

FailureOr<ExecutionTrace> KernelTracer::trace(const TraceChoice &choice, TraceDetail detail) {
  return TraceBuilder(*facts, choice, detail).run();
}

int32_t KernelTracer::getNumber(Operation *op) const { return facts->numbers.lookup(op); }
int32_t KernelTracer::getNumberCount() const { return facts->numbers.size(); }
int32_t KernelTracer::getSlotIndexNumber(Value index) const {
  return facts->slotIndices.lookup(index);
}
int32_t KernelTracer::getSlotIndexCount() const { return facts->slotIndices.size(); }

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TraceBuilder::TraceBuilder(KernelFacts &facts, const TraceChoice &choice, TraceDetail detail)
    : facts(facts), choice(choice), detail(detail), tripsNow(facts.numbers.size()),
      indices(facts.indices.size()), hasIndex(facts.indices.size()),
      localPlaces(facts.viewNumbers.size()), globalPlaces(facts.viewNumbers.size()), local(symbols),
      global(symbols), exchanges(facts.exchangeCount) {
  for (const auto &[view, place] : facts.buffers)
    localPlaces[view] = place;
  for (auto &row : awaited)
    row.fill(-1);
}

FailureOr<ExecutionTrace> TraceBuilder::run() {
  trace.frames.push_back({-1, 0});
  if (failed(walk(facts.kernel.getBody().front(), 0)))
    return failure();
  return std::move(trace);
}

LogicalResult TraceBuilder::walk(Block &block, int32_t frame) {
  KernelFacts::TracedBlocks &blocks =
      detail == TraceDetail::Flags ? facts.tracedFlags : facts.traced;
  auto traced = blocks.find(&block);
  if (traced == blocks.end())
    return success();
  for (TraceEntry &next : traced->second) {
    if (trace.steps.size() > maxSteps)
      return next.op->emitError("lies in loops nested too deeply to synchronise");
    if (failed(visit(next, frame)))
      return failure();
  }
  return success();
}

LogicalResult TraceBuilder::visit(TraceEntry &next, int32_t frame) {
  switch (next.kind) {
  case TraceEntry::Kind::Instruction:
    return visitInstruction(next, frame);
  case TraceEntry::Kind::Loop:
    return visitLoop(next, frame);
  case TraceEntry::Kind::Condition:
    return visitCondition(next, frame);
  case TraceEntry::Kind::Sync:
    visitSync(next, frame);
    return success();
  case TraceEntry::Kind::Slot:
    setSlot(next);
    return success();
  case TraceEntry::Kind::Slice:
    setSlice(next);
    return success();
  case TraceEntry::Kind::Address:
    setAddress(next);
    return success();
  case TraceEntry::Kind::Other:
    if (next.op->getNumRegions() != 0 || next.op->getNumSuccessors() != 0)
      return next.op->emitError("is control flow that synchronisation cannot follow");
    return success();
  default:
    std::optional<IndexExpression> value = evaluate(next);
    set(next.result, value ? std::move(*value) : makeUnknown(next.result));
    return success();
  }
}

int32_t TraceBuilder::enter(const TraceEntry &next, int32_t frame) {
  int32_t visit = trace.visits.size();
  trace.visits.push_back({next.op, static_cast<int32_t>(trace.steps.size()), -1, frame});
  trace.steps.push_back({Step::Kind::Enter, next.op, next.number, Pipe::S, frame, visit});
  return visit;
}

void TraceBuilder::leave(int32_t visit) {
  ExecutionTrace::Visit &left = trace.visits[visit];
  int32_t number = trace.steps[left.enter].number;
  left.exit = trace.steps.size();
  trace.steps.push_back({Step::Kind::Exit, left.op, number, Pipe::S, left.parentFrame, visit});
}

int32_t TraceBuilder::pushFrame(int32_t visit) {
  int32_t depth = trace.frames[trace.visits[visit].parentFrame].depth + 1;
  trace.frames.push_back({visit, depth});
  return trace.frames.size() - 1;
}

/// How often the loop runs in this trace. Bounds that move with a loop around are numbers in the
/// trips that are traced, and others in those that are left out: they are as good as unknown.
int64_t TraceBuilder::getTripCount(scf::ForOp loop, const LoopFacts &known) {
  std::optional<int64_t> begin = facts.indices[known.lower].constant;
  std::optional<int64_t> end = facts.indices[known.upper].constant;
  std::optional<int64_t> step = facts.indices[known.step].constant;
  if (begin && end && step && *step > 0)
    return std::min<int64_t>(facts.getFullTrips(loop, choice),
                             *end <= *begin ? 0 : (*end - *begin - 1) / *step + 1);
  return isIdle(loop) ? 0 : facts.getTrips(loop, choice);
}

/// Whether the loop does not run in the current trips of those around it.
bool TraceBuilder::isIdle(scf::ForOp loop) const {
  if (llvm::is_contained(choice.afterRest, loop) &&
      !tripsNow[facts.numbers.lookup(loop->getParentOp())].isFirst)
    return true;
  auto found = llvm::find_if(choice.idle, [&](auto &idle) { return idle.first == loop; });
  if (found == choice.idle.end())
    return false;
  TraceChoice::Runs runs = found->second;
  scf::ForOp varyingWith = facts.varyingWith.lookup(loop);
  Trip trip = varyingWith ? tripsNow[facts.numbers.lookup(varyingWith)] : Trip();
  bool inFirst = runs == TraceChoice::Runs::First || runs == TraceChoice::Runs::FirstAndLast;
  bool inLast = runs == TraceChoice::Runs::Last || runs == TraceChoice::Runs::FirstAndLast;
  return !(inFirst && trip.isFirst) && !(inLast && trip.isLast);
}

/// Whether a loop that has run in full may go on, and its trips move through local memory.
bool TraceBuilder::mayGoOn(scf::ForOp loop, int64_t trips) {
  return trips >= facts.getFullTrips(loop, choice) &&
         !facts.movingViews.find(loop)->second.empty() &&
         facts.tripLimits.lookup(loop).value_or(trips + 1) > trips;
}

LogicalResult TraceBuilder::visitLoop(const TraceEntry &next, int32_t frame) {
  auto loop = cast<scf::ForOp>(next.op);
  const LoopFacts &known = *next.loop;
  for (Value init : loop.getInitArgs())
    if (isa<BaseMemRefType>(init.getType()))
      return loop.emitError("carries a buffer, which synchronisation cannot follow");
  int64_t trips = getTripCount(loop, known);
  int64_t fullTrips = facts.getFullTrips(loop, choice);
  IndexExpression induction = get(known.lower);
  SmallVector<IndexExpression, 4> carried;
  for (const LoopFacts::Carried &each : known.carried)
    carried.push_back(get(each.init));

  // One more trip stands for all that follow: its views lie anywhere from their place on.
  int64_t last = mayGoOn(loop, trips) ? trips : trips - 1;
  SmallVector<Operation *> opened;
  int32_t visit = enter(next, frame);
  auto exchange = facts.exchangeLoops.find(loop);
  bool isExchange = exchange != facts.exchangeLoops.end();
  if (isExchange && exchange->second.isFirst)
    exchanges[exchange->second.exchange] = {static_cast<int32_t>(trace.steps.size()), 0};
  for (int64_t trip = 0; trip <= last; ++trip) {
    if (isExchange)
      ++exchanges[exchange->second.exchange].turn;
    if (trip == trips)
      for (Operation *view : facts.movingViews.find(loop)->second)
        if (openViews.insert(view).second)
          opened.push_back(view);
    tripsNow[next.number] = {trip == 0, trip == last, trip + 1 >= fullTrips};
    int32_t iteration = pushFrame(visit);
    set(known.induction, induction);
    for (auto [each, value] : llvm::zip(known.carried, carried))
      set(each.argument, std::move(value));
    if (failed(walk(*loop.getBody(), iteration)))
      return failure();
    for (auto [each, value] : llvm::zip(known.carried, carried))
      value = get(each.yielded);
    std::optional<IndexExpression> moved = IndexExpression::add(induction, get(known.step));
    induction = moved ? std::move(*moved) : makeUnknown();
  }
  for (Operation *view : opened)
    openViews.erase(view);
  leave(visit);
  for (auto [each, value] : llvm::zip(known.carried, carried))
    set(each.result, std::move(value));
  return success();
}

/// Which way a condition goes in the current trips of the loops around it.
bool TraceBuilder::holds(scf::IfOp condition) {
  switch (choice.branch) {
  case TraceChoice::Branch::Then:
    return true;
  case TraceChoice::Branch::Else:
    return false;
  case TraceChoice::Branch::Alternating:
    return conditions[condition]++ % 2 == 0;
  case TraceChoice::Branch::ByTurn:
    break;
  }
  scf::ForOp loop = facts.turningLoops.lookup(condition);
  Trip trip = loop ? tripsNow[facts.numbers.lookup(loop)] : Trip();
  return choice.holds[trip.isFirst ? 0 : trip.comesBack ? 2 : 1];
}

LogicalResult TraceBuilder::visitCondition(const TraceEntry &next, int32_t frame) {
  auto condition = cast<scf::IfOp>(next.op);
  bool goesThen = holds(condition);
  Block *block = goesThen ? condition.thenBlock() : condition.elseBlock();
  int32_t visit = enter(next, frame);
  if (block && failed(walk(*block, pushFrame(visit))))
    return failure();
  leave(visit);
  for (auto [index, result] : llvm::enumerate(condition.getResults())) {
    if (isa<BaseMemRefType>(result.getType()))
      return condition.emitError("chooses a buffer, which synchronisation cannot follow");
    auto ways = ArrayRef(next.operands).slice(3 * index, 3);
    set(ways[0], get(goesThen ? ways[1] : ways[2]));
  }
  return success();
}

void TraceBuilder::visitCrossSet(CrossSetOp set, int32_t frame) {
  auto exchange = facts.exchangeLoops.find(set->getParentOp());
  int64_t turn =
      exchange == facts.exchangeLoops.end() ? 0 : exchanges[exchange->second.exchange].turn;
  crossSets[set.getFlag()].sets.push_back({static_cast<int32_t>(trace.steps.size()), turn});
  trace.steps.push_back({Step::Kind::CrossSet, set, -1, set.getPipe(), frame, /*detail=*/-1});
}

/// Finds the last set of each flag that the wait tells of. Traces leave out trips between others,
/// so that what lies so many turns before here does so in every run.
void TraceBuilder::visitCrossWait(CrossWaitOp wait, int32_t frame) {
  auto loop = facts.exchangeLoops.find(wait->getParentOp());
  if (loop == facts.exchangeLoops.end() || !wait.getHeard())
    return;
  Exchange now = exchanges[loop->second.exchange];
  ArrayRef<int64_t> pairs = *wait.getHeard();
  size_t first = trace.heard.size();
  for (size_t pair = 0; pair < pairs.size(); pair += 2) {
    CrossSets &of = crossSets[pairs[pair]];
    int64_t turns = pairs[pair + 1];
    size_t told = of.sets.size();
    if (loop->second.runsOn)
      told = turns >= 0 && turns < static_cast<int64_t>(told) ? told - turns : 0;
    auto isTold = [&](const CrossSets::Set &set) {
      return set.step < now.begin || (turns >= 0 && set.turn <= now.turn - turns);
    };
    while (!loop->second.runsOn && told > of.told && !isTold(of.sets[told - 1]))
      --told;
    if (told <= of.told)
      continue;
    of.told = told;
    int32_t &number = trace.steps[of.sets[told - 1].step].detail;
    number = trace.heardCount++;
    trace.heard.push_back(number);
  }
  if (trace.heard.size() == first)
    return;
  trace.steps.push_back({Step::Kind::CrossWait, wait, -1, Pipe::S, frame,
                         static_cast<int32_t>(first),
                         static_cast<int32_t>(trace.heard.size() - first)});
}

void TraceBuilder::visitSync(const TraceEntry &next, int32_t frame) {
  if (auto set = dyn_cast<CrossSetOp>(next.op))
    return visitCrossSet(set, frame);
  if (auto wait = dyn_cast<CrossWaitOp>(next.op))
    return visitCrossWait(wait, frame);
  Step step{Step::Kind::Barrier, next.op, -1, Pipe::S, frame};
  if (auto barrier = dyn_cast<BarrierOp>(next.op))
    step.pipe = barrier.getPipe();
  if (isa<SyncAllOp>(next.op))
    step.pipe = Pipe::ALL;
  if (isa<SetFlagOp, WaitFlagOp>(next.op)) {
    step.kind = isa<SetFlagOp>(next.op) ? Step::Kind::Set : Step::Kind::Wait;
    step.slotNumber =
        next.operands.empty() ? 0 : get(next.operands.front()).getConstant().value_or(-1);
  }
  trace.steps.push_back(step);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void TraceBuilder::setAddress(const TraceEntry &next) {
  SmallVector<IndexExpression, 0> &place = globalPlaces[next.result];
  place.clear();
  for (IndexNumber index : next.operands)
    place.push_back(get(index));
}

void TraceBuilder::setSlot(const TraceEntry &next) {
  LocalPlace &place = localPlaces[next.result];
  place = localPlaces[next.source];
  std::optional<int64_t> number = get(next.operands.front()).getConstant();
  if (place.buffer && number && *number >= 0 && *number < place.buffer.getSlotCount()) {
    place.begin += *number * place.buffer.getSlotPitchBytes();
    place.end = place.begin + place.buffer.getSlotPitchBytes();
    place.slot = facts.indices[next.operands.front()].value;
    place.lastBegin = place.begin;
    place.origin = place.begin;
  } else {
    place.lastBegin = place.end;
    place.origin = makeUnknown();
  }
}

void TraceBuilder::setSlice(const TraceEntry &next) {
  LocalPlace &place = localPlaces[next.result];
  place = localPlaces[next.source];
  auto slice = cast<SliceOp>(next.op);
  int64_t bytes = cast<MemRefType>(slice.getBuffer().getType()).getElementTypeBitWidth() / 8;
  const IndexExpression &offset = get(next.operands.front());
  const IndexFacts &known = facts.indices[next.operands.front()];
  std::optional<int64_t> least = offset.getConstant(), most = least;
  // What only the run knows stands for every trip as it is.
  bool isOpen = least && openViews.contains(next.op);
  if (!least)
    least = known.constant ? known.constant : known.low;
  if (!most || isOpen)
    most = known.constant ? known.constant : known.high;
  // Without a bound a view may lie anywhere in its buffer.
  auto moveBy = [&](int64_t position, std::optional<int64_t> elements, int64_t otherwise) {
    bool isInside = elements && *elements >= 0 && *elements <= place.end;
    return isInside ? std::min(position + *elements * bytes, place.end) : otherwise;
  };
  place.begin = moveBy(place.begin, least, place.begin);
  place.lastBegin = std::max(place.begin, moveBy(place.lastBegin, most, place.end));
  std::optional<IndexExpression> moved = IndexExpression::multiply(offset, bytes);
  moved = moved && !isOpen ? IndexExpression::add(place.origin, *moved) : std::nullopt;
  place.origin = moved ? std::move(*moved) : makeUnknown();
}

std::optional<Span> TraceBuilder::getSpan(const IndexExpression &begin,
                                          const IndexExpression &size) {
  std::optional<IndexExpression> end = IndexExpression::add(begin, size);
  return end ? std::optional(Span{begin, *end}) : std::nullopt;
}

/// The bytes that an access writes, where only the run knows them; none otherwise.
const Span *TraceBuilder::getWrittenPart(const LocalFacts &known) {
  if (known.amount == noIndex)
    return nullptr;
  const IndexExpression &origin = localPlaces[known.view].origin;
  const IndexExpression &amount = get(known.amount);
  if (origin.getConstant() && amount.getConstant())
    return nullptr;
  std::optional<IndexExpression> size =
      IndexExpression::multiply(amount, known.access.exactSize->unitBytes);
  if (!size || (origin.getConstant() && size->getConstant()))
    return nullptr;
  std::optional<Span> part = getSpan(origin, *size);
  return part ? &parts.emplace_back(std::move(*part)) : nullptr;
}

/// The writes that an instruction keeps apart from: those of its group in this pass through the
/// block around all of them.
std::optional<LocalHistory::Apart> TraceBuilder::getApart(const InstructionFacts &known,
                                                          int32_t frame) const {
  if (!known.apart)
    return std::nullopt;
  while (trace.frames[frame].depth > facts.apartDepths.lookup(*known.apart))
    frame = trace.getParent(frame);
  return LocalHistory::Apart{*known.apart, frame};
}

/// What a transfer touches of an array, per dimension; empty where that is not known.
SmallVector<std::optional<Span>, 4> TraceBuilder::getSpans(const GlobalFacts &access) {
  ArrayRef<IndexExpression> begins = globalPlaces[access.view];
  if (access.length == noIndex || begins.empty())
    return {};
  SmallVector<std::optional<IndexExpression>, 4> sizes(begins.size(), IndexExpression(1));
  sizes.back() = get(access.length);
  for (const GlobalFacts::Level &level : access.levels) {
    if (!level.repeats)
      continue;
    if (!level.dimension || *level.dimension >= static_cast<int64_t>(begins.size()))
      return {};
    // The last one takes no more of the dimension than one step and its own size.
    std::optional<IndexExpression> &size = sizes[*level.dimension];
    std::optional<IndexExpression> steps = IndexExpression::multiply(
        get(level.count), level.step != noIndex ? get(level.step) : IndexExpression(1));
    size = size ? IndexExpression::subtract(*size, 1) : std::nullopt;
    size = steps && size ? IndexExpression::add(*steps, *size) : std::nullopt;
  }
  SmallVector<std::optional<Span>, 4> spans;
  for (auto [begin, size] : llvm::zip(begins, sizes))
    spans.push_back(size ? getSpan(begin, *size) : std::nullopt);
  return spans;
}

bool TraceBuilder::areInParallelIterations(int32_t left, int32_t right) const {
  ExecutionTrace::Meeting meeting = trace.meet(trace.steps[left].frame, trace.steps[right].frame);
  if (meeting.left == -1 || meeting.right == -1)
    return false;
  int32_t visit = trace.frames[meeting.left].visit;
  return visit == trace.frames[meeting.right].visit &&
         trace.visits[visit].op->hasAttr("ascend.parallel");
}

void TraceBuilder::addGlobal(const GlobalFacts &access, Pipe pipe, int32_t step, Needs &needs) {
  global.add(access.array, {step, pipe, access.isWrite, getSpans(access)}, needs,
             [&](int32_t left, int32_t right) {
               if (access.isDistinct && trace.steps[left].op == trace.steps[right].op)
                 return true;
               return !access.isWorkspace && areInParallelIterations(left, right);
             });
}

LogicalResult TraceBuilder::visitInstruction(const TraceEntry &next, int32_t frame) {
  int pipes = next.instruction->pipes.size();
  for (int pipeNumber = 0; pipeNumber < pipes; ++pipeNumber) {
    if (failed(visitStep(next, pipeNumber, frame)))
      return failure();
    trace.steps.back().before = pipeNumber;
    trace.steps.back().after = pipes - 1 - pipeNumber;
  }
  return success();
}

LogicalResult TraceBuilder::visitStep(const TraceEntry &next, int pipeNumber, int32_t frame) {
  const InstructionFacts &known = *next.instruction;
  int32_t step = trace.steps.size();
  Pipe pipe = known.pipes[pipeNumber];
  trace.steps.push_back({Step::Kind::Instruction, next.op, known.number, pipe, frame,
                         static_cast<int32_t>(trace.needs.size())});
  if (detail == TraceDetail::Flags)
    return success();
  struct Touched {
    const LocalPlace &place;
    int32_t footprint;
    LocalHistory::Actor actor;
  };
  std::optional<LocalHistory::Apart> apart = getApart(known, frame);
  SmallVector<Touched, 4> touched;
  for (const LocalFacts &access : known.local) {
    if (access.access.pipeNumber != pipeNumber)
      continue;
    const LocalPlace &place = localPlaces[access.view];
    if (!place.buffer)
      return next.op->emitError("uses a buffer that no ascend.alloc of the kernel made");
    touched.push_back({place,
                       facts.pieces.getFootprint(access.number, place, access.access),
                       {step, pipe, next.op, access.access.isWrite,
                        access.access.isOrdered && !isWidened(access.access, place),
                        getWrittenPart(access), apart}});
  }
  local.grow(facts.pieces.getOrigins());
  auto getPieces = [&](const Touched &touch) { return facts.pieces.getPieces(touch.footprint); };

  Needs needs;
  std::array<int32_t, pipeCount> &before = awaited[getIndex(pipe)];
  for (int index = 0; index < pipeCount && detail == TraceDetail::NewNeeds; ++index)
    needs[index].step = before[index];
  for (const Touched &touch : touched)
    local.collect(getPieces(touch), touch.place, touch.actor, needs);
  for (const GlobalFacts &access : known.global)
    if (access.pipeNumber == pipeNumber)
      addGlobal(access, pipe, step, needs);
  for (bool isWrite : {false, true})
    for (const Touched &touch : touched)
      if (touch.actor.isWrite == isWrite)
        local.record(getPieces(touch), touch.place, touch.actor);
  for (int index = 0; index < pipeCount; ++index) {
    bool isNew = detail == TraceDetail::AllNeeds ? needs[index].step >= 0
                                                 : needs[index].step > before[index];
    if (!isNew)
      continue;
    before[index] = needs[index].step;
    trace.needs.push_back({static_cast<Pipe>(index), needs[index]});
  }
  trace.steps.back().needCount = trace.needs.size() - trace.steps.back().detail;
  return success();
}
