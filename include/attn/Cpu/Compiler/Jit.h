// Compiles kernels for the CPU: from the LLVM dialect to an image that `attn::host::Kernel` runs.
#ifndef ATTN_CPU_COMPILER_JIT_H
#define ATTN_CPU_COMPILER_JIT_H

#include "attn/Cpu/Runtime/Image.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn::jit {

/// Compiles `name`, or the only kernel of a module in the LLVM dialect that `jit-add-entries` gave
/// entries. Kernels that `launch.after` chains to it are its later phases. Without `optimize` that
/// takes a fraction of the time, and the kernel runs slower.
llvm::Expected<host::Image> compile(mlir::ModuleOp module, llvm::StringRef name = "",
                                    bool optimize = true);

/// All of an image but its bytes, as JSON.
std::string describe(const host::Image &image);

/// The optimised LLVM IR of a module in the LLVM dialect, as text.
llvm::Expected<std::string> printLLVM(mlir::ModuleOp module);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_JIT_H
