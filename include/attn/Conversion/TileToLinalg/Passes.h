// The passes of Conversion/TileToLinalg.
#ifndef ATTN_CONVERSION_TILETOLINALG_PASSES_H
#define ATTN_CONVERSION_TILETOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/Conversion/TileToLinalg/Passes.h.inc"
} // namespace attn

#endif // ATTN_CONVERSION_TILETOLINALG_PASSES_H
