// The vendor's compilers on this machine: where they are, how old, and with which flags they work.
#ifndef ATTN_TARGET_OBJECT_TOOLCHAIN_H
#define ATTN_TARGET_OBJECT_TOOLCHAIN_H

#include "attn/Target/Sidecar/Sidecar.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace attn::object {

/// What is built: a device binary for the loader, or a library that registers itself and has a
/// function `launch_<kernel>` for each kernel.
enum class Form { Object, Shared };

struct Toolchain {
  sidecar::Route route;
  /// The program that writes the object: `bisheng` or `hivmc`.
  std::string compiler;
  /// `bishengir-opt`, which prepares HIVM for `hivmc`; empty by the other route.
  std::string lowering;
  /// The version of CANN, such as "8.5.0"; empty where no file says.
  std::string cannVersion;
  /// What the compiler says about its version, in one line.
  std::string description;

  /// Whether the compiler is older than its language for kernels (`-x asc`).
  bool isLegacy() const;
};

/// Finds the compiler of a route: the program `chosen` where not empty, else below the toolkit that
/// the environment names, else in PATH. Starts it once, to ask for its version.
mlir::FailureOr<Toolchain> findToolchain(sidecar::Route route, llvm::StringRef chosen,
                                         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// One run of a program.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
};

/// What is built of which text.
struct Job {
  Form form;
  std::string source;
  std::string output;
  /// The chip as the vendor names it.
  std::string soc;
  /// Whether the text has a kernel whose blocks meet, and whether it has kernels of cube cores and
  /// of vector cores.
  bool doBlocksMeet;
  /// Whether a kernel runs on cube and vector cores together.
  bool hasGroups;
  bool hasCubeKernels;
  bool hasVectorKernels;
  /// Whether a kernel's buffers reach into the end of UB that the compiler would keep for itself.
  bool takesLibraryUB;
};

/// The runs that make the output of the source, one after the other. Files between them lie beside
/// the source.
mlir::FailureOr<std::vector<Command>>
makeCommands(const Toolchain &toolchain, const Job &job,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_TOOLCHAIN_H
