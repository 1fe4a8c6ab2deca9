// Finds loops whose iterations take the same instructions in the same time.
#include "LoopHistory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace attn;
using namespace attn::simulator;

/// Two windows of at least so many iterations and cycles are compared: cores that share bandwidth
/// are never quite in step, and what they take is even only on average.
static constexpr int64_t minWindow = 2;
static constexpr double minWindowCycles = 300000;
/// Iterations that are remembered.
static constexpr size_t maxTurns = 1000;
/// How far the times of the two windows may be apart on one core, as a share.
static constexpr double tolerance = 0.05;

/// Any large odd numbers: the base of the polynomial, and what makes one number of an instruction
/// and its amounts.
static constexpr uint64_t base = 0x9e3779b97f4a7c15;
static constexpr uint64_t factors[] = {0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};

static uint64_t getPower(uint64_t exponent) {
  uint64_t power = 1;
  for (uint64_t square = base; exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1)
      power *= square;
  return power;
}

void LoopHistory::addInstruction(const Issued &issued) {
  uint64_t coefficient = issued.instruction->number;
  for (auto [amount, factor] : llvm::zip_equal(issued.amounts, factors))
    coefficient += static_cast<uint64_t>(amount) * factor;
  hash = hash * base + coefficient;
  ++instructions;
}

void LoopHistory::addTurn(const LoopTurn &turn, double time, const CoreWork &work) {
  Loop &loop = findOrAdd(turn.loop);
  int64_t step = loop.distance - turn.distance;
  bool goesOn = loop.turnCount > 0 && step > 0 && (loop.turnCount == 1 || step == loop.step);
  if (!goesOn) { // It was entered again.
    loop.turns.clear();
    loop.repeats = {};
    loop.turnCount = 0;
  }
  loop.step = step;
  loop.distance = turn.distance;
  ++loop.turnCount;
  loop.turns.push_back({time, hash - loop.firstHash * getPower(instructions - loop.first), work});
  if (loop.turns.size() > maxTurns)
    loop.turns.pop_front();
  countRepeats(loop);
  loop.first = instructions;
  loop.firstHash = hash;
  // Loops inside it have ended.
  llvm::erase_if(steady, [&](const SteadyLoop &other) { return other.loop >= turn.loop; });
  if (std::optional<SteadyLoop> found = findSteadyState(loop))
    steady.push_back(*found);
}

void LoopHistory::countRepeats(Loop &loop) {
  int64_t last = loop.turns.size() - 1;
  for (int64_t repeat = 1; repeat <= maxRepeat; ++repeat) {
    // The first turn ends nothing.
    bool isSame = last > repeat && loop.turns[last].hash == loop.turns[last - repeat].hash;
    loop.repeats[repeat] = isSame ? loop.repeats[repeat] + 1 : 0;
  }
}

std::optional<SteadyLoop> LoopHistory::findSteadyState(const Loop &loop) {
  int64_t last = loop.turns.size() - 1;
  if (last < 2 * minWindow)
    return std::nullopt;
  double average = (loop.turns.back().time - loop.turns.front().time) / last;
  double fewest = std::max<double>(minWindow, std::ceil(minWindowCycles / average));
  for (int64_t repeat = 1; repeat <= maxRepeat && fewest < last; ++repeat) {
    int64_t window = llvm::alignTo(static_cast<int64_t>(fewest), repeat);
    if (last < 2 * window || loop.repeats[repeat] < 2 * window - repeat)
      continue;
    double late = loop.turns[last].time - loop.turns[last - window].time;
    double early = loop.turns[last - window].time - loop.turns[last - 2 * window].time;
    if (std::abs(late - early) > tolerance * late)
      return std::nullopt;
    return SteadyLoop{loop.number,
                      repeat,
                      2 * window,
                      (late + early) / (2 * window),
                      (late - early) / window,
                      (loop.distance - 1) / loop.step};
  }
  return std::nullopt;
}

CoreWork LoopHistory::getWork(const SteadyLoop &loop) const {
  const std::deque<Turn> &turns = find(loop.loop)->turns;
  const CoreWork &begin = turns[turns.size() - 1 - loop.seen].work;
  CoreWork work = turns.back().work;
  for (int pipe = 0; pipe < pipeCount; ++pipe)
    work.busy[pipe] -= begin.busy[pipe];
  work.lines -= begin.lines;
  work.held -= begin.held;
  work.hbmLines -= begin.hbmLines;
  return work;
}

void LoopHistory::forget(int32_t number) {
  for (Loop &loop : loops)
    if (loop.number >= number) {
      loop.turns.clear();
      loop.repeats = {};
    }
  llvm::erase_if(steady, [&](const SteadyLoop &loop) { return loop.loop >= number; });
}

const LoopHistory::Loop *LoopHistory::find(int32_t number) const {
  for (const Loop &loop : loops)
    if (loop.number == number)
      return &loop;
  return nullptr;
}

LoopHistory::Loop &LoopHistory::findOrAdd(int32_t number) {
  auto at = llvm::find_if(loops, [&](const Loop &loop) { return loop.number >= number; });
  if (at == loops.end() || at->number != number)
    at = loops.emplace(at, number);
  return *at;
}
