// The passes of Conversion/TileToAscend.
#ifndef ATTN_CONVERSION_TILETOASCEND_PASSES_H
#define ATTN_CONVERSION_TILETOASCEND_PASSES_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Conversion/TileToAscend/Passes.h.inc"
} // namespace attn

#endif // ATTN_CONVERSION_TILETOASCEND_PASSES_H
