// From the LLVM dialect to machine code for this host.
#ifndef ATTN_CPU_COMPILER_COMPILER_H
#define ATTN_CPU_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attn::jit {

/// The optimised object of a module in the LLVM dialect.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> createObject(mlir::ModuleOp module);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_COMPILER_H
