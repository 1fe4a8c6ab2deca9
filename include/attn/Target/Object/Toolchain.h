// The vendor's compilers on this machine: where they are, how old, and with which flags they work.
#ifndef ATTN_TARGET_OBJECT_TOOLCHAIN_H
#define ATTN_TARGET_OBJECT_TOOLCHAIN_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace attn::object {

/// What is built: a device binary for the loader, or a library that registers itself and has a
/// function `launch_<kernel>` for each kernel.
enum class Form { Object, Shared };

struct Toolchain {
  std::string compiler;
  /// The version of CANN, such as "8.5.0"; empty where no file says.
  std::string cannVersion;
  /// What the compiler says about its version, in one line.
  std::string description;

  /// Whether the compiler is older than its language for kernels (`-x asc`).
  bool isLegacy() const;
};

/// Finds `bisheng`: the program `chosen` where not empty, else below the toolkit that the
/// environment names, else in PATH. Starts it once, to ask for its version.
mlir::FailureOr<Toolchain> findToolchain(llvm::StringRef chosen,
                                         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// One run of a program.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
};

/// The runs that make `output` of the AscendC text in `source`, one after the other. Files between
/// them lie beside the source. `doBlocksMeet`: the text has a kernel that is declared mixed.
mlir::FailureOr<std::vector<Command>>
makeCommands(const Toolchain &toolchain, Form form, bool doBlocksMeet, llvm::StringRef source,
             llvm::StringRef output, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_TOOLCHAIN_H
