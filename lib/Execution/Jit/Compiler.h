// From the LLVM dialect to optimised LLVM IR for this host.
#ifndef ATTN_EXECUTION_JIT_COMPILER_H
#define ATTN_EXECUTION_JIT_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/Error.h"

namespace attn::jit {

/// The machine this runs on, with all its vector instructions.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> getHostMachine();

/// Translates and optimises for `machine`.
llvm::Expected<llvm::orc::ThreadSafeModule>
createOptimizedModule(mlir::ModuleOp module, llvm::orc::JITTargetMachineBuilder machine);

} // namespace attn::jit

#endif // ATTN_EXECUTION_JIT_COMPILER_H
