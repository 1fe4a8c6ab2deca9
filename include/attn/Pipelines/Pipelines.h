// The named pipelines: the only place where pass order is written.
#ifndef ATTN_PIPELINES_PIPELINES_H
#define ATTN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace attn {

/// What a kernel can be printed as.
enum class Stage { Tile, Ascend, AscendC };

/// Appends the passes of a stage: `attn-tile` makes tile kernels fit the chip, `attn-ascend` takes
/// them onto it. `Stage::AscendC` has none of its own.
mlir::LogicalResult addStage(mlir::OpPassManager &manager, Stage stage);

/// Registers `attn-tile`, `attn-ascend` and `attn-all`.
void registerPipelines();

} // namespace attn

#endif // ATTN_PIPELINES_PIPELINES_H
