// The host twin: AscendC text, compiled by clang against the twin's own kernel_operator.h, on the
// modelled chip. The second front door of the simulator.
#ifndef ATTN_SIMULATOR_ASCENDC_TWIN_H
#define ATTN_SIMULATOR_ASCENDC_TWIN_H

#include "attn/Simulator/Model/Simulator.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace attn_twin {
struct Kernel;
} // namespace attn_twin

namespace attn::twin {

//===----------------------------------------------------------------------===//
// Text to library
//===----------------------------------------------------------------------===//

/// The C++ compiler: `wanted`, else the environment variable ATTN_CLANG, else clang++-22 or clang++
/// in the PATH. A diagnostic at `location` says what was looked for.
mlir::FailureOr<std::string> findClang(llvm::StringRef wanted, mlir::Location location);

/// Compiles `text` into the shared library `library` with the compiler at the path `clang`. What it
/// complains about becomes diagnostics at the lines that the text's `#line` directives name.
mlir::LogicalResult compileText(llvm::StringRef text, llvm::StringRef library,
                                llvm::StringRef clang, mlir::MLIRContext *context);

/// A compiled text that is open in this process.
class Library {
public:
  /// Opens the library at `path`. Otherwise null, and `problem` says why.
  static std::unique_ptr<Library> open(llvm::StringRef path, std::string &problem);
  /// Compiles `text` and opens the result, which no other process sees. Fails with diagnostics.
  static mlir::FailureOr<std::unique_ptr<Library>> make(llvm::StringRef text, llvm::StringRef clang,
                                                        mlir::MLIRContext *context);
  /// As `make`, but what was made of the same text before is used again while it is remembered.
  static mlir::FailureOr<std::shared_ptr<Library>>
  obtain(llvm::StringRef text, llvm::StringRef clang, mlir::MLIRContext *context);
  ~Library();

  /// The kernel of that name. Otherwise null, and `problem` says why.
  const attn_twin::Kernel *find(llvm::StringRef name, std::string &problem) const;

private:
  explicit Library(void *handle) : handle(handle) {}
  void *handle;
};

//===----------------------------------------------------------------------===//
// Library to result
//===----------------------------------------------------------------------===//

/// Memory of the device as a kernel finds it by address.
struct Region {
  uint64_t address;
  uint64_t bytes;
  uint8_t *data;
  std::string name;
  bool isDefined = true;
};

/// The chip of that description ("Ascend910B4", "Ascend910B4:vector_cores=2"; empty: Ascend910B4),
/// or a diagnostic.
mlir::FailureOr<Chip> parseChip(llvm::StringRef soc, mlir::MLIRContext *context);

/// One launch of compiled text on raw memory. The packed arguments are laid out as the device's.
/// Impossible launches fail with a diagnostic at `location`.
mlir::FailureOr<simulator::SimulationResult>
launch(const attn_twin::Kernel &kernel, const Chip &chip, int64_t blocks,
       llvm::ArrayRef<uint8_t> arguments, llvm::ArrayRef<Region> regions,
       const simulator::SimulationOptions &options, mlir::Location location);

/// Runs `text`, which was printed from the module of `kernel`, on the arguments of `kernel`: what
/// `simulator::simulate` does with the IR, with the same names, so that results and records
/// compare.
mlir::FailureOr<simulator::SimulationResult>
simulateText(mlir::func::FuncOp kernel, const Library &library, const Chip &chip,
             llvm::ArrayRef<simulator::Argument> arguments,
             const simulator::SimulationOptions &options);

/// Runs a kernel of compiled text on arguments in the order of its C++ parameters: arrays and
/// tables where it takes pointers.
mlir::FailureOr<simulator::SimulationResult>
simulateText(llvm::StringRef name, const Library &library, const Chip &chip,
             llvm::ArrayRef<simulator::Argument> arguments,
             const simulator::SimulationOptions &options, mlir::Location location);

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
  llvm::ArrayRef<simulator::Argument> arguments;
  const simulator::SimulationOptions &options;
  mlir::Location location;
};
/// A run of text: the chip it ran on, and the result; no result where it was only compiled.
struct TextResult {
  Chip chip;
  std::optional<simulator::SimulationResult> result;
};

/// Compiles a text, and runs one of its kernels unless only the library is asked for.
mlir::FailureOr<TextResult> runText(const TextRun &run);

} // namespace attn::twin

#endif // ATTN_SIMULATOR_ASCENDC_TWIN_H
