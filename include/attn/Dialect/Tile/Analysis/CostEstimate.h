// What a bound kernel would cost on the chip, roughly: good enough to choose sizes and forms by.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_COSTESTIMATE_H
#define ATTN_DIALECT_TILE_ANALYSIS_COSTESTIMATE_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Machine/Chip.h"

namespace attn::tile {

/// The work of one core on its share of the grid. Sizes that are only known when the kernel runs
/// are assumed alike for every choice, so that only comparisons mean something.
struct CostEstimate {
  double gmBytes = 0;
  double vectorCycles = 0;
  /// Vector work and transfers, overlapped where the stages of the loops allow it.
  double cycles = 0;
};

/// The kernel must be bound and free of softmax states.
CostEstimate estimateCost(mlir::func::FuncOp kernel, const Chip &chip);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_COSTESTIMATE_H
