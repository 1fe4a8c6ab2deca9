// The named pipelines: the only place where pass order is written.
#ifndef ATTN_PIPELINES_PIPELINES_H
#define ATTN_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include <string>

namespace attn {

struct TileStageOptions {
  /// The form of bands, as in tile-choose.
  std::string band = "auto";
  /// The form of softmax states, as in tile-choose.
  std::string softmax = "auto";
  /// Block sizes to take, as in tile-choose: "BT=2".
  llvm::SmallVector<std::string> sizes = {};
  /// Columns of strips, and whether to say and keep what was looked at, as in tile-choose.
  int64_t strips = 0;
  bool printAlternatives = false;
  bool recordAlternatives = false;
  /// How blocks wait for each other between phases, as in tile-split-phases.
  std::string phases = "barrier";
  /// Whether composites stay to the end, as in tile-keep-composites.
  bool keepComposites = false;
  /// How the cores of a group share a kernel, as in tile-choose; -1 for its choice.
  int64_t preload = -1;
  int64_t lag = -1;
  int64_t slots = -1;
  int64_t stripRows = -1;
  int64_t part = -1;
  int64_t runOn = 0;
  int64_t order = -1;
};

/// Makes tile kernels fit the chip: softmax form, grid, block sizes.
void addTileStage(mlir::OpPassManager &manager, const TileStageOptions &options = {});

/// Takes tile kernels that fit onto the chip: buffers, memory plan, synchronisation.
void addAscendStage(mlir::OpPassManager &manager);

/// Takes tile kernels that fit to linalg as triton-ascend writes it, for the vendor's compiler.
void addLinalgStage(mlir::OpPassManager &manager);

/// Registers the stages as `attn-tile` and `attn-ascend`, both as `attn-all`, the same with
/// composites kept as `attn-hivm`, and the ways of fitted tile kernels to the vendor's compiler and
/// to the CPU as `attn-linalg` and `attn-cpu`.
void registerPipelines();

} // namespace attn

#endif // ATTN_PIPELINES_PIPELINES_H
