// The passes of Conversion/TileToAscend.
#ifndef ATTN_CONVERSION_TILETOASCEND_PASSES
#define ATTN_CONVERSION_TILETOASCEND_PASSES

include "mlir/Pass/PassBase.td"

#endif // ATTN_CONVERSION_TILETOASCEND_PASSES
