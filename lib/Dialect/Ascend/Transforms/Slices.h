// Parts of buffers, for what writes composites out.
#ifndef ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SLICES_H
#define ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SLICES_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// The elements of `buffer` from `offset` on.
mlir::Value createSlice(mlir::OpBuilder &builder, mlir::Location location, mlir::Value buffer,
                        mlir::Value offset);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SLICES_H
