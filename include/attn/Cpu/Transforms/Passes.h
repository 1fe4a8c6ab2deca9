// The passes that take linalg on tensors to the LLVM dialect of the host.
#ifndef ATTN_CPU_TRANSFORMS_PASSES_H
#define ATTN_CPU_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

#endif // ATTN_CPU_TRANSFORMS_PASSES_H
