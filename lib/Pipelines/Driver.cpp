// attn-opt: mlir-opt with a target (--soc) and emission (--emit), both as passes around the user's
// own, so that every option of mlir-opt keeps its meaning.
#include "attn/Pipelines/Driver.h"
#include "attn/Machine/Chip.h"
#include "attn/Machine/MachineDialect.h"
#include "attn/Pipelines/Pipelines.h"
#include "attn/Pipelines/Registration.h"
#include "attn/Support/CommandLine.h"
#include "attn/Target/AscendC/EmitAscendC.h"
#include "attn/Target/HIVM/EmitHIVM.h"
#include "attn/Target/Object/BuildObject.h"
#include "attn/Target/Sidecar/Sidecar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace attn;

namespace {

/// What a kernel can be printed as.
enum class Stage { Tile, Linalg, Ascend, AscendC, HIVM, Sidecar, Object, Shared };

struct DriverOptions {
  llvm::cl::opt<Stage> emit{
      "emit",
      llvm::cl::desc("Print kernels in this form, after the passes given, or else after the "
                     "pipelines that lead there"),
      llvm::cl::values(
          clEnumValN(Stage::Tile, "tile", "tile IR that fits the chip"),
          clEnumValN(Stage::Linalg, "linalg", "linalg on tensors as triton-ascend writes it"),
          clEnumValN(Stage::Ascend, "ascend", "planned and synchronised chip IR"),
          clEnumValN(Stage::AscendC, "ascendc", "AscendC C++"),
          clEnumValN(Stage::HIVM, "hivm", "HIVM text, for the vendor's compiler"),
          clEnumValN(Stage::Sidecar, "sidecar", "how the kernel is launched, as JSON"),
          clEnumValN(Stage::Object, "object",
                     "device object and sidecar, by the vendor's compiler"),
          clEnumValN(Stage::Shared, "shared",
                     "self-registering library and sidecar, by the vendor's compiler"))};
  llvm::cl::opt<std::string> soc{
      "soc", llvm::cl::value_desc("name[:fact=value,...]"),
      llvm::cl::desc(
          "Compile for this chip, whatever the module says; single facts can be replaced")};
  llvm::cl::opt<bool> noLineDirectives{
      "no-line-directives",
      llvm::cl::desc(
          "Print AscendC without #line directives, HIVM without locations, for reading")};
  llvm::cl::opt<bool> sourceComments{
      "source-comments",
      llvm::cl::desc("Print AscendC with the lines of the source as comments, where the files that "
                     "locations name can be read")};
  llvm::cl::opt<ascendc::KernelForm> kernelForm{
      "kernel-form", llvm::cl::desc("How AscendC kernels say which cores they are for"),
      llvm::cl::init(ascendc::KernelForm::Attribute),
      llvm::cl::values(clEnumValN(ascendc::KernelForm::Attribute, "attribute",
                                  "__vector__, __mix__(0, 1): from CANN 8.5 on"),
                       clEnumValN(ascendc::KernelForm::TaskType, "task-type",
                                  "__aicore__ and KERNEL_TASK_TYPE_DEFAULT: before"))};
  llvm::cl::opt<sidecar::Route> via{
      "via", llvm::cl::desc("The way of objects"), llvm::cl::init(sidecar::Route::AscendC),
      llvm::cl::values(clEnumValN(sidecar::Route::AscendC, "ascendc", "AscendC and bisheng"),
                       clEnumValN(sidecar::Route::HIVM, "hivm", "HIVM and hivmc"))};
  llvm::cl::opt<std::string> bisheng{
      "bisheng", llvm::cl::value_desc("program"),
      llvm::cl::desc("The vendor's compiler; otherwise that of ASCEND_HOME_PATH or PATH")};

  llvm::cl::opt<std::string> hivmc{
      "hivmc", llvm::cl::value_desc("program"),
      llvm::cl::desc("The vendor's compiler for HIVM; otherwise that of ASCEND_HOME_PATH or PATH")};

  /// Whether files are written by the vendor's compiler, and not by us.
  bool buildsObject() const {
    return emit.getNumOccurrences() > 0 && (emit == Stage::Object || emit == Stage::Shared);
  }
  /// HIVM has ops of the level of composites.
  bool keepsComposites() const {
    return emit == Stage::HIVM || (buildsObject() && via == sidecar::Route::HIVM);
  }
  bool isGiven() const { return emit.getNumOccurrences() > 0 || soc.getNumOccurrences() > 0; }
};

/// Declares the chip that `--soc` names.
struct SetTargetPass : PassWrapper<SetTargetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetPass)
  explicit SetTargetPass(StringRef description) : description(description) {}

  StringRef getName() const override { return "SetTarget"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<machine::MachineDialect>();
  }
  void runOnOperation() override {
    if (failed(setTargetChip(getOperation(), description)))
      signalPassFailure();
  }

  std::string description;
};

/// Runs the stages that tile kernels still need on their way to `last`. Kernels already on the chip
/// are left as they are.
struct LowerPass : PassWrapper<LowerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerPass)
  LowerPass(Stage last, bool keepComposites) : last(last), keepComposites(keepComposites) {}

  StringRef getName() const override { return "Lower"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto isTileKernel = [](func::FuncOp function) { return function->hasAttr("tile.kernel"); };
    if (llvm::none_of(module.getOps<func::FuncOp>(), isTileKernel))
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    TileStageOptions options;
    options.keepComposites = keepComposites;
    addTileStage(pipeline, options);
    if (last == Stage::Linalg)
      addLinalgStage(pipeline);
    else if (last != Stage::Tile)
      addAscendStage(pipeline);
    if (failed(runPipeline(pipeline, module)))
      signalPassFailure();
  }

  Stage last;
  bool keepComposites;
};

/// Prints the module in a form that is not ours to read back.
struct EmitPass : PassWrapper<EmitPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPass)
  using Emission = std::function<LogicalResult(ModuleOp)>;
  explicit EmitPass(Emission emit) : emit(std::move(emit)) {}

  StringRef getName() const override { return "Emit"; }
  void runOnOperation() override {
    if (failed(emit(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  Emission emit;
};

/// What prints kernels in the form that `--emit` asks for; nothing where the module prints itself.
EmitPass::Emission getEmission(const DriverOptions &options, StringRef outputFile,
                               raw_ostream &os) {
  switch (options.emit.getValue()) {
  case Stage::Tile:
  case Stage::Ascend:
    return {};
  case Stage::Linalg:
    // The vendor's compiler is of another MLIR version: only the generic form is the same there.
    return [&](ModuleOp module) {
      module.print(os, OpPrintingFlags().printGenericOpForm());
      return success();
    };
  case Stage::AscendC:
    return [&](ModuleOp module) {
      ascendc::AscendCOptions ascendc;
      ascendc.lineDirectives = !options.noLineDirectives;
      ascendc.kernelForm = options.kernelForm;
      if (options.sourceComments)
        ascendc.sources = ascendc::readSources(module);
      return ascendc::emitAscendC(module, os, ascendc);
    };
  case Stage::HIVM:
    return [&](ModuleOp module) {
      return hivm::emitHIVM(module, os, {/*locations=*/!options.noLineDirectives});
    };
  case Stage::Sidecar:
    return [&](ModuleOp module) { return sidecar::emitSidecar(module, os); };
  case Stage::Object:
  case Stage::Shared:
    return [&options, file = outputFile.str()](ModuleOp module) {
      object::BuildOptions build;
      build.output = file;
      build.form = options.emit == Stage::Shared ? object::Form::Shared : object::Form::Object;
      build.route = options.via;
      build.compiler = build.route == sidecar::Route::HIVM ? options.hivmc : options.bisheng;
      return object::buildObject(module, build);
    };
  }
  llvm_unreachable("every form is handled");
}

/// Appends the passes that `--emit` needs. The user's passes, where there are any, replace ours.
void addEmission(PassManager &manager, const DriverOptions &options, bool hasUserPasses,
                 StringRef outputFile, raw_ostream &os) {
  if (options.emit.getNumOccurrences() == 0)
    return;
  if (!hasUserPasses)
    manager.addPass(std::make_unique<LowerPass>(options.emit, options.keepsComposites()));
  if (EmitPass::Emission emission = getEmission(options, outputFile, os))
    manager.addPass(std::make_unique<EmitPass>(std::move(emission)));
}

LogicalResult runWithOptions(const DriverOptions &options, StringRef inputFile,
                             StringRef outputFile, DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &message);
  if (!input)
    return llvm::errs() << message << "\n", failure();
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (options.buildsObject() && (outputFile == "-" || !config.inputSplitMarker().empty()))
    return llvm::errs() << "an object is a file, for one module: name it with -o\n", failure();
  // Objects are moved to their place when they are complete.
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(options.buildsObject() ? "-" : outputFile, &message);
  if (!output)
    return llvm::errs() << message << "\n", failure();

  MlirOptMainConfig userConfig = config;
  config.setPassPipelineSetupFn([&](PassManager &manager) -> LogicalResult {
    if (manager.getOpAnchorName() != ModuleOp::getOperationName())
      return llvm::errs() << "--emit and --soc work on a module\n", failure();
    if (options.soc.getNumOccurrences() > 0)
      manager.addPass(std::make_unique<SetTargetPass>(options.soc));
    size_t passCount = manager.size();
    if (failed(userConfig.setupPassPipeline(manager)))
      return failure();
    addEmission(manager, options, manager.size() > passCount, outputFile, output->os());
    return success();
  });
  // Where a pass prints, the module itself is not wanted.
  bool printsModule =
      options.emit.getNumOccurrences() == 0 || !getEmission(options, outputFile, output->os());
  if (failed(MlirOptMain(printsModule ? output->os() : llvm::nulls(), std::move(input), registry,
                         config)))
    return failure();
  output->keep();
  return success();
}

} // namespace

int attn::runOptDriver(int argc, char **argv) {
  hideLibraryOptions();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  DriverOptions options;
  auto [inputFile, outputFile] =
      registerAndParseCLIOptions(argc, argv, "attn: tile and ascend kernels\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!options.isGiven() || config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, inputFile, outputFile, registry));
  return asMainReturnCode(runWithOptions(options, inputFile, outputFile, registry));
}
