// Finds sizes, stages and strips with which a kernel fits local memory; used by tile-fit-tiles, and
// by tile-decompose-softmax to compare forms.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_TILEFITTING_H
#define ATTN_DIALECT_TILE_TRANSFORMS_TILEFITTING_H

#include "attn/Dialect/Tile/Analysis/BufferAssignment.h"
#include "attn/Dialect/Tile/Analysis/CostEstimate.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::tile {

/// The size of a symbol.
struct BoundSize {
  mlir::StringAttr symbol;
  int64_t size;
};

/// One way to make a kernel fit.
struct FitChoice {
  llvm::SmallVector<BoundSize> sizes;
  int64_t gridStages = 1;
  /// Loops have the stages that their author asked for, but not more than these.
  int64_t maxRangeStages = 8;
  /// Columns of a strip; 0 where rows are computed whole.
  int64_t stripColumns = 0;
  /// Which of the candidates of the `StripPlan` are kept whole.
  llvm::SmallVector<bool> keep;
};

/// Sizes, stages and strips in words: "BT = 2, stages 2 and 1".
std::string describe(const FitChoice &choice);

/// Replaces the symbols of a function by numbers.
void bindSizes(mlir::func::FuncOp function, llvm::ArrayRef<BoundSize> sizes);

/// A kernel after a choice has been applied to it.
struct Fitting {
  FitChoice choice;
  mlir::OwningOpRef<mlir::func::FuncOp> kernel;
  BufferAssignment buffers;
  int64_t bytes;
  CostEstimate cost;
};

class TileFitter {
public:
  /// No local memory holds more rows.
  static constexpr int64_t maxRows = int64_t(1) << 16;
  /// Columns of the narrowest strip: one vector repeat of f32.
  static constexpr int64_t minStripColumns = 64;

  /// `given` are sizes that the author has fixed; `strips` is how many columns a strip must have, 0
  /// to use strips only where whole rows do not fit.
  TileFitter(mlir::func::FuncOp kernel, const Chip &chip, llvm::ArrayRef<BoundSize> given = {},
             int64_t strips = 0);

  /// Checks that the kernel can be bound: every symbol has a range, no softmax state is left,
  /// strips that were asked for are possible.
  mlir::LogicalResult verify();

  /// The fitting with the best estimated cost, or none where nothing fits. Whole rows are
  /// preferred; strips are tried where no sizes let whole rows fit, and then those that move the
  /// fewest bytes.
  mlir::FailureOr<std::optional<Fitting>> findBest();

  /// Whether whole rows fit, with the smallest sizes.
  mlir::FailureOr<bool> fitsWhole();

  /// The fitting that needs the fewest bytes, whether it fits or not.
  mlir::FailureOr<std::optional<Fitting>> findSmallest();

  /// The largest sizes that fit, however slowly.
  mlir::FailureOr<std::optional<Fitting>> findLargest();

  /// The sizes for the CPU, where any size runs: enough elements per tile to pay for its loops.
  FitChoice chooseForHost();

  /// Applies a choice to a copy of the kernel; none where it cannot be computed in strips that way.
  mlir::FailureOr<std::optional<Fitting>> apply(const FitChoice &choice);

  /// The rows that a choice of strips keeps or not, in the order of `FitChoice::keep`.
  llvm::ArrayRef<mlir::Value> getCandidates() const { return candidates; }

  /// Whether strips were asked for, and rows are longer.
  bool mustHaveStrips() const { return strips > 0 && strips < width; }

  /// Called for every fitting that was looked at.
  std::function<void(const Fitting &)> onAlternative;

private:
  llvm::SmallVector<llvm::SmallVector<BoundSize>> enumerateSizes();
  bool isCovered(llvm::ArrayRef<BoundSize> sizes, llvm::ArrayRef<BoundSize> other) const;
  int64_t getLargestTileBytes(llvm::ArrayRef<BoundSize> sizes);
  mlir::LogicalResult verifyTypes();
  mlir::LogicalResult verifyStrips();
  bool prepareStrips(std::string &reason);
  llvm::SmallVector<int64_t> enumerateStrips() const;
  FitChoice getSmallestChoice();
  int64_t getKeptBytes(llvm::ArrayRef<BoundSize> sizes, llvm::ArrayRef<bool> keep);
  mlir::FailureOr<std::optional<Fitting>> fit(const FitChoice &choice);
  llvm::SmallVector<llvm::SmallVector<bool>> enumerateKeeps();
  mlir::FailureOr<std::optional<Fitting>> findWhole();
  mlir::FailureOr<std::optional<Fitting>> findStages(llvm::ArrayRef<BoundSize> sizes);
  mlir::FailureOr<std::optional<Fitting>> findStrips();
  mlir::FailureOr<std::optional<Fitting>> widenStrips(const FitChoice &narrowest);

  mlir::func::FuncOp kernel;
  const Chip &chip;
  llvm::SmallVector<BoundSize> given;
  int64_t strips;
  int64_t askedStages = 1; // the most stages of any range but those of the grid
  int64_t width = 0;       // the most columns of any tile
  llvm::DenseSet<mlir::StringAttr> tileSymbols; // of dimensions of tiles, so that they take memory
  llvm::SmallVector<mlir::Value> candidates;    // rows that strips may keep whole
};

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_TILEFITTING_H
