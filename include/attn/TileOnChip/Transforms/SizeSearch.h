// Finds sizes, stages and strips with which a kernel fits local memory: the axes of the search that
// are numbers. Stages and strips are tried within sizes.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H
#define ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H

#include "attn/Dialect/Tile/Transforms/SizeChoice.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "attn/TileOnChip/CostEstimate.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::onchip {

/// Sizes and strips in words: "BT = 2, strips of 512 columns".
std::string describe(const tile::SizeChoice &choice);

/// A kernel after a choice has been applied to it.
struct Fitting {
  tile::SizeChoice choice;
  mlir::OwningOpRef<mlir::func::FuncOp> kernel;
  BufferAssignment buffers;
  CostEstimate cost;
  /// The row of the record that is about it.
  size_t alternative = 0;
};

class SizeSearch {
public:
  /// No local memory holds more rows.
  static constexpr int64_t maxRows = int64_t(1) << 16;

  /// `given` are sizes that the author has fixed; `strips` is how many columns a strip must have, 0
  /// to use strips only where whole rows do not fit.
  SizeSearch(mlir::func::FuncOp kernel, const Chip &chip,
             llvm::ArrayRef<tile::BoundSize> given = {}, int64_t strips = 0);

  /// Checks that the kernel can be bound: every symbol has a range, strips that were asked for are
  /// possible.
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
  tile::SizeChoice chooseForHost();

  /// Applies a choice to a copy of the kernel; none where it cannot be computed in strips that way.
  mlir::FailureOr<std::optional<Fitting>> apply(const tile::SizeChoice &choice);

  /// The rows that a choice of strips keeps or not, in the order of `tile::SizeChoice::keep`.
  llvm::ArrayRef<mlir::Value> getCandidates() const { return candidates; }

  /// Whether strips were asked for, and rows are longer.
  bool mustHaveStrips() const { return strips > 0 && strips < width; }

  /// Called for every fitting that was looked at; returns the number of its row in the record.
  std::function<size_t(const Fitting &)> onAlternative;

private:
  /// Columns of the narrowest strip: one vector repeat of f32.
  int64_t getMinStripColumns() const { return model.getLanes(); }
  /// Whether tiles of so many bytes fit together.
  bool fits(int64_t bytes) const { return bytes <= model.getChip().getUsableBytes(tileMemory); }
  llvm::SmallVector<llvm::SmallVector<tile::BoundSize>> enumerateSizes();
  bool isCovered(llvm::ArrayRef<tile::BoundSize> sizes,
                 llvm::ArrayRef<tile::BoundSize> other) const;
  int64_t getLargestTileBytes(llvm::ArrayRef<tile::BoundSize> sizes);
  mlir::LogicalResult verifyTypes();
  mlir::LogicalResult verifyStrips();
  bool prepareStrips(std::string &reason);
  llvm::SmallVector<int64_t> enumerateStrips() const;
  tile::SizeChoice getSmallestChoice();
  int64_t getKeptBytes(llvm::ArrayRef<tile::BoundSize> sizes, llvm::ArrayRef<bool> keep);
  mlir::FailureOr<std::optional<Fitting>> fit(const tile::SizeChoice &choice);
  llvm::SmallVector<llvm::SmallVector<bool>> enumerateKeeps();
  mlir::FailureOr<std::optional<Fitting>> findWhole();
  mlir::FailureOr<std::optional<Fitting>> findStages(llvm::ArrayRef<tile::BoundSize> sizes);
  mlir::FailureOr<std::optional<Fitting>> findStrips();
  mlir::FailureOr<std::optional<Fitting>> widenStrips(const tile::SizeChoice &narrowest);

  mlir::func::FuncOp kernel;
  ChipModel model;
  llvm::SmallVector<tile::BoundSize> given;
  int64_t strips;
  int64_t askedStages = 1; // the most stages of any range but those of the grid
  int64_t width = 0;       // the most columns of any tile
  llvm::DenseSet<mlir::StringAttr> tileSymbols; // of dimensions of tiles, so that they take memory
  llvm::SmallVector<mlir::Value> candidates;    // rows that strips may keep whole
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H
