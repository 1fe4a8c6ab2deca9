// The command line of the simulator, and the text form of arguments that it takes.
#ifndef ATTN_EXECUTION_SIMULATOR_TOOL_H
#define ATTN_EXECUTION_SIMULATOR_TOOL_H

#include "attn/Execution/Simulator/Simulator.h"
#include "mlir/IR/DialectRegistry.h"
#include <memory>

namespace attn::simulator {

/// Memory behind arguments that were made from text.
using ArgumentStorage = std::vector<std::unique_ptr<std::vector<uint8_t>>>;

/// Makes an argument from text:
///
///   zeros:4x128xbf16   ones:…   iota:…   fill:<value>:…   values:1,-0,nan:3xf32   random:<seed>:…
///   undef:…            an array without values: an output
///   …@200,1            the same with strides, in elements
///   table:<n>:<array>  n such arrays
///   f32:1e-6  i64:3    scalars
///   scratch            workspace made by the simulator
///
/// Arrays get no memory where `needsData` is false.
mlir::FailureOr<Argument> parseArgument(llvm::StringRef text, mlir::MLIRContext *context,
                                        bool needsData, ArgumentStorage &storage,
                                        llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Prints the values of an array, one innermost row per line.
void printArray(const Array &array, llvm::raw_ostream &stream);

/// A kernel of AscendC text, and what to run it on.
struct TextRun {
  llvm::StringRef text;
  /// The kernel's name; empty where the text has one only.
  llvm::StringRef kernel;
  /// The C++ compiler; empty for the usual one.
  llvm::StringRef clang;
  /// Where the text is compiled to, without running it; empty to run it.
  llvm::StringRef library;
  /// Empty for the usual one.
  llvm::StringRef soc;
  llvm::ArrayRef<Argument> arguments;
  const SimulationOptions &options;
  mlir::Location location;
};
/// A run of text: the chip it ran on, and the result; no result where it was only compiled.
struct TextResult {
  Chip chip;
  std::optional<SimulationResult> result;
};

/// How the tool runs emitted text, in the languages that it comes in.
struct TextRunners {
  /// AscendC, of files that end in `.cpp` or `.asc`.
  llvm::function_ref<mlir::FailureOr<TextResult>(const TextRun &)> runAscendC;
  /// HIVM: modules whose functions are marked `hacc.entry`.
  llvm::function_ref<mlir::FailureOr<SimulationResult>(
      mlir::func::FuncOp, const Chip &, llvm::ArrayRef<Argument>, const SimulationOptions &)>
      runHIVM;
};

/// What `attn-sim` does.
int runTool(int argc, char **argv, mlir::DialectRegistry &registry, const TextRunners &runners);

} // namespace attn::simulator

#endif // ATTN_EXECUTION_SIMULATOR_TOOL_H
