// The named pipelines: the only place where pass order is written.
#include "attn/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace attn;

LogicalResult attn::addTileStage(OpPassManager &manager, StringRef softmaxForm) {
  std::string passes = ("tile-decompose-softmax{form=" + softmaxForm +
                        "},"
                        "tile-fit-tiles,"
                        "tile-clamp-grid,"
                        "canonicalize,"
                        "cse,"
                        "tile-verify")
                           .str();
  return parsePassPipeline(passes, manager);
}

LogicalResult attn::addAscendStage(OpPassManager &manager) {
  return parsePassPipeline("convert-tile-to-ascend,"
                           "canonicalize,"
                           "cse,"
                           "func.func("
                           "ascend-expand-composites,"
                           "ascend-double-buffer),"
                           "canonicalize,"
                           "cse,"
                           "func.func("
                           "ascend-plan-memory,"
                           "ascend-insert-sync,"
                           "ascend-assign-events,"
                           "ascend-verify)",
                           manager);
}

namespace {

struct TileStageOptions : PassPipelineOptions<TileStageOptions> {
  Option<std::string> softmax{
      *this, "softmax", llvm::cl::desc("the form of softmax states, as of tile-decompose-softmax"),
      llvm::cl::init("auto")};
};

/// Registers a pipeline; `add` appends its passes.
template <typename Options>
void registerPipeline(StringRef name, StringRef description,
                      std::function<LogicalResult(OpPassManager &, const Options &)> add) {
  registerPassPipeline(
      name, description,
      [add](OpPassManager &manager, StringRef text,
            function_ref<LogicalResult(const Twine &)>) -> LogicalResult {
        Options options;
        return failure(failed(options.parseFromString(text)) || failed(add(manager, options)));
      },
      [](function_ref<void(const detail::PassOptions &)> handle) { handle(Options()); });
}

} // namespace

void attn::registerPipelines() {
  registerPipeline<TileStageOptions>(
      "attn-tile", "Make tile kernels fit the chip: softmax form, block sizes, grid",
      [](OpPassManager &manager, const TileStageOptions &options) {
        return addTileStage(manager, options.softmax);
      });
  registerPipeline<EmptyPipelineOptions>(
      "attn-ascend", "Take tile kernels that fit onto the chip: buffers, plan, sync",
      [](OpPassManager &manager, const EmptyPipelineOptions &) { return addAscendStage(manager); });
  registerPipeline<TileStageOptions>("attn-all", "attn-tile and attn-ascend",
                                     [](OpPassManager &manager, const TileStageOptions &options) {
                                       return failure(
                                           failed(addTileStage(manager, options.softmax)) ||
                                           failed(addAscendStage(manager)));
                                     });
}
