// What every pass on the tile dialect asks about a kernel: its body, its grids and the names of its
// sizes.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_KERNEL_H
#define ATTN_DIALECT_TILE_ANALYSIS_KERNEL_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace attn::tile {

/// The functions of `module` that are kernels with a body. A kernel of several blocks is an error.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> getKernels(mlir::ModuleOp module);

/// The grids of a kernel, in their order. One that is not directly in the body of the kernel, and
/// one that no `tile.phase` separates from the one before, are errors.
mlir::FailureOr<llvm::SmallVector<GridOp>> getGrids(mlir::func::FuncOp kernel);

/// Whether `first` lies before a `tile.phase` of the kernel and `second` after it.
bool hasPhaseBetween(mlir::Operation *first, mlir::Operation *second, mlir::func::FuncOp kernel);

/// What the caller calls `size`, in the words of `launch.dims`: a number where it is a constant,
/// the name where it is the dimension of an argument. Null where it is neither.
mlir::Attribute getSizeName(mlir::Value size);

/// The number that an index value always has: sizes that are bound and dimensions that are numbers
/// are asked for before the canonicalizer has made constants of them.
std::optional<int64_t> getFoldedConstant(mlir::Value value);

/// The results of an op and the arguments of its regions.
llvm::SmallVector<mlir::Value> getDefinedValues(mlir::Operation *op);

/// Whether a kernel multiplies matrices, which cube cores do.
bool hasProducts(mlir::func::FuncOp kernel);

/// Whether `array` is written by the kernel it belongs to.
bool isWritten(mlir::Value array);

/// What a diagnostic calls the value: the name of the source, or that of the op that makes it, or
/// "carried".
std::string getSourceName(mlir::Value value);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_KERNEL_H
