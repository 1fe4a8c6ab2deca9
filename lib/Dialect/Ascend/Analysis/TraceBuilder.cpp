// Runs a kernel abstractly: loops are unrolled, and every access is held against the history of its
// bytes.
#include "TraceBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

/// A longer trace means loops nested too deeply to look at.
static constexpr size_t maxSteps = 4000000;

KernelTracer::KernelTracer(func::FuncOp kernel, const IndexRanges &ranges)
    : facts(std::make_unique<KernelFacts>(kernel, ranges)) {}
KernelTracer::~KernelTracer() = default;

FailureOr<ExecutionTrace> KernelTracer::trace(const TraceChoice &choice, bool findsNeeds) {
  return TraceBuilder(*facts, choice, findsNeeds).run();
}

int32_t KernelTracer::getNumber(Operation *op) const { return facts->numbers.lookup(op); }
int32_t KernelTracer::getNumberCount() const { return facts->numbers.size(); }

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

FailureOr<ExecutionTrace> TraceBuilder::run() {
  trace.frames.push_back({-1, 0});
  if (failed(walk(facts.kernel.getBody().front(), 0)))
    return failure();
  return std::move(trace);
}

LogicalResult TraceBuilder::walk(Block &block, int32_t frame) {
  const KernelFacts::TracedBlocks &blocks = findsNeeds ? facts.traced : facts.tracedFlags;
  auto traced = blocks.find(&block);
  if (traced == blocks.end())
    return success();
  for (const KernelFacts::Traced &next : traced->second) {
    Operation &op = *next.op;
    if (trace.steps.size() > maxSteps)
      return op.emitError("lies in loops nested too deeply to synchronise");
    if (next.instruction) {
      if (failed(visit(op, *next.instruction, frame)))
        return failure();
      continue;
    }
    LogicalResult done =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<scf::ForOp, scf::IfOp>([&](auto op) { return visit(op, frame); })
            .Case<SetFlagOp, WaitFlagOp, BarrierOp, SyncAllOp>([&](auto op) {
              visitSync(op, frame);
              return success();
            })
            .Default([&](Operation *op) -> LogicalResult {
              if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
                return op->emitError("is control flow that synchronisation cannot follow");
              if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex())
                set(op->getResult(0), evaluate(op));
              else if (findsNeeds)
                setPlace(op);
              return success();
            });
    if (failed(done))
      return failure();
  }
  return success();
}

int32_t TraceBuilder::enter(Operation *op, int32_t frame) {
  int32_t visit = trace.visits.size();
  trace.visits.push_back({op, static_cast<int32_t>(trace.steps.size()), -1, frame});
  trace.steps.push_back({Step::Kind::Enter, op, facts.numbers.lookup(op), Pipe::S, frame, visit});
  return visit;
}

void TraceBuilder::leave(int32_t visit) {
  ExecutionTrace::Visit &left = trace.visits[visit];
  left.exit = trace.steps.size();
  trace.steps.push_back(
      {Step::Kind::Exit, left.op, facts.numbers.lookup(left.op), Pipe::S, left.parentFrame, visit});
}

int32_t TraceBuilder::pushFrame(int32_t visit) {
  int32_t depth = trace.frames[trace.visits[visit].parentFrame].depth + 1;
  trace.frames.push_back({visit, depth});
  return trace.frames.size() - 1;
}

/// How often the loop runs in this trace.
int64_t TraceBuilder::getTripCount(scf::ForOp loop) {
  std::optional<int64_t> begin = get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> end = get(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = get(loop.getStep()).getConstant();
  if (begin && end && step && *step > 0)
    return std::min<int64_t>(facts.getFullTrips(loop, choice),
                             *end <= *begin ? 0 : (*end - *begin - 1) / *step + 1);
  return isIdle(loop) ? 0 : facts.getTrips(loop, choice);
}

/// Whether the loop does not run in the current trips of those around it.
bool TraceBuilder::isIdle(scf::ForOp loop) const {
  auto found = llvm::find_if(choice.idle, [&](auto &idle) { return idle.first == loop; });
  if (found == choice.idle.end())
    return false;
  TraceChoice::Runs runs = found->second;
  Trip trip = tripsNow.lookup(facts.varyingWith.lookup(loop));
  bool inFirst = runs == TraceChoice::Runs::First || runs == TraceChoice::Runs::FirstAndLast;
  bool inLast = runs == TraceChoice::Runs::Last || runs == TraceChoice::Runs::FirstAndLast;
  return !(inFirst && trip.isFirst) && !(inLast && trip.isLast);
}

/// Whether a loop that has run in full may go on, and its trips move through local memory.
bool TraceBuilder::mayGoOn(scf::ForOp loop, int64_t trips) {
  return trips >= facts.getFullTrips(loop, choice) && !facts.movingViews.lookup(loop).empty() &&
         facts.tripLimits.lookup(loop).value_or(trips + 1) > trips;
}

LogicalResult TraceBuilder::visit(scf::ForOp loop, int32_t frame) {
  for (Value init : loop.getInitArgs())
    if (isa<BaseMemRefType>(init.getType()))
      return loop.emitError("carries a buffer, which synchronisation cannot follow");
  int64_t trips = getTripCount(loop);
  IndexExpression induction = get(loop.getLowerBound()), step = get(loop.getStep());
  SmallVector<IndexExpression> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(get(init));

  // One more trip stands for all that follow: its views lie anywhere from their place on.
  int64_t last = mayGoOn(loop, trips) ? trips : trips - 1;
  DenseSet<Operation *> outerViews = openViews;
  int32_t visit = enter(loop, frame);
  for (int64_t trip = 0; trip <= last; ++trip) {
    if (trip == trips)
      openViews.insert_range(facts.movingViews.lookup(loop));
    tripsNow[loop] = {trip == 0, trip == last, trip + 1 >= facts.getFullTrips(loop, choice)};
    int32_t iteration = pushFrame(visit);
    set(loop.getInductionVar(), induction);
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
      set(argument, value);
    if (failed(walk(*loop.getBody(), iteration)))
      return failure();
    carried.clear();
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      carried.push_back(get(value));
    induction = IndexExpression::add(induction, step).value_or(makeUnknown());
  }
  openViews = std::move(outerViews);
  leave(visit);
  for (auto [result, value] : llvm::zip(loop.getResults(), carried))
    set(result, value);
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
  Trip trip = tripsNow.lookup(facts.turningLoops.lookup(condition));
  return choice.holds[trip.isFirst ? 0 : trip.comesBack ? 2 : 1];
}

LogicalResult TraceBuilder::visit(scf::IfOp condition, int32_t frame) {
  Block *block = holds(condition) ? condition.thenBlock() : condition.elseBlock();
  int32_t visit = enter(condition, frame);
  if (block && failed(walk(*block, pushFrame(visit))))
    return failure();
  leave(visit);
  for (auto [index, result] : llvm::enumerate(condition.getResults())) {
    if (isa<BaseMemRefType>(result.getType()))
      return condition.emitError("chooses a buffer, which synchronisation cannot follow");
    set(result, get(block->getTerminator()->getOperand(index)));
  }
  return success();
}

void TraceBuilder::visitSync(Operation *op, int32_t frame) {
  Step step{Step::Kind::Barrier, op, -1, Pipe::S, frame};
  auto addFlag = [&](auto flag, Step::Kind kind) {
    step.kind = kind;
    step.slotNumber = flag.getSlot() ? get(flag.getSlot()).getConstant().value_or(-1) : 0;
  };
  if (auto barrier = dyn_cast<BarrierOp>(op))
    step.pipe = barrier.getPipe();
  if (isa<SyncAllOp>(op))
    step.pipe = Pipe::ALL;
  if (auto flag = dyn_cast<SetFlagOp>(op))
    addFlag(flag, Step::Kind::Set);
  if (auto flag = dyn_cast<WaitFlagOp>(op))
    addFlag(flag, Step::Kind::Wait);
  trace.steps.push_back(step);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void TraceBuilder::setPlace(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    int64_t begin = alloc.getAddress().value_or(0);
    localPlaces[alloc.getResult()] = {
        alloc, alloc.getMemory(), begin, begin + alloc.getByteSize(), {}, begin, begin};
  } else if (auto slot = dyn_cast<SlotOp>(op)) {
    setSlot(slot);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    setSlice(slice);
  } else if (auto address = dyn_cast<AddressOp>(op)) {
    SmallVector<IndexExpression, 4> place;
    if (auto lookup = address.getArray().getDefiningOp<LookupOp>())
      place.push_back(get(lookup.getIndex()));
    for (Value index : address.getIndices())
      place.push_back(get(index));
    globalPlaces[address.getResult()] = std::move(place);
  }
}

void TraceBuilder::setSlot(SlotOp op) {
  LocalPlace place = localPlaces.lookup(op.getBuffer());
  std::optional<int64_t> number = get(op.getIndex()).getConstant();
  if (place.buffer && number && *number >= 0 && *number < place.buffer.getSlotCount()) {
    place.begin += *number * place.buffer.getSlotPitchBytes();
    place.end = place.begin + place.buffer.getSlotPitchBytes();
    place.slot = op.getIndex();
    place.lastBegin = place.begin;
    place.origin = place.begin;
  } else {
    place.lastBegin = place.end;
    place.origin = makeUnknown();
  }
  localPlaces[op.getResult()] = place;
}

void TraceBuilder::setSlice(SliceOp op) {
  LocalPlace place = localPlaces.lookup(op.getBuffer());
  int64_t bytes = cast<MemRefType>(op.getBuffer().getType()).getElementTypeBitWidth() / 8;
  IndexExpression offset = get(op.getOffset());
  std::optional<int64_t> least = offset.getConstant(), most = least;
  // What only the run knows stands for every trip as it is.
  bool isOpen = least && openViews.contains(op);
  if (!least)
    least = facts.ranges.getLowerBound(op.getOffset());
  if (!most || isOpen)
    most = facts.ranges.getUpperBound(op.getOffset());
  // Without a bound a view may lie anywhere in its buffer.
  auto moveBy = [&](int64_t position, std::optional<int64_t> elements, int64_t otherwise) {
    bool isInside = elements && *elements >= 0 && *elements <= place.end;
    return isInside ? std::min(position + *elements * bytes, place.end) : otherwise;
  };
  place.begin = moveBy(place.begin, least, place.begin);
  place.lastBegin = std::max(place.begin, moveBy(place.lastBegin, most, place.end));
  std::optional<IndexExpression> moved = IndexExpression::multiply(offset, bytes);
  moved = moved && !isOpen ? IndexExpression::add(place.origin, *moved) : std::nullopt;
  place.origin = moved ? *moved : makeUnknown();
  localPlaces[op.getResult()] = place;
}

std::optional<Span> TraceBuilder::getSpan(const IndexExpression &begin,
                                          const IndexExpression &size) {
  std::optional<IndexExpression> end = IndexExpression::add(begin, size);
  return end ? std::optional(Span{begin, *end}) : std::nullopt;
}

/// The bytes that an access writes, where only the run knows them; none otherwise.
const Span *TraceBuilder::getWrittenPart(const Access &access) {
  if (!access.exactSize)
    return nullptr;
  const IndexExpression &origin = localPlaces.find(access.memory)->second.origin;
  std::optional<IndexExpression> size =
      IndexExpression::multiply(get(access.exactSize->amount), access.exactSize->unitBytes);
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
  auto found = globalPlaces.find(access.memory);
  if (!access.length || found == globalPlaces.end() || found->second.empty())
    return {};
  SmallVector<IndexExpression, 4> begins = found->second;
  SmallVector<std::optional<IndexExpression>, 4> sizes(begins.size(), IndexExpression(1));
  sizes.back() = get(access.length);
  for (const GlobalFacts::Level &level : access.levels) {
    if (facts.ranges.getUpperBound(level.count).value_or(2) <= 1)
      continue;
    if (!level.dimension || *level.dimension >= static_cast<int64_t>(begins.size()))
      return {};
    // The last one takes no more of the dimension than one step and its own size.
    std::optional<IndexExpression> &size = sizes[*level.dimension];
    std::optional<IndexExpression> steps = IndexExpression::multiply(
        get(level.count), level.step ? get(level.step) : IndexExpression(1));
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
  if (!facts.writtenArrays.contains(access.array))
    return;
  global.add(access.array, {step, pipe, access.isWrite, getSpans(access)}, needs,
             [&](int32_t left, int32_t right) {
               if (access.isDistinct && trace.steps[left].op == trace.steps[right].op)
                 return true;
               return !access.isWorkspace && areInParallelIterations(left, right);
             });
}

/// An access at a place that is not known as one that covers all places it may be at; none where
/// it may be taken as it is.
static std::optional<Access> widen(const Access &access, const LocalPlace &place) {
  int64_t extent = access.getExtentBytes();
  if (place.begin == place.lastBegin || access.toEnd || extent == 0)
    return std::nullopt;
  return Access{access.memory, access.isWrite, /*toEnd=*/false,
                extent + place.lastBegin - place.begin};
}

LogicalResult TraceBuilder::visit(Operation &instruction, const InstructionFacts &known,
                                  int32_t frame) {
  int pipes = known.pipes.size();
  for (int pipeNumber = 0; pipeNumber < pipes; ++pipeNumber) {
    if (failed(visit(instruction, known, pipeNumber, frame)))
      return failure();
    trace.steps.back().before = pipeNumber;
    trace.steps.back().after = pipes - 1 - pipeNumber;
  }
  return success();
}

LogicalResult TraceBuilder::visit(Operation &instruction, const InstructionFacts &known,
                                  int pipeNumber, int32_t frame) {
  int32_t step = trace.steps.size();
  Pipe pipe = known.pipes[pipeNumber];
  trace.steps.push_back({Step::Kind::Instruction, &instruction, known.number, pipe, frame,
                         static_cast<int32_t>(trace.needs.size())});
  if (!findsNeeds)
    return success();
  struct Touched {
    const LocalPlace &place;
    const Access &known;
    std::optional<Access> widened;
    int32_t footprint;
    LocalHistory::Actor actor;

    const Access &getAccess() const { return widened ? *widened : known; }
  };
  std::optional<LocalHistory::Apart> apart = getApart(known, frame);
  SmallVector<Touched, 4> touched;
  for (const Access &access : known.local) {
    if (access.pipeNumber != pipeNumber)
      continue;
    auto place = localPlaces.find(access.memory);
    if (place == localPlaces.end() || !place->second.buffer)
      return instruction.emitError("uses a buffer that no ascend.alloc of the kernel made");
    touched.push_back({place->second,
                       access,
                       widen(access, place->second),
                       /*footprint=*/0,
                       {step, pipe, &instruction, getWrittenPart(access), apart}});
    Touched &touch = touched.back();
    touch.footprint = facts.pieces.getFootprint(&access, touch.place, touch.getAccess());
  }
  local.grow(facts.pieces.getOrigins());
  auto getPieces = [&](const Touched &touch) { return facts.pieces.getPieces(touch.footprint); };

  Needs needs;
  for (const Touched &touch : touched)
    local.collect(getPieces(touch), touch.place, touch.getAccess(), touch.actor, needs);
  for (const GlobalFacts &access : known.global)
    if (access.pipeNumber == pipeNumber)
      addGlobal(access, pipe, step, needs);
  for (bool isWrite : {false, true})
    for (const Touched &touch : touched)
      if (touch.known.isWrite == isWrite)
        local.record(getPieces(touch), touch.place, touch.getAccess(), touch.actor);
  for (int index = 0; index < pipeCount; ++index)
    if (needs[index].step >= 0)
      trace.needs.push_back({static_cast<Pipe>(index), needs[index]});
  trace.steps.back().needCount = trace.needs.size() - trace.steps.back().detail;
  return success();
}
