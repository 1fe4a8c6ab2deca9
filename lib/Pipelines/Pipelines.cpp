// The named pipelines: the only place where pass order is written.
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace attn;

/// The passes of the tile stage, in order.
constexpr StringLiteral tilePasses = "tile-decompose-softmax,"
                                     "tile-fit-tiles,"
                                     "tile-clamp-grid,"
                                     "canonicalize,"
                                     "cse,"
                                     "tile-verify";

/// The passes of the chip stage, in order.
constexpr StringLiteral ascendPasses = "convert-tile-to-ascend,"
                                       "canonicalize,"
                                       "cse,"
                                       "ascend-expand-composites,"
                                       "ascend-double-buffer,"
                                       "canonicalize,"
                                       "cse,"
                                       "ascend-plan-memory,"
                                       "ascend-insert-sync,"
                                       "ascend-assign-events,"
                                       "ascend-verify";

LogicalResult attn::addStage(OpPassManager &manager, Stage stage) {
  switch (stage) {
  case Stage::Tile:
    return parsePassPipeline(tilePasses, manager);
  case Stage::Ascend:
    return parsePassPipeline(ascendPasses, manager);
  case Stage::AscendC:
    return success();
  }
  return failure();
}

/// Registers the pipeline `name` that runs `stages`.
static void registerPipeline(StringRef name, StringRef description, ArrayRef<Stage> stages) {
  SmallVector<Stage> order(stages);
  registerPassPipeline(
      name, description,
      [order](OpPassManager &manager, StringRef options,
              function_ref<LogicalResult(const Twine &)> errorHandler) -> LogicalResult {
        if (!options.empty())
          return errorHandler("the pipeline takes no options");
        for (Stage stage : order)
          if (failed(addStage(manager, stage)))
            return failure();
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

void attn::registerPipelines() {
  registerPipeline("attn-tile", "Make tile kernels fit the chip: softmax form, block sizes, grid",
                   {Stage::Tile});
  registerPipeline("attn-ascend", "Take tile kernels that fit onto the chip: buffers, plan, sync",
                   {Stage::Ascend});
  registerPipeline("attn-all", "attn-tile and attn-ascend", {Stage::Tile, Stage::Ascend});
}
