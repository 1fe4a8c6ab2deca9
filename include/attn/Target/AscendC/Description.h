// What texts have in common: which kernels are printed, and above each, as lines, what a launcher
// and a reader must know of it.
#ifndef ATTN_TARGET_ASCENDC_DESCRIPTION_H
#define ATTN_TARGET_ASCENDC_DESCRIPTION_H

#include "attn/Target/AscendC/Signature.h"

namespace attn::ascendc {

/// The kernels of a module, all of them on the chip, to be printed as `form`; or a diagnostic.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> getPrintableKernels(mlir::ModuleOp module,
                                                                           llvm::StringRef form);

/// The line that the arguments follow.
constexpr llvm::StringLiteral argumentsLine = "  arguments:";

/// Name, sizes, local memory, blocks and arguments of a kernel that uses `usedBytes` of UB.
std::vector<std::string> describeKernel(mlir::func::FuncOp kernel, const Signature &signature,
                                        int64_t usedBytes);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_DESCRIPTION_H
