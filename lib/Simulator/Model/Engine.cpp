// The discrete-event simulation of all cores and the GM bandwidth they share.
#include "Engine.h"

using namespace attn;
using namespace attn::simulator;

Engine::Engine(Chipwide &shared)
    : shared(shared),
      memory(static_cast<double>(shared.chip.hbmPoolBytesPerSecond) / shared.chip.clockHz) {
  int count = std::min(shared.blocks, shared.chip.vectorCores);
  cores.reserve(count);
  for (int core = 0; core < count; ++core)
    cores.emplace_back(core, shared, static_cast<Surroundings &>(*this));
}

void Engine::run() {
  for (int core = 0, count = cores.size(); core < count; ++core)
    schedule(core * shared.costs.blockStagger, EventKind::StartBlock, core,
             static_cast<int>(nextBlock++));
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

void Engine::finishBlock(int core, double time) {
  lastEnd = std::max(lastEnd, time);
  if (nextBlock < shared.blocks)
    schedule(time + shared.costs.nextBlock, EventKind::StartBlock, core,
             static_cast<int>(nextBlock++));
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

double Engine::getBusyCycles(int pipe) const {
  double total = 0;
  for (const Core &core : cores)
    total += core.getBusyCycles(pipe);
  return total;
}
