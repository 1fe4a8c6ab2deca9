// One core of the chip: how pipes take instructions, and how flags order them.
#include "Core.h"
#include "CheckEffects.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

void Core::wake(int pipeIndex, double time) {
  if (std::exchange(pipes[pipeIndex].willStep, true))
    return;
  surroundings.schedule(time, EventKind::StepPipe, index, pipeIndex);
}

void Core::stepPipe(int pipeIndex, double now) {
  pipes[pipeIndex].willStep = false;
  drainQueue(pipeIndex, now);
}

void Core::drainQueue(int pipeIndex, double now) {
  PipeState &pipe = pipes[pipeIndex];
  while (!pipe.queue.empty() && !pipe.isTransferring) {
    double earliest = std::max(pipe.queue.front().arrival, pipe.freeAt);
    if (earliest > now)
      return wake(pipeIndex, earliest);
    if (!takeHead(pipeIndex, now))
      return;
    pipe.queue.pop_front();
    if (state == ScalarState::QueueFull && heldBy == pipeIndex)
      resumeScalar(now);
  }
  noticeIdle(now);
}

bool Core::takeHead(int pipeIndex, double now) {
  PipeState &pipe = pipes[pipeIndex];
  const Issued &head = pipe.queue.front();
  const Instruction &instruction = *head.instruction;
  join(pipe.clock, head.known);
  switch (instruction.opcode) {
  case Opcode::WaitFlag: {
    int flag = *getFlag(head);
    pipe.waitsFor = flags[flag].raised.empty() ? flag : -1;
    if (pipe.waitsFor >= 0)
      return false;
    record(pipeIndex, head);
    pipe.isCold = true;
    pipe.freeAt = clearFlag(flag, head.sequence, pipe.clock, now);
    return true;
  }
  case Opcode::SetFlag: {
    record(pipeIndex, head);
    Clock done = pipe.clock;
    done[getQueue(pipeIndex)] = head.sequence;
    setFlag(*getFlag(head), head, done, std::max(now, pipe.doneAt));
    return true;
  }
  case Opcode::CrossSet:
    record(pipeIndex, head);
    setCross(pipeIndex, head, std::max(now, pipe.doneAt));
    return true;
  case Opcode::Barrier:
    record(pipeIndex, head);
    pipe.clock[getQueue(pipeIndex)] = head.sequence;
    pipe.isCold = true;
    pipe.freeAt = std::max(now, pipe.doneAt) + shared.costs.barrier;
    return true;
  case Opcode::Matmul:
    return takeProduct(pipeIndex, now);
  default:
    if (std::optional<int> operand = findGlobalOperand(head))
      beginTransfer(pipeIndex, head, *operand, now);
    else
      runLocally(pipeIndex, head, now);
    return true;
  }
}

bool Core::takeProduct(int pipeIndex, double now) {
  constexpr int loadPipe = static_cast<int>(Pipe::MTE1), sumPipe = static_cast<int>(Pipe::M);
  int otherIndex = pipeIndex == loadPipe ? sumPipe : loadPipe;
  PipeState &loads = pipes[loadPipe], &sums = pipes[sumPipe], &other = pipes[otherIndex];
  if (other.queue.empty() || other.queue.front().instruction->opcode != Opcode::Matmul ||
      std::max(other.queue.front().arrival, other.freeAt) > now)
    return false;
  join(other.clock, other.queue.front().known);
  const Issued &product = sums.queue.front();
  join(sums.clock, loads.clock);
  sums.clock[getQueue(loadPipe)] = loads.queue.front().sequence;
  runLocally(sumPipe, product, now);
  sums.clock[getQueue(sumPipe)] = product.sequence;
  loads.clock = sums.clock;
  sums.freeAt = loads.freeAt = loads.doneAt = sums.doneAt;
  addBusy(loadPipe, now, loads.doneAt);
  other.queue.pop_front();
  if (!other.queue.empty())
    wake(otherIndex, other.freeAt);
  if (state == ScalarState::QueueFull && heldBy == otherIndex)
    resumeScalar(now);
  return true;
}

void Core::runLocally(int pipeIndex, const Issued &issued, double now) {
  PipeState &pipe = pipes[pipeIndex];
  LocalTime time = shared.localTimes.get(shared.costs, issued);
  bool isCold = pipe.isCold || now > pipe.freeAt;
  pipe.freeAt = now + jitter.shake(isCold ? time.start : 0) + jitter.shake(time.work);
  pipe.doneAt = std::max(pipe.doneAt, pipe.freeAt + time.drain);
  pipe.isCold = false;
  addBusy(pipeIndex, now, pipe.doneAt);
  addTrace(pipeIndex, *issued.instruction, now, pipe.freeAt);
  execute(pipeIndex, issued);
}

void Core::beginTransfer(int pipeIndex, const Issued &issued, int globalOperand, double now) {
  PipeState &pipe = pipes[pipeIndex];
  pipe.transfer = getTransfer(shared.costs, issued, getArrayAddress(issued, globalOperand));
  L2Outcome found = touchMemory(issued, globalOperand, pipe.transfer, now);
  pipe.drawn = addMemory(shared.costs, found, pipe.transfer);
  bool isCold = pipe.isCold || now > pipe.freeAt;
  pipe.isCold = false;
  pipe.beganAt = now;
  execute(pipeIndex, issued);
  pipe.lastTransfer = issued.instruction;
  if (pipe.transfer.bytes == 0) {
    pipe.freeAt = now;
    return;
  }
  pipe.isTransferring = true;
  surroundings.schedule(now + jitter.shake(isCold ? pipe.transfer.start : 0),
                        EventKind::StartTransfer, index, pipeIndex);
}

void Core::startTransfer(int pipeIndex, double now) {
  const PipeState &pipe = pipes[pipeIndex];
  surroundings.startTransfer(index, pipeIndex, pipe.transfer, pipe.drawn, now);
}

void Core::finishTransfer(int pipeIndex, double now) {
  PipeState &pipe = pipes[pipeIndex];
  pipe.isTransferring = false;
  pipe.freeAt = pipe.doneAt = now;
  addBusy(pipeIndex, pipe.beganAt, now);
  addTrace(pipeIndex, *pipe.lastTransfer, pipe.beganAt, now);
  drainQueue(pipeIndex, now);
}

void Core::addBusy(int pipeIndex, double begin, double end) {
  PipeState &pipe = pipes[pipeIndex];
  begin = std::max(begin, pipe.busyUntil);
  if (end <= begin)
    return;
  work.busy[pipeIndex] += end - begin;
  pipe.busyUntil = end;
}

void Core::addTrace(int pipe, const Instruction &instruction, double begin, double end) {
  if (index >= shared.options.traceCores)
    return;
  double microsecond = shared.chip.clockHz * 1e-6;
  shared.trace.push_back({index, describeCore(), nameOf(static_cast<Pipe>(pipe)), instruction.name,
                          begin / microsecond, end / microsecond, instruction.location});
}

int64_t Core::getArrayAddress(const Issued &issued, int operand) const {
  return shared.gm.addresses[issued.places[operand].object];
}

L2Outcome Core::touchMemory(const Issued &issued, int globalOperand, const Transfer &transfer,
                            double now) {
  double time = shared.begin + shared.skippedCycles + now;
  L2Outcome found = shared.gm.l2.touch(transfer.rows, {index, time, transfer.getWork()});
  ArrayTraffic &traffic = shared.gm.counts.arrays[issued.places[globalOperand].object];
  (transfer.rows.isWrite ? traffic.bytesWritten : traffic.bytesRead) += transfer.bytes;
  shared.gm.counts.linesRead += found.missed;
  shared.gm.counts.linesWritten += found.writtenBack;
  work.lines += found.lines;
  work.hbmLines += found.missed + found.writtenBack;
  return found;
}

void Core::record(int pipeIndex, const Issued &issued, ArrayRef<Touch> touches) {
  shared.recorder.add(issued, place, static_cast<Pipe>(pipeIndex), touches);
}

void Core::execute(int pipeIndex, const Issued &issued) {
  if (shared.options.timingOnly)
    return;
  const Instruction &instruction = *issued.instruction;
  Execution execution(issued, place, memories, shared.gm.arrays, shared.launch, shared.chip,
                      shared.log);
  execution.run();
  record(pipeIndex, issued, execution.getTouches());
  for (const Touch &touch : execution.getTouches()) {
    const Place &at = issued.places[touch.operand];
    // Of a product, what goes through L0A and L0B is the other pipe's.
    bool isLoad = instruction.opcode == Opcode::Matmul &&
                  (at.memory == Memory::L1 || at.memory == Memory::L0A || at.memory == Memory::L0B);
    int actor = isLoad ? indexOf(Pipe::MTE1) : pipeIndex;
    uint32_t sequence = isLoad ? pipes[actor].queue.front().sequence : issued.sequence;
    ByteMemory &memory = at.isLocal() ? memories.get(at.memory) : shared.gm.arrays[at.object];
    Toucher toucher = {instruction.number, at.object, static_cast<int32_t>(place.block),
                       meetings,           sequence,  getQueue(actor),
                       touch.isOrdered};
    memory.history.add(touch, toucher, pipes[actor].clock, [&](const Conflict &conflict) {
      shared.log.reportRace(instruction, touch, at, place, conflict);
    });
  }
  if (shared.options.checkEffects)
    checkEffects(issued, execution.getTouches(), shared.kernel.listing.ranges, place, shared.log);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

std::optional<int> Core::getFlag(const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  int64_t slot = issued.amounts[0];
  int64_t id = instruction.event + slot;
  bool isSlot = slot >= 0 && slot < instruction.slots;
  if (isSlot && id >= 0 && id < shared.chip.eventIds)
    return (indexOf(instruction.source) * pipeCount + indexOf(instruction.target)) *
               shared.chip.eventIds +
           id;
  std::string problem =
      isSlot
          ? llvm::formatv("uses event {0}; 0 to {1} are there", id, shared.chip.eventIds - 1).str()
          : llvm::formatv("uses slot {0} of {1}", slot, instruction.slots).str();
  shared.log.report(HazardKind::Flag, instruction, place, problem);
  return std::nullopt;
}

void Core::setFlag(int flagIndex, const Issued &issued, const Clock &done, double time) {
  Flag &flag = flags[flagIndex];
  const Instruction &instruction = *issued.instruction;
  // Clearing must be known to be over, or the set may be lost; luck in time does not count.
  bool isCleared = flag.lastWait <= done[getQueue(indexOf(instruction.target))];
  if (!flag.raised.empty() || !flag.pending.empty() || !isCleared)
    shared.log.report(HazardKind::Flag, instruction, place,
                      "raises " + describeFlag(instruction) +
                          (isCleared ? ", which is still raised"
                                     : ", and nothing orders that after the wait that clears it"));
  flag.pending.push_back({&instruction, done});
  surroundings.schedule(time, EventKind::RaiseFlag, index, flagIndex);
}

void Core::raiseFlag(int flagIndex, double now) {
  Flag &flag = flags[flagIndex];
  auto [setter, known] = flag.pending.front();
  flag.pending.pop_front();
  flag.raised.push_back({setter, known, now});
  Pipe target = setter->target;
  if (target == Pipe::S && state == ScalarState::HeldByFlag && heldBy == flagIndex)
    return resumeScalar(now);
  PipeState &pipe = pipes[indexOf(target)];
  if (pipe.waitsFor == flagIndex)
    drainQueue(indexOf(target), now);
}

double Core::clearFlag(int flagIndex, uint32_t sequence, Clock &clock, double now) {
  Flag &flag = flags[flagIndex];
  Flag::Raise raise = flag.raised.front();
  flag.raised.pop_front();
  flag.lastWait = sequence;
  join(clock, raise.known);
  return std::max(now + shared.costs.flagIssue,
                  raise.time + jitter.shake(shared.costs.flagLatency));
}

std::string Core::describeFlag(const Instruction &instruction) const {
  return llvm::formatv("event {0}{1} from {2} to {3}", instruction.event,
                       instruction.slots > 1 ? " (slots)" : "", nameOf(instruction.source),
                       nameOf(instruction.target));
}
