// The passes of Dialect/Ascend/Transforms.
#ifndef ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES
#define ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

#endif // ATTN_DIALECT_ASCEND_TRANSFORMS_PASSES
