// What `attn-sim` does: reads a module, runs one kernel, prints the report.
#include "attn/Execution/Simulator/Tool.h"
#include "attn/Machine/LaunchDialect.h"
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
  cl::opt<std::string> input{cl::Positional, cl::desc("<module in the ascend dialect>"),
                             cl::init("-")};
  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Name of the kernel, where the module has several")};
  cl::list<std::string> arguments{
      "arg", cl::desc("An argument of the kernel, in order: zeros:4x128xbf16, random:<seed>:8xf32, "
                      "values:1,2,3:3xf32, undef:8xf32 (an output), f32:1e-6, i64:3, scratch, …")};
  cl::opt<std::string> soc{"soc", cl::desc("Chip instead of the module's target: Ascend910B4, or "
                                           "Ascend910B4:ub_bytes=8192")};
  cl::opt<bool> timingOnly{"timing-only", cl::desc("Skip values and hazards, for large shapes")};
  cl::opt<bool> checkEffects{
      "check-effects", cl::desc("Compare the bytes touched with what the interface declares")};
  cl::opt<int64_t> blocks{"blocks", cl::desc("Blocks to launch instead of what the grid asks for")};
  cl::opt<int64_t> idealBytes{"ideal-bytes",
                              cl::desc("Bytes of the roofline instead of those moved")};
  cl::opt<std::string> trace{"trace", cl::desc("File for a trace that Chrome and Perfetto show")};
  cl::opt<int64_t> traceCores{"trace-cores", cl::desc("Cores to trace"), cl::init(4)};
  cl::list<int> print{"print",
                      cl::desc("Number of an argument whose values are printed afterwards")};
  cl::opt<bool> verifyDiagnostics{"verify-diagnostics",
                                  cl::desc("Check the diagnostics against expected-* annotations")};
};

func::FuncOp findKernel(ModuleOp module, StringRef name) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isMeant = name.empty() ? !function->hasAttr(launch::afterName) // runs behind its kernel
                                : function.getSymName() == name;
    if (!function->hasAttr("ascend.kernel") || !isMeant)
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

FailureOr<std::vector<Argument>> parseArguments(func::FuncOp kernel, const Options &options,
                                                ArgumentStorage &storage) {
  std::vector<Argument> arguments;
  for (const std::string &text : options.arguments) {
    FailureOr<Argument> argument = parseArgument(text, kernel.getContext(), !options.timingOnly,
                                                 storage, [&] { return kernel.emitError(); });
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

LogicalResult printValues(func::FuncOp kernel, ArrayRef<Argument> arguments,
                          const Options &options) {
  for (int index : options.print) {
    if (index < 0 || index >= static_cast<int>(arguments.size()))
      return kernel.emitError() << "has no argument " << index << " to print";
    for (const Array &array : arguments[index].arrays) {
      llvm::outs() << "values of argument " << index << ":\n";
      if (array.data)
        printArray(array, llvm::outs());
    }
  }
  return success();
}

LogicalResult saveTrace(func::FuncOp kernel, const SimulationResult &result, StringRef path) {
  std::string problem;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &problem);
  if (!file)
    return kernel.emitError() << "cannot write the trace: " << problem;
  writeTrace(result, file->os());
  file->keep();
  return success();
}

LogicalResult runModule(ModuleOp module, const Options &options) {
  if (!options.soc.empty() && failed(setTargetChip(module, options.soc)))
    return failure();
  FailureOr<Chip> chip = getTargetChip(module);
  func::FuncOp kernel = failed(chip) ? func::FuncOp() : findKernel(module, options.kernel);
  if (!kernel)
    return failure();
  ArgumentStorage storage;
  FailureOr<std::vector<Argument>> arguments = parseArguments(kernel, options, storage);
  if (failed(arguments))
    return failure();
  SimulationOptions simulation;
  simulation.timingOnly = options.timingOnly;
  simulation.checkEffects = options.checkEffects;
  if (options.blocks.getNumOccurrences())
    simulation.blocks = options.blocks;
  if (options.idealBytes.getNumOccurrences())
    simulation.idealBytes = options.idealBytes;
  simulation.traceCores = options.trace.empty() ? 0 : options.traceCores;
  FailureOr<SimulationResult> result = simulate(kernel, *chip, *arguments, simulation);
  if (failed(result))
    return failure();
  emitHazards(*result);
  printReport(*result, *chip, llvm::outs());
  if (failed(printValues(kernel, *arguments, options)) ||
      (!options.trace.empty() && failed(saveTrace(kernel, *result, options.trace))))
    return failure();
  return success(result->hazards.empty());
}

} // namespace

int simulator::runTool(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
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
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto run = [&]() -> LogicalResult {
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
