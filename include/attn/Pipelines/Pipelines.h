// The named pipelines: the only place where pass order is written.
#ifndef ATTN_PIPELINES_PIPELINES_H
#define ATTN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace attn {

/// Makes tile kernels fit the chip: softmax form, block sizes, grid.
mlir::LogicalResult addTileStage(mlir::OpPassManager &manager,
                                 llvm::StringRef softmaxForm = "auto");

/// Takes tile kernels that fit onto the chip: buffers, memory plan, synchronisation.
mlir::LogicalResult addAscendStage(mlir::OpPassManager &manager);

/// Registers the stages as `attn-tile` and `attn-ascend`, and both as `attn-all`.
void registerPipelines();

} // namespace attn

#endif // ATTN_PIPELINES_PIPELINES_H
