// The weights of one tap of a band: a column that is a row of the tile that holds the band. CPU
// stage, on tensors.
#ifndef ATTN_CPU_COMPILER_BANDWEIGHTS_H
#define ATTN_CPU_COMPILER_BANDWEIGHTS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn::jit {

/// Row `tap` of the tile `band`, taps by rows.
struct BandWeights {
  mlir::Value band;
  int64_t tap = 0;
};

/// The band that a column is a whole row of, or nothing.
inline std::optional<BandWeights> findBandWeights(mlir::Value column) {
  auto expand = column.getDefiningOp<mlir::tensor::ExpandShapeOp>();
  auto slice = expand ? expand.getSrc().getDefiningOp<mlir::tensor::ExtractSliceOp>()
                      : mlir::tensor::ExtractSliceOp();
  if (!slice || slice.getSourceType().getRank() != 2 || slice.getType().getRank() != 1 ||
      !slice.getSourceType().hasStaticShape())
    return std::nullopt;
  llvm::ArrayRef<int64_t> offsets = slice.getStaticOffsets(), sizes = slice.getStaticSizes();
  if (mlir::ShapedType::isDynamic(offsets[0]) || mlir::ShapedType::isDynamic(offsets[1]) ||
      sizes[0] != 1)
    return std::nullopt;
  return BandWeights{slice.getSource(), offsets[0]};
}

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_BANDWEIGHTS_H
