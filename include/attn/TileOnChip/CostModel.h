// What instructions and transfers cost on a chip, in the words of the families of tile ops.
#ifndef ATTN_TILEONCHIP_COSTMODEL_H
#define ATTN_TILEONCHIP_COSTMODEL_H

#include "attn/Machine/Chip.h"
#include "attn/Machine/Costs.h"
#include <algorithm>

namespace attn::onchip {

/// One run of an op on one core.
struct OpCost {
  double gmBytes = 0;
  double vectorCycles = 0;
  double transferCycles = 0;
  /// On cube cores: from L1 to where products take their operands, products, and out of L0C.
  double feedCycles = 0;
  double productCycles = 0;
  double outCycles = 0;
  /// Cycles until a transfer's first bytes arrive, hidden where transfers run ahead.
  double transferStart = 0;

  /// One after the other, on the same core.
  OpCost &operator+=(const OpCost &other) {
    gmBytes += other.gmBytes;
    vectorCycles += other.vectorCycles;
    transferCycles += other.transferCycles;
    feedCycles += other.feedCycles;
    productCycles += other.productCycles;
    outCycles += other.outCycles;
    return *this;
  }

  /// The cycles of the pipe that has the most to do, and of all of them.
  double getMostCycles() const {
    return std::max({vectorCycles, transferCycles, feedCycles, productCycles, outCycles});
  }
  double getAllCycles() const {
    return vectorCycles + transferCycles + feedCycles + productCycles + outCycles;
  }
};

class CostModel {
public:
  explicit CostModel(const Chip &chip);

  /// Cycles of `instructions` of one family over `repeats` in all, each waiting for the one before.
  double getCycles(VectorFamily family, double instructions, double repeats) const;

  /// A copy of `rows` rows with `bytes` in all, for which memory moves `movedBytes`.
  OpCost getTransfer(bool isLoad, int64_t rows, double bytes, double movedBytes) const;

  /// A copy of `rows` rows with `bytes` in all to L1. Other cores read the same operands, so that
  /// L2 mostly has them.
  OpCost getFractalLoad(int64_t rows, double bytes) const;
  /// `parts` products that make m × n sums over k of elements of `elementBytes` together.
  OpCost getProduct(int64_t m, int64_t n, int64_t k, int64_t elementBytes, int64_t parts) const;
  /// The way out of L0C for `rows` rows with `bytes` in all to an array, or `elements` to L1.
  OpCost getOutput(int64_t rows, double bytes) const;
  OpCost getOutputToL1(int64_t elements) const;
  OpCost getBiasLoad(double bytes) const;

  /// What L2 takes for the bytes that a group moves, while the others move theirs.
  double getGroupCycles(double bytes) const { return bytes / costs.l2BytesPerCycle; }

  /// What it takes until a core has heard of a tile of the other kind and its first bytes are
  /// there.
  double getHandoverCycles() const { return costs.crossFlagLatency + costs.loadStart; }

private:
  Costs costs;
  double maxRepeats;
  double hbmBytesPerCycle;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_COSTMODEL_H
