// What `attn-sim` does: reads a module or a text, runs one kernel, prints the report.
#include "attn/Simulator/Tool/Tool.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Simulator/AscendC/Twin.h"
#include "attn/Simulator/HIVM/HIVMText.h"
#include "attn/Simulator/IR/Simulate.h"
#include "attn/Support/CommandLine.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
namespace cl = llvm::cl;

namespace {

/// The options of the command line; made when the tool runs, so that other programs do not see
/// them.
struct Options {
  cl::opt<std::string> input{
      cl::Positional,
      cl::desc("<module in the ascend dialect, HIVM text, or AscendC text *.cpp, *.asc>"),
      cl::init("-")};
  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Name of the kernel, where the module has several")};
  cl::list<std::string> arguments{
      "arg",
      cl::desc("An argument of the kernel, in order: zeros:4x128xbf16, random:<seed>:8xf32, "
               "values:1,2,3:3xf32, undef:8xf32 (an output), f32:1e-6, i64:3, workspace, …")};
  cl::opt<std::string> soc{"soc", cl::desc("Chip instead of the module's target: Ascend910B4, or "
                                           "Ascend910B4:ub_bytes=8192")};
  cl::opt<bool> timingOnly{"timing-only", cl::desc("Skip values and hazards, for large shapes")};
  cl::opt<bool> everyIteration{
      "every-iteration",
      cl::desc("With --timing-only: do not multiply the steady states of loops")};
  cl::opt<int64_t> warmUps{
      "warm-ups",
      cl::desc("With --timing-only: runs before the one that counts, for what is in L2")};
  cl::opt<uint64_t> jitter{"jitter",
                           cl::desc("Shake latencies and times by this seed, for other schedules")};
  cl::opt<bool> checkEffects{
      "check-effects", cl::desc("Compare the bytes touched with what the interface declares")};
  cl::opt<int64_t> blocks{"blocks", cl::desc("Blocks to launch instead of what the grid asks for")};
  cl::opt<int64_t> maxSteps{"max-steps",
                            cl::desc("Scalar steps after which a block is taken to hang")};
  cl::opt<int64_t> maxTiles{"max-tiles",
                            cl::desc("Tiles of a grid above which a launch is refused")};
  cl::opt<int64_t> idealBytes{
      "ideal-bytes",
      cl::desc("Bytes of the roofline, instead of those of arrays that are moved once")};
  cl::opt<std::string> trace{
      "trace",
      cl::desc("File for a trace that Chrome and Perfetto show, or .txt for a readable one")};
  cl::opt<int64_t> traceCores{"trace-cores", cl::desc("Cores to trace"), cl::init(4)};
  cl::opt<std::string> record{
      "record",
      cl::desc("File for what each pipe did: instructions, bytes, counts, strides, events")};
  cl::opt<std::string> clang{
      "clang", cl::desc("C++ compiler for text, instead of ATTN_CLANG, clang++-22 or clang++")};
  cl::opt<std::string> buildTwin{"build-twin",
                                 cl::desc("File for the compiled text; it is not run then")};
  cl::list<int> print{"print",
                      cl::desc("Number of an argument whose values are printed afterwards")};
  cl::opt<bool> verifyDiagnostics{"verify-diagnostics",
                                  cl::desc("Check the diagnostics against expected-* annotations")};
};

constexpr StringLiteral chipKernel = "ascend.kernel";
constexpr StringLiteral textKernel = "hacc.entry";

/// The only kernel of a module, or the one of that name; `mark` is what kernels have.
func::FuncOp findKernel(ModuleOp module, StringRef mark, StringRef name) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    // Later phases and halves run with their kernel. Halves of HIVM text have names of their own.
    bool isHalf = function->hasAttr("hivm.part_of_mix");
    std::string wanted = (name + (isHalf ? "_mix_aiv" : "")).str();
    bool isMeant = name.empty() ? !function->hasAttr(launch::afterName) &&
                                      !function->hasAttr(ascend::halfOfName) &&
                                      !(isHalf && hivm::isForCubes(function))
                                : function.getSymName() == wanted;
    if (!function->hasAttr(mark) || !isMeant)
      continue;
    if (found) {
      module.emitError("has several kernels: name one with --kernel=");
      return {};
    }
    found = function;
  }
  if (!found)
    module.emitError() << "has no kernel" << (name.empty() ? "" : " of the name ") << name;
  return found;
}

/// One run of the tool: what the options ask for, at the place that errors are shown at.
class Run {
public:
  Run(const Options &options, Location location) : options(options), location(location) {
    simulation.timingOnly = options.timingOnly;
    simulation.everyIteration = options.everyIteration;
    simulation.warmUps = options.warmUps;
    simulation.checkEffects = options.checkEffects;
    if (options.jitter.getNumOccurrences())
      simulation.jitter = options.jitter;
    if (options.blocks.getNumOccurrences())
      simulation.blocks = options.blocks;
    if (options.maxSteps.getNumOccurrences())
      simulation.maxSteps = options.maxSteps;
    if (options.maxTiles.getNumOccurrences())
      simulation.maxTiles = options.maxTiles;
    if (options.idealBytes.getNumOccurrences())
      simulation.idealBytes = options.idealBytes;
    simulation.traceCores = options.trace.empty() ? 0 : options.traceCores;
    simulation.recordInstructions = !options.record.empty();
  }

  LogicalResult parseArguments() {
    for (const std::string &text : options.arguments) {
      FailureOr<Argument> argument = parseArgument(text, location.getContext(), !options.timingOnly,
                                                   storage, [&] { return emitError(location); });
      if (failed(argument))
        return failure();
      arguments.push_back(std::move(*argument));
    }
    return success();
  }

  /// Hazards, the report, values and files.
  LogicalResult show(const SimulationResult &result, const Chip &chip) {
    emitHazards(result);
    printReport(result, chip, llvm::outs());
    if (failed(printValues()) ||
        failed(save(options.trace,
                    [&](raw_ostream &file) { writeTrace(result, options.trace, file); })) ||
        failed(save(options.record, [&](raw_ostream &file) { writeRecords(result, file); })))
      return failure();
    return success(result.hazards.empty());
  }

  std::vector<Argument> arguments;
  SimulationOptions simulation;

private:
  LogicalResult printValues() {
    for (int index : options.print) {
      if (index < 0 || index >= static_cast<int>(arguments.size()))
        return emitError(location) << "has no argument " << index << " to print";
      for (const Array &array : arguments[index].arrays) {
        llvm::outs() << "values of argument " << index << ":\n";
        if (array.data)
          printArray(array, llvm::outs());
      }
    }
    return success();
  }

  LogicalResult save(StringRef path, function_ref<void(raw_ostream &)> write) {
    if (path.empty())
      return success();
    std::string problem;
    std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &problem);
    if (!file)
      return emitError(location) << "cannot write '" << path << "': " << problem;
    write(file->os());
    file->keep();
    return success();
  }

  const Options &options;
  Location location;
  ArgumentStorage storage;
};

/// Text does not name its chip.
constexpr StringLiteral usualChip = "Ascend910B4";

LogicalResult runModule(ModuleOp module, const Options &options) {
  bool isText = llvm::any_of(module.getOps<func::FuncOp>(),
                             [](func::FuncOp function) { return function->hasAttr(textKernel); });
  StringRef soc = options.soc.empty() && isText ? StringRef(usualChip) : StringRef(options.soc);
  if (!soc.empty() && failed(setTargetChip(module, soc)))
    return failure();
  FailureOr<Chip> chip = getTargetChip(module);
  if (failed(chip))
    return failure();
  func::FuncOp kernel = findKernel(module, isText ? textKernel : chipKernel, options.kernel);
  if (!kernel)
    return failure();
  Run run(options, kernel.getLoc());
  if (failed(run.parseArguments()))
    return failure();
  FailureOr<SimulationResult> result =
      isText ? hivm::simulateKernel(kernel, *chip, run.arguments, run.simulation)
             : simulate(kernel, *chip, run.arguments, run.simulation);
  return failed(result) ? failure() : run.show(*result, *chip);
}

LogicalResult runTextFile(StringRef text, const Options &options, MLIRContext *context) {
  Location location = FileLineColLoc::get(context, options.input, 1, 1);
  Run run(options, location);
  if (failed(run.parseArguments()))
    return failure();
  FailureOr<twin::TextResult> made =
      twin::runText({text, options.kernel, options.clang, options.buildTwin, options.soc,
                     run.arguments, run.simulation, location});
  if (failed(made))
    return failure();
  return made->result ? run.show(*made->result, made->chip) : success();
}

bool isText(StringRef path) { return path.ends_with(".cpp") || path.ends_with(".asc"); }

} // namespace

int simulator::runTool(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  hideLibraryOptions();
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "attn-sim: runs a kernel on the modelled chip\n");
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(options.input, &problem);
  if (!buffer) {
    llvm::errs() << problem << "\n";
    return 1;
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto sources = std::make_shared<llvm::SourceMgr>();
  StringRef text = buffer->getBuffer();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto run = [&]() -> LogicalResult {
    if (isText(options.input))
      return runTextFile(text, options, &context);
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    return module ? runModule(*module, options) : failure();
  };
  if (!options.verifyDiagnostics) {
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return failed(run());
  }
  SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
  (void)run();
  return failed(handler.verify());
}
