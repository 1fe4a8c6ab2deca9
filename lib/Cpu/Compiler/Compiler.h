// From the LLVM dialect to machine code for this host.
#ifndef ATTN_CPU_COMPILER_COMPILER_H
#define ATTN_CPU_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attn::jit {

/// The object of a module in the LLVM dialect, optimised or made quickly.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> createObject(mlir::ModuleOp module,
                                                                 bool optimize);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_COMPILER_H
