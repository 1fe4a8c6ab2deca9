// The passes of Target/Linalg.
#ifndef ATTN_TARGET_LINALG_PASSES_H
#define ATTN_TARGET_LINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Target/Linalg/Passes.h.inc"
} // namespace attn

#endif // ATTN_TARGET_LINALG_PASSES_H
