// The passes of Conversion/TileToLinalg.
#ifndef ATTN_CONVERSION_TILETOLINALG_PASSES
#define ATTN_CONVERSION_TILETOLINALG_PASSES

include "mlir/Pass/PassBase.td"

#endif // ATTN_CONVERSION_TILETOLINALG_PASSES
