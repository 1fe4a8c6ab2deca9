// A copy of a kernel that is given one choice of sizes after the other, to estimate what they cost.
#ifndef ATTN_LIB_TILEONCHIP_TRANSFORMS_TRIALCOPY_H
#define ATTN_LIB_TILEONCHIP_TRANSFORMS_TRIALCOPY_H

#include "attn/TileOnChip/DistanceEstimate.h"
#include "attn/TileOnChip/Transforms/ChoiceAxis.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::onchip {

/// Sizes and stages are written over those of the choice before, which is much less work than a new
/// copy for each. Rows stay whole.
class TrialCopy {
public:
  /// A kernel that is still to be split is estimated as it is.
  explicit TrialCopy(SearchSpace &space);

  /// The fewest cycles of `choices`, all of which have the sizes of the first, whether they fit or
  /// not.
  mlir::FailureOr<double> getLeastCycles(llvm::ArrayRef<tile::SizeChoice> choices);

  /// What distances take with such choices of a kernel that is still to be split.
  const DistanceEstimate &estimateDistances(llvm::ArrayRef<tile::SizeChoice> choices);

private:
  void setSizes(llvm::ArrayRef<tile::BoundSize> sizes);
  void setStages(const tile::SizeChoice &choice);
  void setEdges(llvm::ArrayRef<tile::BoundSize> sizes);
  bool hasRoomForStrips() const;
  const tile::SizeChoice &setStripSizes(llvm::ArrayRef<tile::SizeChoice> choices);
  double getLeastGroupCycles(llvm::ArrayRef<tile::SizeChoice> choices);

  const SearchSpace &space;
  const ChipModel &model;
  mlir::OwningOpRef<mlir::func::FuncOp> copy;
  std::optional<GroupCosts> groupCosts;
  std::optional<DistanceEstimate> distances;
  /// What has symbols, as the kernel has it.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Type>> types;
  llvm::SmallVector<std::pair<tile::RangeOp, mlir::Attribute>> blocks;
  llvm::SmallVector<std::pair<tile::RangeOp, mlir::Attribute>> edges;
  llvm::SmallVector<std::pair<tile::SizeOp, mlir::Attribute>> dims;
  llvm::SmallVector<std::pair<tile::GridOp, mlir::ArrayAttr>> grids;
  /// The loops, with the stages that they ask for.
  llvm::SmallVector<std::pair<tile::RangeOp, int64_t>> loops;
};

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_TRANSFORMS_TRIALCOPY_H
