// What a bound kernel would cost on the chip, roughly: good enough to choose sizes and forms by.
#ifndef ATTN_TILEONCHIP_COSTESTIMATE_H
#define ATTN_TILEONCHIP_COSTESTIMATE_H

#include "attn/TileOnChip/GroupCosts.h"
#include "attn/TileOnChip/Placement.h"

namespace attn::onchip {

/// The work of one core on its share of the grid. Sizes that are only known when the kernel runs
/// are assumed alike for every choice, so that only comparisons mean something.
struct CostEstimate {
  double gmBytes = 0;
  double vectorCycles = 0;
  /// The work of all pipes, overlapped where the stages of the loops allow it.
  double cycles = 0;
};

/// The kernel must be bound and free of softmax states.
CostEstimate estimateCost(mlir::func::FuncOp kernel, const ChipModel &model,
                          const Placement &placement);

/// Of a group, whose halves run at once. All groups share L2, through which they move their bytes.
CostEstimate joinHalves(const CostEstimate &vector, const CostEstimate &cube,
                        const CostModel &costs);

/// Of one core of a kernel that is still to be split, without what strips and parts add.
CostEstimate estimateHalf(mlir::func::FuncOp kernel, const GroupCosts &costs, CoreKind core);

/// What an op of such a kernel and everything inside it cost one core of a kind.
OpCost estimateOp(mlir::Operation *op, const GroupCosts &costs, CoreKind core);

/// The iterations of a loop, as many as estimates assume where they are not known.
double estimateTrips(tile::RangeOp range);

std::string describeShape(mlir::func::FuncOp kernel);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_COSTESTIMATE_H
