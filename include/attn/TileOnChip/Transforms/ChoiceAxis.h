// The axes of the search whose answers are entries of a `tile::SizeChoice`: whole rows or strips,
// sizes, kept rows, stages, columns of strips, order of tiles, distances and strips of a group.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_CHOICEAXIS_H
#define ATTN_TILEONCHIP_TRANSFORMS_CHOICEAXIS_H

#include "attn/Dialect/Tile/Transforms/SizeChoice.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "llvm/ADT/SetVector.h"
#include <memory>

namespace attn::onchip {

/// What the author has fixed of how the cores of a group share a kernel.
struct GivenGroup {
  std::optional<int64_t> preload, lag, slots, stripRows, part, runOn;
};

/// A kernel in its forms and what the author has fixed of it: what the axes look at.
class SearchSpace {
public:
  /// No local memory holds more rows.
  static constexpr int64_t maxRows = int64_t(1) << 16;

  SearchSpace(mlir::func::FuncOp kernel, const Chip &chip, llvm::ArrayRef<tile::BoundSize> given,
              int64_t strips);

  /// Whether tiles of so many bytes fit together.
  bool fits(int64_t bytes) const {
    return bytes <= model.getChip().getUsableBytes(isOnCube ? LocalMemory::L1 : tileMemory);
  }

  /// The sizes that the symbols may have together, from large to small.
  llvm::SmallVector<llvm::SmallVector<tile::BoundSize>> enumerateSizes() const;

  /// Whether strips were asked for, and rows are longer.
  bool mustHaveStrips() const { return strips > 0 && strips < width; }
  /// Columns of the narrowest strip: one vector repeat of f32.
  int64_t getMinStripColumns() const { return model.getLanes(); }
  /// The columns that strips may have, from narrow to wide.
  llvm::SmallVector<int64_t> enumerateStrips() const;
  /// The rows that strips may keep whole; none, with a reason, where rows cannot be computed in
  /// strips. They are looked for once.
  const std::optional<llvm::SmallVector<mlir::Value>> &findKeepableRows();
  llvm::StringRef getReasonAgainstStrips() const { return reasonAgainstStrips; }

  /// The sizes of what a vector core of a group computes at a time: a strip of its half of the
  /// rows.
  llvm::SmallVector<tile::BoundSize> getStripSizes(const tile::SizeChoice &choice) const;
  /// How often a vector core computes with those sizes, for all of its rows.
  double countStrips(const tile::SizeChoice &choice) const;
  /// The bytes that a vector core needs at least, where it needs `bytes` with another choice: 0
  /// where the other has more stages or waits longer.
  int64_t getLeastBytes(const tile::SizeChoice &choice, const tile::SizeChoice &other,
                        int64_t bytes) const;

  mlir::func::FuncOp kernel;
  ChipModel model;
  llvm::SmallVector<tile::BoundSize> given;
  int64_t strips; // columns that strips must have; 0 to use them only where rows do not fit
  GivenGroup givenGroup;
  std::optional<int64_t> givenOrder; // rows of tiles in a band, or 0
  bool launchesPhases = false;       // whether each phase is a kernel of its own
  bool isOnCube;                     // whether cube cores run it, or a half of it
  bool isMixed;                      // whether vector cores run the other half
  int64_t askedStages = 1;           // the most stages of any range but those of the grid
  int64_t width;                     // the most columns of any tile
  llvm::DenseSet<mlir::StringAttr> tileSymbols; // of dimensions of tiles, so that they take memory
  llvm::DenseSet<mlir::StringAttr> turnedSymbols; // of tiles that vector cores turn over in squares
  llvm::DenseSet<mlir::StringAttr> sharedSymbols; // of the rows that vector cores of a group share

private:
  int64_t getHalf(int64_t rows) const;
  int64_t getKeptBytes(const tile::SizeChoice &choice) const;

  llvm::SmallSetVector<tile::TileType, 4> carriedTypes; // of what loops carry on vector cores
  std::optional<llvm::SmallVector<mlir::Value>> keepableRows;
  std::string reasonAgainstStrips;
  bool hasLookedForRows = false;
};

/// How the search picks one of the candidates of an axis.
enum class AxisRule {
  /// The first with which the kernel fits.
  First,
  /// Of those with which it fits, the one with the fewest cycles.
  Best,
  /// The same, where most candidates fit and few are near the best: all are estimated before any is
  /// counted, and only those are counted that may be better than what fits so far.
  BestByEstimate,
  /// They need more memory one after the other: the last with which it fits, found by halving.
  Widest,
  /// Those that move the fewest bytes, tried with the least of the axes that follow; among nearly
  /// equals the one with the fewest cycles. Axes of this rule in a row are tried together.
  FewestBytes
};

class ChoiceAxis {
public:
  explicit ChoiceAxis(SearchSpace &space) : space(space) {}
  virtual ~ChoiceAxis() = default;

  using Choices = llvm::SmallVector<tile::SizeChoice>;

  /// `choice`, in which the axes before are decided, with each answer of this one, the preferred
  /// first. What is known not to fit may be left out.
  virtual Choices getCandidates(const tile::SizeChoice &choice) = 0;

  /// Of all answers, whether they fit or not, those that may need the least memory.
  virtual Choices getLeast(const tile::SizeChoice &choice) = 0;

  /// Of all answers, whether they fit or not, those that may have the fewest cycles by estimate.
  virtual Choices getFastest(const tile::SizeChoice &choice) { return getCandidates(choice); }

  virtual AxisRule getRule(const tile::SizeChoice &choice) const = 0;

  /// How many times as long a choice takes as with the preferred answer of this axis, where the
  /// estimate of its cost does not know of the axis.
  virtual double getSlowdown(const tile::SizeChoice &choice) { return 1; }

  /// Whether a candidate cannot be better than a choice that fits.
  virtual bool isCovered(const tile::SizeChoice &candidate, const tile::SizeChoice &fitting) const {
    return false;
  }

  /// Adds the columns of the record that are about it: headings and what was chosen.
  virtual void describe(const tile::SizeChoice &choice,
                        llvm::SmallVectorImpl<std::pair<std::string, std::string>> &columns) const {
  }

protected:
  SearchSpace &space;
};

/// The axes in the order in which they are decided, whole rows or strips first, and how the cores
/// of a group share the kernel last.
llvm::SmallVector<std::unique_ptr<ChoiceAxis>> getChoiceAxes(SearchSpace &space);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_CHOICEAXIS_H
