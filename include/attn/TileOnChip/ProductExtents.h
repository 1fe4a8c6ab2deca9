// How many rows and columns of the sums of products cube cores compute (tile on the chip,
// analysis).
#ifndef ATTN_TILEONCHIP_PRODUCTEXTENTS_H
#define ATTN_TILEONCHIP_PRODUCTEXTENTS_H

#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/TileOnChip/Placement.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace attn::onchip {

/// Of sums in L0C only those rows and columns are computed that exist, in whole fractals. Sums lie
/// as densely as the rows of the product that made them, so all products that add to the same sums
/// must compute the same ones: where these are not limited by the same spans, all that there is
/// room for are computed.
class ProductExtents {
public:
  enum Axis { Rows, Cols };

  ProductExtents(mlir::func::FuncOp kernel, const Placement &placement,
                 const tile::RowLimits &limits);

  /// The spans that limit sums along an axis; none where all that there is room for is computed.
  llvm::ArrayRef<mlir::Value> getSpans(mlir::Value sums, Axis axis) const;

private:
  void joinSums(mlir::func::FuncOp kernel);
  void limitSums(const tile::RowLimits &limits, Axis axis);
  /// Sums that become an operand must have what the product with it reads.
  void widenOperands();
  bool widenOperand(tile::DotOp dot, mlir::OpOperand &use);

  const Placement &placement;
  llvm::SmallVector<tile::DotOp> products;
  /// Sums that lie in one place.
  llvm::EquivalenceClasses<mlir::Value> classes;
  /// Per axis, the spans of the leader of every class that is limited.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 1>> limited[2];
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_PRODUCTEXTENTS_H
