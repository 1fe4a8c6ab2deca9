// The discrete-event simulation of all cores and the GM bandwidth they share.
#include "Engine.h"
#include "llvm/ADT/Twine.h"
#include <numeric>

using namespace attn;
using namespace attn::simulator;

/// The cores that a block starts, in the order that `CorePlace` counts them.
static llvm::SmallVector<CorePlace, maxCoresPerBlock> listCores(ascend::KernelKind kind) {
  llvm::SmallVector<CorePlace, maxCoresPerBlock> cores(1);
  switch (kind) {
  case ascend::KernelKind::Vector:
  case ascend::KernelKind::MeetingVector:
    break;
  case ascend::KernelKind::Cube:
    cores[0].kind = CoreKind::Cube;
    break;
  case ascend::KernelKind::Mixed:
    cores[0].kind = CoreKind::Cube;
    for (int vector = 0; vector < vectorCoresPerGroup; ++vector) {
      cores.emplace_back();
      cores.back().coreOfBlock = 1 + vector;
      cores.back().subBlock = vector;
    }
    break;
  }
  return cores;
}

Engine::Engine(Chipwide &shared)
    : shared(shared),
      memory({static_cast<double>(shared.chip.hbmPoolBytesPerSecond) / shared.chip.clockHz,
              shared.costs.l2ReadBytesPerCycle * shared.chip.cubeCores,
              shared.costs.l2BytesPerCycle * shared.chip.cubeCores}) {
  llvm::SmallVector<CorePlace, maxCoresPerBlock> block = listCores(shared.kernel.kind);
  coresPerBlock = block.size();
  // A group has one cube core.
  int64_t most = block[0].kind == CoreKind::Cube ? shared.chip.cubeCores : shared.chip.vectorCores;
  places.resize(std::min(shared.blocks, most));
  cores.reserve(places.size() * coresPerBlock);
  for (size_t at = 0; at < places.size(); ++at)
    for (const CorePlace &core : block)
      cores.emplace_back(cores.size(), core, shared, static_cast<Surroundings &>(*this));
}

void Engine::run() {
  for (int at = 0, count = places.size(); at < count; ++at)
    startNextBlock(at, at * shared.costs.blockStagger);
  while (!shared.isLost && (!events.empty() || memory.getNextEnd() < SharedPools::never)) {
    if (events.empty() || memory.getNextEnd() <= events.top().time) {
      finishTransfers();
      continue;
    }
    handle(events.take());
  }
  for (int at = 0, count = places.size(); at < count && !shared.isLost; ++at)
    reportDeadlock(at);
}

void Engine::reportDeadlock(int at) {
  llvm::SmallVector<int, maxCoresPerBlock> chain;
  HeldList held;
  auto add = [&](int coreOfBlock, auto &add) -> void {
    Core &core = cores[at * coresPerBlock + coreOfBlock];
    if (llvm::is_contained(chain, coreOfBlock))
      return;
    chain.push_back(coreOfBlock);
    std::string name = shared.log.describeCore(coreOfBlock);
    if (core.isFinished()) {
      if (coresPerBlock > 1 && chain.size() > 1)
        held.push_back({shared.kernel.location, name + " has ended"});
      return;
    }
    for (auto &[location, text] : core.listHeld())
      held.push_back({location, name.empty() ? text : (llvm::Twine(name) + ": " + text).str()});
    for (int setter : core.listMissingSetters())
      add(setter, add);
  };
  for (int core = 0; core < coresPerBlock; ++core)
    if (!cores[at * coresPerBlock + core].isFinished())
      add(core, add);
  if (held.empty() || !shared.log.isNew(HazardKind::Deadlock, -1))
    return;
  std::string all;
  for (const auto &[location, text] : held)
    all += (all.empty() ? "" : "; ") + text;
  Hazard &hazard = shared.log.add(HazardKind::Deadlock, held.front().first,
                                  cores[at * coresPerBlock + chain.front()].getPlace(), "",
                                  "nothing can go on: " + all);
  hazard.notes.assign(held.begin() + 1, held.end());
}

void Engine::handle(const Event &event) {
  lastEnd = std::max(lastEnd, event.time);
  Core &core = cores[event.core];
  switch (event.kind) {
  case EventKind::StartBlock:
    --startsPending;
    return core.startBlock(event.index, event.time);
  case EventKind::StepPipe:
    return core.stepPipe(event.index, event.time);
  case EventKind::RaiseFlag:
    return core.raiseFlag(event.index, event.time);
  case EventKind::RaiseCross:
    return core.raiseCross(event.index, event.time);
  case EventKind::StartTransfer:
    return core.startTransfer(event.index, event.time);
  case EventKind::LeaveMeeting:
    return core.leaveMeeting(event.time);
  }
}

void Engine::schedule(double time, EventKind kind, int core, int index) {
  events.push({time, nextOrder++, kind, core, index});
}

void Engine::startTransfer(int core, int pipe, const Transfer &transfer, const PoolBytes &drawn,
                           double now) {
  memory.add(core * pipeCount + pipe, transfer.bytes, transfer.getWork(), drawn, now);
}

void Engine::finishTransfers() {
  double now = memory.getNextEnd();
  std::vector<int> ended;
  memory.finish(ended);
  lastEnd = std::max(lastEnd, now);
  for (int id : ended)
    cores[id / pipeCount].finishTransfer(id % pipeCount, now);
}

void Engine::startNextBlock(int at, double time) {
  if (nextBlock == shared.blocks)
    return;
  places[at] = {coresPerBlock, 0};
  startsPending += coresPerBlock;
  for (int core = 0; core < coresPerBlock; ++core)
    cores[at * coresPerBlock + core].clearCrossFlags();
  for (int core = 0; core < coresPerBlock; ++core)
    schedule(time + cores[at * coresPerBlock + core].getStartDelay(), EventKind::StartBlock,
             at * coresPerBlock + core, static_cast<int>(nextBlock));
  ++nextBlock;
}

void Engine::finishBlock(int core, double time) {
  lastEnd = std::max(lastEnd, time);
  int at = core / coresPerBlock;
  BlockState &block = places[at];
  block.end = std::max(block.end, time);
  if (--block.running != 0)
    return;
  llvm::MutableArrayRef<Core> group =
      llvm::MutableArrayRef(cores).slice(at * coresPerBlock, coresPerBlock);
  if (!shared.options.timingOnly &&
      llvm::all_of(group, [](Core &core) { return core.hasReturned(); }))
    for (Core &core : group)
      core.reportCrossLeftovers();
  startNextBlock(at, block.end + shared.costs.nextBlock);
}

void Engine::setCross(int core, const CrossSet &set, double time) {
  int first = core - core % coresPerBlock;
  bool isCube = cores[core].getKind() == CoreKind::Cube;
  for (int other = first; other < first + coresPerBlock; ++other)
    if ((cores[other].getKind() == CoreKind::Cube) != isCube)
      cores[other].expectCross(set, time);
}

void Engine::joinMeeting(int core, double time) {
  meeting.push_back(core);
  lastArrival = std::max(lastArrival, time);
  if (static_cast<int64_t>(meeting.size()) < shared.blocks)
    return;
  double end = lastArrival + shared.costs.syncAllMicroseconds * shared.chip.clockHz * 1e-6;
  for (int member : meeting)
    schedule(end, EventKind::LeaveMeeting, member, 0);
  meeting.clear();
}

//===----------------------------------------------------------------------===//
// Steady states
//===----------------------------------------------------------------------===//

/// Iterations that are simulated at the end of a loop, and the fewest that are worth passing over.
static constexpr int64_t lastIterations = 2, fewestSkipped = 4;
/// How far the iterations of the cores may be apart in time, and how much longer they may get on
/// average of all cores, as shares.
static constexpr double coreTolerance = 0.05, driftTolerance = 0.002;
/// How far the share of lines that L2 lacks may move before the state is another one.
static constexpr double missTolerance = 0.01;

void Engine::noticeSteadyLoop(int core) {
  if (!shared.mayPassOver || startsPending > 0)
    return;
  // A copy: passing over changes the history.
  llvm::SmallVector<SteadyLoop, 4> loops(cores[core].getLoops().getSteadyLoops());
  for (const SteadyLoop &loop : loops)
    if (skipIterations(loop))
      return;
}

static const SteadyLoop *findLike(const LoopHistory &loops, double cycles) {
  for (const SteadyLoop &loop : loops.getSteadyLoops())
    if (std::abs(loop.cycles - cycles) <= coreTolerance * cycles)
      return &loop;
  return nullptr;
}

/// The share of the lines that came from HBM or went there.
static double getMissShare(const CoreWork &work) {
  return work.lines == 0 ? 0 : static_cast<double>(work.hbmLines) / work.lines;
}

static void add(CoreWork &sum, const CoreWork &work, int64_t sign) {
  sum.lines += sign * work.lines;
  sum.hbmLines += sign * work.hbmLines;
}

bool Engine::skipIterations(const SteadyLoop &lead) {
  int64_t repeat = 1, left = lead.left;
  double cycles = 0, drift = 0;
  CoreWork usual;
  llvm::SmallVector<std::pair<Core *, SteadyLoop>> running;
  for (Core &core : cores) {
    if (core.isFinished())
      continue;
    const SteadyLoop *loop = findLike(core.getLoops(), lead.cycles);
    if (!core.isAtInstruction() || !loop)
      return false;
    running.push_back({&core, *loop});
    repeat = std::lcm(repeat, loop->repeat);
    left = std::min(left, loop->left);
    cycles += loop->cycles;
    drift += loop->drift;
    add(usual, core.getLoops().getWork(*loop), 1);
  }
  if (std::abs(drift) > driftTolerance * cycles)
    return false;
  cycles /= running.size();
  int64_t most = (left - lastIterations) / repeat * repeat, done = 0;
  if (most < fewestSkipped)
    return false;
  for (auto &[core, loop] : running)
    core->beginSkip(loop);
  CoreWork before;
  for (auto &[core, loop] : running)
    add(before, core->getWork(), 1);
  for (bool isUsual = true; isUsual && done < most;) {
    done += repeat;
    // Transfer by transfer, so that L2 sees them in the order of time.
    for (bool goesOn = true; goesOn;) {
      goesOn = false;
      for (auto &[core, loop] : running)
        goesOn |= core->skipToTransfer(done);
      if (shared.isLost)
        return true;
    }
    CoreWork skipped;
    add(skipped, before, -1);
    for (auto &[core, loop] : running) {
      add(skipped, core->getWork(), 1);
      isUsual &= core->getLoops().isRepeating(loop.loop, loop.repeat);
    }
    isUsual &= std::abs(getMissShare(skipped) - getMissShare(usual)) <= missTolerance;
  }
  for (auto &[core, loop] : running)
    core->endSkip();
  shared.skippedCycles += done * cycles;
  return true;
}

std::string Engine::describeMissing() const {
  std::string text = "all " + std::to_string(shared.blocks) + " blocks to meet, and " +
                     std::to_string(meeting.size()) + " have come";
  if (nextBlock < shared.blocks)
    text += ": only " + std::to_string(cores.size()) + " run at a time";
  return text;
}

int64_t Engine::getCoreCount(CoreKind kind) const {
  return llvm::count_if(cores, [&](const Core &core) { return core.getKind() == kind; });
}

double Engine::getBusyCycles(CoreKind kind, int pipe) const {
  double total = 0;
  for (const Core &core : cores)
    if (core.getKind() == kind)
      total += core.getBusyCycles(pipe);
  return total;
}

double Engine::getHeldCycles(CoreKind kind) const {
  double total = 0;
  for (const Core &core : cores)
    if (core.getKind() == kind)
      total += core.getHeldCycles();
  return total;
}
