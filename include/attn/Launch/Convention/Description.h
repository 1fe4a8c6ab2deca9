// What texts have in common: which kernels are printed, and above each, as lines, what a launcher
// and a reader must know of it.
#ifndef ATTN_LAUNCH_CONVENTION_DESCRIPTION_H
#define ATTN_LAUNCH_CONVENTION_DESCRIPTION_H

#include "attn/Launch/Convention/Signature.h"

namespace attn::launch {

/// The kernels of a module, all of them on the chip, to be printed as `text`; or a diagnostic.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> getPrintableKernels(mlir::ModuleOp module,
                                                                           llvm::StringRef text);

/// The line that the arguments follow.
constexpr llvm::StringLiteral argumentsLine = "  arguments:";

/// Name, sizes, local memory, blocks and arguments of a planned kernel.
std::vector<std::string> describeKernel(mlir::func::FuncOp kernel, const Signature &signature);

} // namespace attn::launch

#endif // ATTN_LAUNCH_CONVENTION_DESCRIPTION_H
