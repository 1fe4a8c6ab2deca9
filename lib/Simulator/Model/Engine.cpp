// The discrete-event simulation of all cores and the GM bandwidth they share.
#include "Engine.h"

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
      memory(static_cast<double>(shared.chip.hbmPoolBytesPerSecond) / shared.chip.clockHz) {
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
  while (!events.empty() || memory.getNextEnd() < SharedRate::never) {
    if (events.empty() || memory.getNextEnd() <= events.top().time) {
      finishTransfers();
      continue;
    }
    Event event = events.top();
    events.pop();
    handle(event);
  }
  for (Core &core : cores)
    if (!core.isFinished())
      core.reportDeadlock();
}

void Engine::handle(const Event &event) {
  lastEnd = std::max(lastEnd, event.time);
  Core &core = cores[event.core];
  switch (event.kind) {
  case EventKind::StartBlock:
    return core.startBlock(event.index, event.time);
  case EventKind::StepPipe:
    return core.stepPipe(event.index, event.time);
  case EventKind::RaiseFlag:
    return core.raiseFlag(event.index, event.time);
  case EventKind::StartTransfer:
    return core.startTransfer(event.index, event.time);
  case EventKind::LeaveMeeting:
    return core.leaveMeeting(event.time);
  }
}

void Engine::schedule(double time, EventKind kind, int core, int index) {
  events.push({time, nextOrder++, kind, core, index});
}

void Engine::startTransfer(int core, int pipe, double bytes, double maxRate, double now) {
  memory.add(core * pipeCount + pipe, bytes, maxRate, now);
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
  for (int core = 0; core < coresPerBlock; ++core)
    schedule(time, EventKind::StartBlock, at * coresPerBlock + core, static_cast<int>(nextBlock));
  ++nextBlock;
}

void Engine::finishBlock(int core, double time) {
  lastEnd = std::max(lastEnd, time);
  int at = core / coresPerBlock;
  BlockState &block = places[at];
  block.end = std::max(block.end, time);
  if (--block.running == 0)
    startNextBlock(at, block.end + shared.costs.nextBlock);
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
