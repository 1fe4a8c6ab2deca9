// Rewrites of bands into tiles, one per form; tile-choose chooses among them.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_BANDFORMS_H
#define ATTN_DIALECT_TILE_TRANSFORMS_BANDFORMS_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

enum class BandForm {
  Halo,     // the rows of a window are loaded once, and each tap takes its own from there
  Gathered, // each tap loads its rows again
};

/// Up to here the taps of a band are straight code. Text and compile time grow with their number,
/// and a loop costs little beside what it takes to compute more.
constexpr int64_t mostStraightTaps = 32;

/// Of all bands of a kernel, a tap that loads its rows counted twice. Backward kernels have five
/// products with bands, and take seconds to compile as straight code of 32 taps each.
constexpr int64_t mostStraightTapsOfKernel = 96;

/// What the option and the remarks call a form.
llvm::StringRef getFormName(BandForm form);

/// The ops of `kernel` that compute with bands, in order.
llvm::SmallVector<mlir::Operation *> getBandOps(mlir::func::FuncOp kernel);

/// Whether some window of the kernel is loaded, so that its taps can load their rows themselves.
bool canGather(mlir::func::FuncOp kernel);

/// The form of that name, where the bands of `kernel` can take it. Others are an error.
mlir::FailureOr<BandForm> getBandForm(mlir::func::FuncOp kernel, llvm::StringRef name);

/// Rewrites every band of `kernel` into `form`. What cannot be done with a band is an error at its
/// place. Taps lie in rows of the tile that a band becomes, so its range of rows begins at two. On
/// the host a trip of a loop over taps takes several of them.
mlir::LogicalResult rewriteBands(mlir::func::FuncOp kernel, BandForm form, bool isHost);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_BANDFORMS_H
