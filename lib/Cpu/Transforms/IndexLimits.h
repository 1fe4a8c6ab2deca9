// What the loops of a kernel say about the indices that they count. CPU stage, on tensors, used by
// `jit-check-bounds`.
#ifndef ATTN_CPU_TRANSFORMS_INDEXLIMITS_H
#define ATTN_CPU_TRANSFORMS_INDEXLIMITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace attn::jit {

/// How many elements a dimension has: its name, which arrays share, or a number; null where it has
/// neither.
mlir::Attribute getLimit(mlir::BlockArgument array, int64_t dimension);

/// The limit that a value is, or is at most where a check says so; null for others.
mlir::Attribute getLimit(mlir::Value value);

/// A divisor as it was before it was checked.
mlir::Value skipCheck(mlir::Value divisor);

/// Whether `load` takes an entry of a table, which becomes the address of an array; else it takes
/// an integer of an array.
bool isTableEntry(mlir::memref::LoadOp load);

/// Whether a dimension has `size` elements from `offset` on, whatever the arguments are: by what
/// loops over the whole dimension count, alone or in tiles, or by how the kernel has cut it to what
/// exists. The runtime sees to it that the product
/// of a block and the tiles of a grid fits 64 bits.
bool isAlwaysInside(mlir::OpFoldResult offset, mlir::OpFoldResult size, mlir::Attribute limit);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_INDEXLIMITS_H
