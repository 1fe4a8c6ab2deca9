// The command line of the simulator, and the text form of arguments that it takes.
#ifndef ATTN_SIMULATOR_TOOL_TOOL_H
#define ATTN_SIMULATOR_TOOL_TOOL_H

#include "attn/Simulator/Model/Simulator.h"
#include "mlir/IR/DialectRegistry.h"
#include <memory>

namespace attn::simulator {

/// Memory of arguments that were made from text.
using ArgumentStorage = std::vector<std::unique_ptr<std::vector<uint8_t>>>;

/// Makes an argument from text:
///
///   zeros:4x128xbf16   ones:…   iota:…   fill:<value>:…   values:1,-0,nan:3xf32   random:<seed>:…
///   undef:…            an array without values: an output
///   …@200,1            the same with strides, in elements
///   table:<n>:<array>  n such arrays
///   f32:1e-6  i64:3    scalars
///   workspace          made by the simulator
///
/// Arrays get no memory where `needsData` is false.
mlir::FailureOr<Argument> parseArgument(llvm::StringRef text, mlir::MLIRContext *context,
                                        bool needsData, ArgumentStorage &storage,
                                        llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Prints the values of an array, one innermost row per line.
void printArray(const Array &array, llvm::raw_ostream &stream);

/// What `attn-sim` does.
int runTool(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_TOOL_TOOL_H
