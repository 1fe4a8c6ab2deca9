// The passes of Dialect/Ascend/Transforms.
#ifndef ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES_H
#define ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

#endif // ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES_H
