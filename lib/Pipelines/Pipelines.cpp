// The named pipelines: the only place where pass order is written.
#include "attn/Pipelines/Pipelines.h"
#include "attn/Conversion/TileToAscend/Passes.h"
#include "attn/Conversion/TileToLinalg/Passes.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Dialect/Tile/Transforms/Passes.h"
#include "attn/Pipelines/CpuLowering.h"
#include "attn/Target/Linalg/Passes.h"
#include "attn/TileOnChip/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace attn;

void attn::addTileStage(OpPassManager &manager, const TileStageOptions &options) {
  manager.addPass(createSplitMaskedLoopsPass());
  if (options.keepComposites)
    manager.addPass(createKeepCompositesPass());
  manager.addPass(createCopySumsPass());
  ChoosePassOptions choose;
  choose.band = options.band;
  choose.softmax = options.softmax;
  llvm::append_range(choose.sizes, options.sizes);
  choose.strips = options.strips;
  choose.preload = options.preload;
  choose.lag = options.lag;
  choose.slots = options.slots;
  choose.stripRows = options.stripRows;
  choose.part = options.part;
  choose.runOn = options.runOn;
  choose.order = options.order;
  choose.phases = options.phases;
  choose.printAlternatives = options.printAlternatives;
  choose.recordAlternatives = options.recordAlternatives;
  manager.addPass(createChoosePass(choose));
  // What follows applies the choice in the steps in which the search has tried it.
  manager.addPass(createLowerBandGatherPass());
  manager.addPass(createDecomposeSoftmaxPass());
  manager.addPass(createFillColumnsPass());
  manager.addPass(createClampGridPass());
  manager.addPass(createCSEPass());
  manager.addPass(createFitTilesPass());
  SplitPhasesPassOptions split;
  split.phases = options.phases;
  manager.addPass(createSplitPhasesPass(split));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createBoundCountsPass());
  manager.addPass(createTileVerifyPass());
}

void attn::addAscendStage(OpPassManager &manager) {
  manager.addPass(createBoundIndicesPass());
  manager.addPass(createSplitCoresPass());
  manager.addPass(createConvertTileToAscendPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createDropEmptyLoopsPass());
  manager.addNestedPass<func::FuncOp>(createExpandCompositesPass());
  manager.addNestedPass<func::FuncOp>(createDoubleBufferPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createPlanMemoryPass());
  manager.addNestedPass<func::FuncOp>(createGroupLoadsPass());
  manager.addNestedPass<func::FuncOp>(createShareBarriersPass());
  manager.addPass(createRelateHalvesPass());
  manager.addNestedPass<func::FuncOp>(createInsertSyncPass());
  manager.addNestedPass<func::FuncOp>(createAssignEventsPass());
  manager.addNestedPass<func::FuncOp>(createSplitFarCopiesPass());
  manager.addNestedPass<func::FuncOp>(createAscendVerifyPass());
}

void attn::addLinalgStage(OpPassManager &manager) {
  // As for the CPU, each phase is lowered as a kernel of its own.
  SplitPhasesPassOptions split;
  split.phases = "launches";
  manager.addPass(createSplitPhasesPass(split));
  manager.addPass(createBoundIndicesPass());
  manager.addPass(createConvertTileToLinalgPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createSpellProductsPass());
  manager.addNestedPass<func::FuncOp>(createSpellWholeTensorsPass());
  manager.addNestedPass<func::FuncOp>(createUnrollStripsPass());
  manager.addNestedPass<func::FuncOp>(createCopyCarriedPartsPass());
  manager.addPass(createJoinPhasesPass());
  manager.addPass(createAddProgramIdsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {

struct TilePipelineOptions : PassPipelineOptions<TilePipelineOptions> {
  Option<std::string> band{*this, "band", llvm::cl::desc("the form of bands, as in tile-choose"),
                           llvm::cl::init("auto")};
  Option<std::string> softmax{*this, "softmax",
                              llvm::cl::desc("the form of softmax states, as in tile-choose"),
                              llvm::cl::init("auto")};
  ListOption<std::string> sizes{*this, "sizes",
                                llvm::cl::desc("block sizes to take, as in tile-choose")};
  Option<int64_t> strips{*this, "strips", llvm::cl::desc("columns of strips, as in tile-choose"),
                         llvm::cl::init(0)};
  Option<int64_t> preload{*this, "preload", llvm::cl::desc("of cube cores, as in tile-choose"),
                          llvm::cl::init(-1)};
  Option<int64_t> lag{*this, "lag", llvm::cl::desc("of vector cores, as in tile-choose"),
                      llvm::cl::init(-1)};
  Option<int64_t> slots{*this, "slots", llvm::cl::desc("of exchanged tiles, as in tile-choose"),
                        llvm::cl::init(-1)};
  Option<int64_t> stripRows{*this, "strip-rows",
                            llvm::cl::desc("rows of strips of vector cores, as in tile-choose"),
                            llvm::cl::init(-1)};
  Option<int64_t> part{*this, "part", llvm::cl::desc("of products, as in tile-choose"),
                       llvm::cl::init(-1)};
  Option<int64_t> runOn{*this, "run-on", llvm::cl::desc("of cube cores, as in tile-choose"),
                        llvm::cl::init(0)};
  Option<int64_t> order{*this, "order", llvm::cl::desc("of tiles, as in tile-choose"),
                        llvm::cl::init(-1)};
  Option<bool> printAlternatives{*this, "print-alternatives",
                                 llvm::cl::desc("say what tile-choose looked at"),
                                 llvm::cl::init(false)};
  Option<bool> recordAlternatives{*this, "record-alternatives",
                                  llvm::cl::desc("keep what tile-choose looked at"),
                                  llvm::cl::init(false)};
  Option<std::string> phases{
      *this, "phases",
      llvm::cl::desc("barrier: blocks meet between phases; launches: a kernel per phase"),
      llvm::cl::init("barrier")};

  Option<bool> composites{*this, "composites",
                          llvm::cl::desc("keep composites, as in tile-keep-composites"),
                          llvm::cl::init(false)};

  TileStageOptions get() const {
    return {band,
            softmax,
            llvm::to_vector_of<std::string>(sizes),
            strips,
            printAlternatives,
            recordAlternatives,
            phases,
            composites,
            preload,
            lag,
            slots,
            stripRows,
            part,
            runOn,
            order};
  }
};

struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<bool> bounds{
      *this, "bounds",
      llvm::cl::desc("check accesses of arrays and divisions, as in jit-check-bounds"),
      llvm::cl::init(true)};
  Option<int64_t> lanes{*this, "lanes",
                        llvm::cl::desc("f32 elements of a vector register; 0 for as many as this "
                                       "host has"),
                        llvm::cl::init(0)};
};

/// Says what is wrong with an option given all the same.
struct NoPipelineOptions : PassPipelineOptions<NoPipelineOptions> {};

} // namespace

void attn::registerPipelines() {
  PassPipelineRegistration<TilePipelineOptions>(
      "attn-tile", "Make tile kernels fit the chip: softmax form, grid, block sizes",
      [](OpPassManager &manager, const TilePipelineOptions &options) {
        addTileStage(manager, options.get());
      });
  PassPipelineRegistration<NoPipelineOptions>(
      "attn-ascend", "Take tile kernels that fit onto the chip: buffers, plan, sync",
      [](OpPassManager &manager, const NoPipelineOptions &) { addAscendStage(manager); });
  PassPipelineRegistration<TilePipelineOptions>(
      "attn-all", "attn-tile and attn-ascend",
      [](OpPassManager &manager, const TilePipelineOptions &options) {
        addTileStage(manager, options.get());
        addAscendStage(manager);
      });
  PassPipelineRegistration<TilePipelineOptions>(
      "attn-hivm", "attn-all for the way to HIVM: composites are kept",
      [](OpPassManager &manager, const TilePipelineOptions &options) {
        TileStageOptions kept = options.get();
        kept.keepComposites = true;
        addTileStage(manager, kept);
        addAscendStage(manager);
      });
  PassPipelineRegistration<NoPipelineOptions>(
      "attn-linalg", "Take tile kernels that fit to the form of triton-ascend",
      [](OpPassManager &manager, const NoPipelineOptions &) { addLinalgStage(manager); });
  PassPipelineRegistration<CpuPipelineOptions>(
      "attn-cpu", "Take tile kernels that fit to the LLVM dialect of this host",
      [](OpPassManager &manager, const CpuPipelineOptions &options) {
        CpuLoweringOptions lowering = getHostLoweringOptions();
        lowering.bounds = options.bounds;
        if (options.lanes > 0)
          lowering.setLanes(options.lanes);
        buildCpuLoweringPipeline(manager, lowering);
      });
}
