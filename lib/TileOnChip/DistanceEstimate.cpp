// How long loops take whose cores run apart by a distance (tile on the chip, analysis).
#include "attn/TileOnChip/DistanceEstimate.h"
#include "attn/Machine/Groups.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

//===----------------------------------------------------------------------===//
// What levels cost
//===----------------------------------------------------------------------===//

/// The level at which cores of one kind need an op that any core runs, or something made of it; -1
/// where they do not.
static int64_t findFirstUse(const ExchangeBlock &block, Operation *op, CoreKind core) {
  int64_t first = -1;
  for (Operation *user : op->getUsers()) {
    Operation *in = block.block->findAncestorOpInBlock(*user);
    auto found = in ? block.levels.find(in) : block.levels.end();
    int64_t level = -1;
    if (found != block.levels.end())
      level = (found->second % 2 == 0) == (core == CoreKind::Cube) ? found->second : -1;
    else if (in && in != op)
      level = findFirstUse(block, in, core);
    if (level >= 0 && (first < 0 || level < first))
      first = level;
  }
  return first;
}

DistanceEstimate::DistanceEstimate(func::FuncOp kernel, const GroupCosts &costs) : costs(costs) {
  CoreAssignment assignment(kernel);
  for (ExchangeBlock &block : ExchangePlan::findBlocks(kernel, assignment)) {
    if (block.preload == 0)
      continue;
    Loop loop;
    size_t count = 0;
    for (auto &[op, level] : block.levels)
      count = std::max<size_t>(count, level + 1);
    loop.block = std::move(block);
    loop.levels.resize(count);
    findOps(loop, CoreKind::Cube);
    findOps(loop, CoreKind::Vector);
    loops.push_back(std::move(loop));
  }
}

void DistanceEstimate::findOps(Loop &loop, CoreKind core) {
  auto &ops = core == CoreKind::Cube ? loop.cube : loop.vector;
  for (Operation &op : *loop.block.block) {
    auto found = loop.block.levels.find(&op);
    int64_t level =
        found != loop.block.levels.end() ? found->second : findFirstUse(loop.block, &op, core);
    if (level < 0)
      continue;
    // What crosses is counted at its op for both kinds of cores, and taken at the level after.
    level += (level % 2 == 0) != (core == CoreKind::Cube);
    if (level < static_cast<int64_t>(loop.levels.size()))
      ops.emplace_back(&op, level);
  }
}

/// The parts that an op is cut into.
static double countParts(Operation *op, int64_t part) {
  auto dot = dyn_cast<DotOp>(op);
  if (!dot || part == 0)
    return 1;
  TileType left = dot.getA().getType();
  int64_t inner = dot.getTransposeA() ? left.getRowCount() : left.getColCount();
  return static_cast<double>(std::max(inner, dot.getType().getColCount())) / part;
}

void DistanceEstimate::note(CoreKind core, double strips, int64_t part) {
  for (Loop &loop : loops) {
    for (size_t number = core == CoreKind::Cube ? 0 : 1; number < loop.levels.size(); number += 2)
      loop.levels[number] = {OpCost(), strips, strips};
    for (auto [op, number] : core == CoreKind::Cube ? loop.cube : loop.vector) {
      Level &level = loop.levels[number];
      level.cost +=
          op->getNumRegions() == 0 ? costs.getCost(op, core) : estimateOp(op, costs, core);
      level.parts = std::max(level.parts, strips * countParts(op, part));
    }
  }
}

void DistanceEstimate::noteCube(int64_t part) {
  note(CoreKind::Cube, /*strips=*/1, part);
  for (Loop &loop : loops) {
    loop.trips = std::max(1.0, estimateTrips(loop.block.loop));
    loop.runs = 1;
    for (auto outer = loop.block.loop->getParentOfType<RangeOp>(); outer && !outer.getParallel();
         outer = outer->getParentOfType<RangeOp>())
      loop.runs *= std::max(1.0, estimateTrips(outer));
  }
}

void DistanceEstimate::noteVector(double strips) { note(CoreKind::Vector, strips, /*part=*/0); }

//===----------------------------------------------------------------------===//
// What distances take
//===----------------------------------------------------------------------===//

/// From the signal of the level before to that of this one: the busiest pipe works on all parts,
/// the others on the first or the last of them. What does not cross is loaded before, so that pipes
/// overlap even where there is a single part.
double DistanceEstimate::getLatency(const Level &level) const {
  double busiest = level.cost.getMostCycles(), others = level.cost.getAllCycles() - busiest;
  return level.strips * (busiest + others / std::max(2.0, level.parts)) +
         costs.getModel().getHandoverCycles();
}

/// The latencies of some levels, which wait for each other. A core is at another of its levels when
/// it is signalled: half of that is still to do on average.
double DistanceEstimate::getCycle(const Loop &loop, size_t first, size_t last) const {
  double cycles = 0;
  for (auto [number, level] : llvm::enumerate(loop.levels))
    cycles += getLatency(level) * (number >= first && number <= last ? 1 : 0.5);
  return cycles;
}

/// What an iteration takes at least, however far cores run apart: the busiest pipe, or L2.
double DistanceEstimate::getBound(const Loop &loop) const {
  OpCost cube, vector;
  double strips = 1;
  for (auto [number, level] : llvm::enumerate(loop.levels)) {
    (number % 2 == 0 ? cube : vector) += level.cost;
    if (number % 2 == 1)
      strips = level.strips;
  }
  double bytes = cube.gmBytes + vectorCoresPerGroup * strips * vector.gmBytes;
  return std::max({cube.getMostCycles(), strips * vector.getMostCycles(),
                   costs.getModel().getGroupCycles(bytes)});
}

double DistanceEstimate::getCycles(const Loop &loop, int64_t preload, int64_t lag) const {
  // Fitted to predicted times of attention (docs/Rationale/Groups.md): by what part of an iteration
  // each step of the distance makes a loop longer, which fills and drains.
  constexpr double fill = 0.25;
  // Where there are fewer iterations, nothing is ahead by more.
  double ahead = std::min<double>(preload, loop.trips - 1);
  double late = loop.block.lag > 0 ? std::min<double>(std::min(lag, preload), loop.trips - 1) : 0;
  size_t last = loop.levels.size() - 1;
  size_t lastOnCube = last - last % 2, lastOnVector = last - (last % 2 == 0);
  double cycle = getCycle(loop, 0, lastOnCube) / (ahead + 1);
  // With one level of their own, vector cores wait for products of the same iteration only.
  if (lastOnVector > 1)
    cycle = std::max(cycle, getCycle(loop, 1, lastOnVector) / (late + 1));
  // Groups meet in L2, so that an iteration takes now more, now less: where a cycle would take as
  // long as the busiest pipe, neither of both is reached. The fourth power is fitted as well.
  double bound = getBound(loop);
  auto square = [](double number) { return number * number; };
  double iteration = std::sqrt(std::sqrt(square(square(bound)) + square(square(cycle))));
  return loop.runs * (loop.trips * iteration + fill * bound * std::max(ahead, late));
}

double DistanceEstimate::getCycles(int64_t preload, int64_t lag) const {
  double cycles = 0;
  for (const Loop &loop : loops)
    cycles += getCycles(loop, preload, lag);
  return cycles;
}
