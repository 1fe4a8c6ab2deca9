// What instructions and transfers cost on a chip, in the words of the families of tile ops.
#ifndef ATTN_TILEONCHIP_COSTMODEL_H
#define ATTN_TILEONCHIP_COSTMODEL_H

#include "attn/Machine/Chip.h"
#include "attn/Machine/Costs.h"

namespace attn::onchip {

/// One run of an op on one core.
struct OpCost {
  double gmBytes = 0;
  double vectorCycles = 0;
  double transferCycles = 0;
  /// Cycles until a transfer's first bytes arrive, hidden where transfers run ahead.
  double transferStart = 0;
};

class CostModel {
public:
  explicit CostModel(const Chip &chip);

  /// Cycles of `instructions` of one family over `repeats` in all, each waiting for the one before.
  double getCycles(VectorFamily family, double instructions, double repeats) const;

  /// A copy of `rows` rows with `bytes` in all, for which memory moves `movedBytes`.
  OpCost getTransfer(bool isLoad, int64_t rows, double bytes, double movedBytes) const;

private:
  Costs costs;
  double maxRepeats;
  double hbmBytesPerCycle;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_COSTMODEL_H
