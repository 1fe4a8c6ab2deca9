// One core of the chip: how the scalar unit issues, stalls and ends.
#include "Core.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

CoreFacts::CoreFacts(CoreKind kind) {
  memories[static_cast<size_t>(Memory::GM)] = true;
  for (size_t memory = 1; memory < memories.size(); ++memory)
    memories[memory] = getFacts(*ascend::getLocalMemory(static_cast<Memory>(memory))).core == kind;
  for (int source = 0; source < pipeCount; ++source) {
    pipes[source] = hasPipe(kind, static_cast<CorePipe>(source));
    for (int target = 0; target < pipeCount; ++target)
      flags[source][target] =
          hasFlags(kind, static_cast<CorePipe>(source), static_cast<CorePipe>(target));
  }
}

Core::Core(int index, CorePlace place, Chipwide &shared, Surroundings &surroundings)
    : index(index), place(place), jitter(shared.options.jitter, index), facts(place.kind),
      shared(shared), surroundings(surroundings) {}

void Core::startBlock(int64_t block, double time) {
  place.block = block;
  bool isInGroup = shared.kernel.kind == ascend::KernelKind::Mixed;
  place.core = isInGroup && place.kind == CoreKind::Vector
                   ? block * vectorCoresPerGroup + place.subBlock
                   : block;
  program = shared.kernel.start(place);
  if (!shared.options.timingOnly)
    memories.reset(place.kind, shared.chip);
  for (PipeState &pipe : pipes) {
    pipe = PipeState();
    pipe.freeAt = pipe.doneAt = pipe.busyUntil = time;
  }
  flags.assign(pipeCount * pipeCount * shared.chip.eventIds, Flag());
  scalarTime = time;
  scalarClock = {};
  loops = LoopHistory();
  hasNext = hasMet = hasReturnedWell = false;
  meetings = 0;
  state = ScalarState::Running;
  resumeScalar(time);
}

void Core::resumeScalar(double now) {
  state = ScalarState::Running;
  scalarTime = std::max(scalarTime, now);
  while (true) {
    if (!hasNext) {
      ScalarProgram::Stop stop = fetch();
      if (stop == ScalarProgram::Stop::Failed)
        return failScalar();
      if (stop == ScalarProgram::Stop::Noticed) {
        reportScalar();
        continue;
      }
      if (stop == ScalarProgram::Stop::Finished) {
        state = ScalarState::Returned;
        return noticeIdle(now);
      }
      hasNext = true;
      if (!loops.getSteadyLoops().empty() &&
          loops.getPosition(loops.getSteadyLoops().back().loop) == 1)
        surroundings.noticeSteadyLoop(index);
    }
    if (!issue())
      return;
    hasNext = false;
  }
}

ScalarProgram::Stop Core::fetch() {
  ScalarProgram::Stop stop = program->run(next);
  for (const LoopTurn &turn : program->takeTurns())
    beginIteration(turn);
  if (stop == ScalarProgram::Stop::Issue)
    loops.addInstruction(next);
  return stop;
}

void Core::beginIteration(const LoopTurn &turn) {
  if (!skip) {
    scalarTime += shared.costs.scalarOp;
    return loops.addTurn(turn, shared.skippedCycles + scalarTime, work);
  }
  if (turn.loop == skip->loop.loop) {
    skip->time += skip->loop.cycles;
    for (int pipe = 0; pipe < pipeCount; ++pipe)
      work.busy[pipe] += skip->each.busy[pipe];
    work.held += skip->each.held;
  }
  loops.addTurn(turn, skip->time, work);
}

//===----------------------------------------------------------------------===//
// Steady states
//===----------------------------------------------------------------------===//

void Core::beginSkip(const SteadyLoop &loop) {
  CoreWork each = loops.getWork(loop);
  for (double &cycles : each.busy)
    cycles /= loop.seen;
  each.held /= loop.seen;
  skip = {loop, loops.countTurns(loop.loop), loops.getPosition(loop.loop), each,
          loops.getLastTurn(loop.loop)};
}

bool Core::skipToTransfer(int64_t iterations) {
  int32_t loop = skip->loop.loop;
  while (hasNext && (loops.countTurns(loop) < skip->turns + iterations ||
                     loops.getPosition(loop) != skip->position)) {
    if (!ascend::isSynchronisation(next.instruction->opcode))
      shared.count(next);
    std::optional<int> operand = findGlobalOperand(next);
    if (operand)
      touchMemory(next, *operand, getTransfer(shared.costs, next, getArrayAddress(next, *operand)),
                  scalarTime);
    // An iteration that is shorter than those before has no such place, and cores of a group that
    // stop in others have not set and awaited the same flags.
    hasNext = fetch() == ScalarProgram::Stop::Issue;
    int64_t turns = loops.countTurns(loop);
    if (!hasNext || turns < skip->turns || turns > skip->turns + iterations) {
      shared.isLost = true;
      return false;
    }
    if (operand)
      return true;
  }
  return false;
}

void Core::endSkip() {
  loops.forget(skip->loop.loop);
  skip.reset();
}

void Core::reportScalar() {
  const ScalarProgram::Failure &failure = program->getFailure();
  // Scalar steps are not instructions; each fails once per kernel.
  if (shared.log.isNew(failure.kind, -2, failure.step))
    shared.log.add(failure.kind, failure.location, place, nameOf(Pipe::S), failure.message);
}

void Core::failScalar() {
  reportScalar();
  state = ScalarState::Failed;
  noticeIdle(scalarTime);
}

bool Core::issue() {
  const Instruction &instruction = *next.instruction;
  if (instruction.opcode == Opcode::Barrier && instruction.pipe == Pipe::ALL)
    return issueBarrierAll();
  // What a core does not have is left out, so that the run shows what else is wrong.
  if (!fitsCore(next))
    return true;
  if (instruction.opcode == Opcode::SyncAll)
    return issueSyncAll();
  if (instruction.opcode == Opcode::CrossWait)
    return issueCrossWait();
  bool isFlag = instruction.opcode == Opcode::SetFlag || instruction.opcode == Opcode::WaitFlag;
  if (isFlag && !getFlag(next))
    return true;
  if (instruction.opcode == Opcode::Matmul)
    return issueProduct();
  return instruction.pipe == Pipe::S ? issueOnScalarPipe() : issueToPipe();
}

bool Core::fitsCore(const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  auto refuse = [&](HazardKind kind, const Twine &what) {
    shared.log.report(kind, instruction, place,
                      what + ", which a " + getCoreName(place.kind) + " core does not have");
    return false;
  };
  switch (instruction.opcode) {
  case Opcode::SyncAll:
    if (shared.kernel.kind == ascend::KernelKind::MeetingVector)
      return true;
    shared.log.report(HazardKind::Usage, instruction, place,
                      "lets the blocks of a kernel meet whose kind is '" +
                          ascend::stringifyKernelKind(shared.kernel.kind) + "', not '" +
                          ascend::stringifyKernelKind(ascend::KernelKind::MeetingVector) + "'");
    return false;
  case Opcode::CrossSet:
  case Opcode::CrossWait:
    if (!isCrossFlag(issued))
      return false;
    break;
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
    return facts.flags[indexOf(instruction.source)][indexOf(instruction.target)] ||
           refuse(HazardKind::Flag, "uses a flag from " + nameOf(instruction.source) + " to " +
                                        nameOf(instruction.target));
  default:
    break;
  }
  if (!facts.pipes[indexOf(instruction.pipe)])
    return refuse(HazardKind::Usage, "runs on pipe " + nameOf(instruction.pipe));
  for (int operand = 0; operand < instruction.getOperandCount(); ++operand) {
    Memory memory = issued.places[operand].memory;
    if (!facts.memories[static_cast<size_t>(memory)])
      return refuse(HazardKind::Usage, "uses " + nameOf(memory));
  }
  return true;
}

bool Core::issueBarrierAll() {
  if (!areAllIdle()) {
    state = ScalarState::HeldByBarrier;
    return false;
  }
  record(indexOf(Pipe::S), next);
  scalarTime = std::max(scalarTime, getLatestDone()) + shared.costs.barrier;
  passAllPipes();
  return true;
}

/// First this core's pipes must be done, then all blocks must have come.
bool Core::issueSyncAll() {
  if (!areAllIdle()) {
    state = ScalarState::HeldByBarrier;
    return false;
  }
  if (!std::exchange(hasMet, false)) {
    state = ScalarState::InMeeting;
    surroundings.joinMeeting(index, std::max(scalarTime, getLatestDone()));
    return false;
  }
  record(indexOf(Pipe::S), next);
  ++meetings;
  passAllPipes();
  return true;
}

void Core::leaveMeeting(double now) {
  hasMet = true;
  resumeScalar(now);
}

/// All that was issued is known to be done, and every pipe starts again.
void Core::passAllPipes() {
  for (int pipe = 0; pipe < pipeCount; ++pipe) {
    scalarClock[getQueue(pipe)] = pipes[pipe].issued;
    pipes[pipe].isCold = true;
  }
}

bool Core::issueOnScalarPipe() {
  PipeState &scalar = pipes[indexOf(Pipe::S)];
  int flag = *getFlag(next);
  if (next.instruction->opcode == Opcode::SetFlag) {
    record(indexOf(Pipe::S), next);
    next.sequence = ++scalar.issued;
    scalarClock[getQueue(indexOf(Pipe::S))] = scalar.issued;
    scalarTime += shared.costs.flagIssue;
    setFlag(flag, next, scalarClock, scalarTime);
    return true;
  }
  if (flags[flag].raised.empty()) {
    state = ScalarState::HeldByFlag;
    heldBy = flag;
    return false;
  }
  record(indexOf(Pipe::S), next);
  next.sequence = ++scalar.issued;
  scalarTime = clearFlag(flag, next.sequence, scalarClock, scalarTime);
  scalarClock[getQueue(indexOf(Pipe::S))] = scalar.issued;
  return true;
}

bool Core::hasRoom(int pipeIndex) {
  if (pipes[pipeIndex].queue.size() < static_cast<size_t>(shared.costs.queueDepth))
    return true;
  state = ScalarState::QueueFull;
  heldBy = pipeIndex;
  return false;
}

void Core::enqueue(int pipeIndex, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  PipeState &pipe = pipes[pipeIndex];
  // A pipe that has work looks at its queue when that is done.
  if (pipe.queue.empty() && !pipe.isTransferring)
    wake(pipeIndex, std::max(scalarTime, pipe.freeAt));
  Issued &queued = pipe.queue.push_back(issued);
  queued.arrival = scalarTime;
  queued.sequence = ++pipe.issued;
  queued.known = scalarClock;
  if (!ascend::isSynchronisation(instruction.opcode) || instruction.opcode == Opcode::WaitFlag) {
    pipe.lastWork = &instruction;
    pipe.lastWorkSequence = queued.sequence;
  }
}

bool Core::issueToPipe() {
  const Instruction &instruction = *next.instruction;
  int pipeIndex = indexOf(instruction.pipe);
  if (!hasRoom(pipeIndex))
    return false;
  bool works = !ascend::isSynchronisation(instruction.opcode);
  scalarTime += works ? jitter.shake(shared.costs.issue) : shared.costs.flagIssue;
  if (works)
    shared.count(next);
  enqueue(pipeIndex, next);
  return true;
}

bool Core::issueProduct() {
  if (!hasRoom(indexOf(Pipe::MTE1)) || !hasRoom(indexOf(Pipe::M)))
    return false;
  scalarTime += shared.costs.issue;
  shared.count(next);
  enqueue(indexOf(Pipe::MTE1), next);
  enqueue(indexOf(Pipe::M), next);
  return true;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

bool Core::areAllIdle() const {
  return llvm::all_of(
      pipes, [](const PipeState &pipe) { return pipe.queue.empty() && !pipe.isTransferring; });
}

double Core::getLatestDone() const {
  double latest = 0;
  for (const PipeState &pipe : pipes)
    latest = std::max({latest, pipe.doneAt, pipe.freeAt});
  return latest;
}

void Core::noticeIdle(double now) {
  if (!areAllIdle())
    return;
  if (state == ScalarState::HeldByBarrier)
    return resumeScalar(now);
  if (state == ScalarState::Returned || state == ScalarState::Failed)
    endBlock();
}

void Core::endBlock() {
  hasReturnedWell = state == ScalarState::Returned;
  if (hasReturnedWell && !shared.options.timingOnly)
    reportLeftovers();
  state = ScalarState::Ended;
  surroundings.finishBlock(index, std::max(scalarTime, getLatestDone()));
}

void Core::reportLeftovers() {
  for (int pipe = 0; pipe < pipeCount; ++pipe)
    if (pipes[pipe].lastWork && pipes[pipe].lastWorkSequence > scalarClock[getQueue(pipe)])
      shared.log.report(HazardKind::Outstanding, *pipes[pipe].lastWork, place,
                        "may still be under way when the kernel ends: no barrier covers it");
  for (Flag &flag : flags) {
    if (flag.raised.empty() && flag.pending.empty())
      continue;
    // A set whose event has not come yet still raises its flag.
    const Instruction *setter =
        flag.pending.empty() ? flag.raised.back().setter : flag.pending.back().setter;
    if (shared.log.isNew(HazardKind::Flag, setter->number, -3))
      shared.log.add(HazardKind::Flag, setter->location, place, nameOf(setter->pipe),
                     llvm::formatv("{0} of {1} is still raised when the kernel ends", setter->name,
                                   describeFlag(*setter)));
  }
}

HeldList Core::listHeld() const {
  HeldList held;
  for (int pipe = 0; pipe < pipeCount; ++pipe)
    if (pipes[pipe].waitsFor >= 0) {
      const Instruction &instruction = *pipes[pipe].queue.front().instruction;
      held.push_back(
          {instruction.location, llvm::formatv("{0} waits for {1}", nameOf(instruction.pipe),
                                               describeFlag(instruction))});
    }
  if (!hasNext)
    return held;
  std::string reason = "a place in a full queue";
  if (state == ScalarState::HeldByBarrier)
    reason = "all pipes";
  if (state == ScalarState::InMeeting)
    reason = surroundings.describeMissing();
  if (state == ScalarState::HeldByFlag)
    reason = describeFlag(*next.instruction);
  if (state == ScalarState::HeldByCross) {
    reason = llvm::formatv("flag {0} of ", next.instruction->event);
    llvm::interleave(
        listMissingSetters(), [&](int setter) { reason += shared.log.describeCore(setter); },
        [&] { reason += " and "; });
  }
  held.push_back({next.instruction->location, "s waits for " + reason});
  return held;
}
