// What instructions and transfers cost on a chip (tile on the chip).
#include "attn/TileOnChip/CostModel.h"
#include <algorithm>
#include <cmath>

using namespace attn;
using namespace attn::onchip;

CostModel::CostModel(const Chip &chip) : maxRepeats(std::max<double>(1, chip.maxRepeats)) {
  double cores = std::max<double>(1, chip.vectorCores);
  double clock = std::max<double>(1, chip.clockHz);
  hbmBytesPerCycle = std::max(1e-3, chip.hbmPoolBytesPerSecond / cores / clock);
}

double CostModel::getCycles(VectorFamily family, double instructions, double repeats) const {
  VectorCost cost = getVectorCost(family, /*elementBytes=*/4);
  double fewest = std::ceil(repeats / maxRepeats);
  return std::max(instructions, fewest) * (cost.start + cost.drain) + repeats * cost.slope;
}

OpCost CostModel::getTransfer(bool isLoad, int64_t rows, double bytes, double movedBytes) const {
  OpCost cost;
  cost.gmBytes = bytes;
  cost.transferCycles = std::max(
      {costs.copyIssue, getCopyWork(costs, isLoad, rows, bytes), movedBytes / hbmBytesPerCycle});
  cost.transferStart = isLoad ? costs.loadStart : costs.storeStart;
  return cost;
}
