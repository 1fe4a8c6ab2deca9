// What instructions and transfers cost on a chip (tile on the chip).
#include "attn/TileOnChip/CostModel.h"
#include "attn/Machine/Architecture.h"
#include "llvm/Support/MathExtras.h"
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
  cost.transferStart = isLoad ? costs.loadStart + costs.missLatency : costs.storeStart;
  return cost;
}

OpCost CostModel::getFractalLoad(int64_t rows, double bytes) const {
  OpCost cost;
  cost.gmBytes = bytes;
  // Rows of whole lines of L2 begin at a line wherever the tile lies in its array.
  bool isInLines = std::fmod(bytes / rows, architecture::l2LineBytes) == 0;
  double factor = costs.sharedLinesToL1Factor * (isInLines ? 1 : costs.unalignedStartFactor);
  cost.transferCycles = std::max(
      {costs.copyIssue, rows * costs.loadToL1Row, bytes * factor / costs.loadToL1BytesPerCycle});
  cost.transferStart = costs.loadStart;
  return cost;
}

OpCost CostModel::getProduct(int64_t m, int64_t n, int64_t k, int64_t elementBytes,
                             int64_t parts) const {
  double depth = elementBytes == 1   ? costs.mmadDepth8
                 : elementBytes == 2 ? costs.mmadDepth16
                                     : costs.mmadDepth32;
  OpCost cost;
  cost.feedCycles =
      k * elementBytes * (m / costs.loadToL0ABytesPerCycle + n / costs.loadToL0BBytesPerCycle);
  double fractals = llvm::divideCeil(m, architecture::fractalRows) *
                    llvm::divideCeil(n, architecture::fractalRows);
  cost.productCycles = parts * costs.mmad + fractals * std::ceil(k / depth);
  return cost;
}

OpCost CostModel::getOutput(int64_t rows, double bytes) const {
  OpCost cost;
  cost.gmBytes = bytes;
  cost.outCycles =
      costs.fixOutStart + std::max(rows * costs.fixOutRow, bytes / costs.fixOutBytesPerCycle);
  return cost;
}

OpCost CostModel::getOutputToL1(int64_t elements) const {
  OpCost cost;
  cost.outCycles = costs.fixToL1Start + elements / costs.fixToL1ElementsPerCycle;
  return cost;
}

OpCost CostModel::getBiasLoad(double bytes) const {
  OpCost cost;
  cost.feedCycles = costs.loadBiasStart + bytes / costs.loadBiasBytesPerCycle;
  return cost;
}
