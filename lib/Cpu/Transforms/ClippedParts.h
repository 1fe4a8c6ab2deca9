// Parts of arrays that were cut to what exists. CPU stage, on tensors, used by `jit-check-bounds`.
#ifndef ATTN_CPU_TRANSFORMS_CLIPPEDPARTS_H
#define ATTN_CPU_TRANSFORMS_CLIPPEDPARTS_H

#include "mlir/IR/Value.h"

namespace attn::jit {

/// Whether `size` elements from `offset` on lie inside a dimension of `limit` elements, or are
/// none, because the kernel has cut them to rows from a first one on, at least 0, up to a last one,
/// at most that of the dimension.
bool isClippedInside(mlir::Value offset, mlir::Value size, mlir::Attribute limit);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_CLIPPEDPARTS_H
