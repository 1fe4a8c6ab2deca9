// The passes that take linalg on tensors to the LLVM dialect of the host.
#ifndef ATTN_EXECUTION_JIT_PASSES_H
#define ATTN_EXECUTION_JIT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

#endif // ATTN_EXECUTION_JIT_PASSES_H
