// Finds sizes, stages and strips with which a kernel fits local memory: the search over the axes
// that are entries of a `tile::SizeChoice`.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H
#define ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H

#include "attn/TileOnChip/CostEstimate.h"
#include "attn/TileOnChip/Transforms/ChoiceAxis.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::onchip {

/// Sizes and strips in words: "BT = 2, strips of 512 columns".
std::string describe(const tile::SizeChoice &choice);

/// A function with its tiles in local memory.
struct AssignedFunction {
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  BufferAssignment buffers;
};

/// A kernel after a choice has been applied to it.
struct Fitting {
  tile::SizeChoice choice;
  /// The kernel; where it was split, then its phases that are kernels of one kind of cores, and
  /// last the half of the cube cores, which fittings share that differ in strips of rows only.
  llvm::SmallVector<std::shared_ptr<const AssignedFunction>, 2> functions;
  CostEstimate cost;
  /// The row of the record that is about it.
  size_t alternative = 0;

  mlir::func::FuncOp getKernel() const { return functions.front()->function.get(); }
  /// What its buffers take of every memory that has some.
  llvm::SmallVector<MemoryUse> getMemoryUse() const;
  /// Whether every memory of `chip` has that many bytes.
  bool fits(const Chip &chip) const;
};

class SizeSearch {
public:
  /// `given` are sizes that the author has fixed; `strips` is how many columns a strip must have, 0
  /// to use strips only where whole rows do not fit.
  SizeSearch(mlir::func::FuncOp kernel, const Chip &chip,
             llvm::ArrayRef<tile::BoundSize> given = {}, int64_t strips = 0)
      : space(kernel, chip, given, strips), axes(getChoiceAxes(space)) {}
  SizeSearch(const SizeSearch &) = delete; // the axes refer to its space

  /// Checks that the kernel can be bound: every symbol has a range, strips that were asked for are
  /// possible.
  mlir::LogicalResult verify();

  /// The fitting that the rules of the axes lead to, or none where nothing fits. Whole rows are
  /// preferred, and of them the fewest cycles; strips are tried where no sizes let whole rows fit,
  /// and then those that move the fewest bytes.
  mlir::FailureOr<std::optional<Fitting>> findBest() { return search(axes, {}); }

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

  SearchSpace &getSpace() { return space; }
  llvm::ArrayRef<std::unique_ptr<ChoiceAxis>> getAxes() const { return axes; }

  /// Called for every fitting that was looked at; returns the number of its row in the record.
  std::function<size_t(const Fitting &)> onAlternative;
  /// Whether what is known not to fit is looked at all the same, and its cost estimated.
  bool isRecorded = false;

private:
  using Axes = llvm::ArrayRef<std::unique_ptr<ChoiceAxis>>;
  using Choices = ChoiceAxis::Choices;
  using Result = mlir::FailureOr<std::optional<Fitting>>;

  mlir::LogicalResult verifyTypes();
  mlir::LogicalResult verifyStrips();

  /// A function that is assigned, and what it costs.
  struct Part {
    std::shared_ptr<const AssignedFunction> assigned;
    CostEstimate cost;
  };
  /// The halves of a kernel under a choice whatever rows strips have.
  struct SplitKernel {
    tile::ChoiceAttr choice;
    mlir::OwningOpRef<mlir::func::FuncOp> vectorHalf; // not finished
    Part cubeHalf;
    llvm::SmallVector<Part, 1> phases; // of one kind of cores, where each is a kernel of its own
  };

  mlir::OwningOpRef<mlir::func::FuncOp> bind(const tile::SizeChoice &choice);
  mlir::FailureOr<Part> assign(mlir::OwningOpRef<mlir::func::FuncOp> function);
  mlir::LogicalResult assignPhases(mlir::func::FuncOp kernel, llvm::SmallVectorImpl<Part> &phases);
  tile::ChoiceAttr makeKey(const tile::SizeChoice &choice) const;
  tile::ChoiceAttr makeSplitKey(tile::SizeChoice choice) const;
  tile::ChoiceAttr makeCubeKey(tile::SizeChoice choice) const;
  tile::ChoiceAttr getFootprint(tile::SizeChoice choice) const;
  bool isTooLarge(const tile::SizeChoice &choice) const;
  void noteTooLarge(const Fitting &fitting);
  Result applyWhole(const tile::SizeChoice &choice);
  Result applySplit(const tile::SizeChoice &choice);
  Result fit(const tile::SizeChoice &choice);
  /// Decides the axes, of which those before are decided in `choice`.
  Result search(Axes undecided, const tile::SizeChoice &choice);
  Result findFirst(Axes after, const Choices &candidates);
  Result findFastest(Axes after, const Choices &candidates, const ChoiceAxis *axis);
  Result findFastestByEstimate(Axes after, const Choices &candidates);
  Result findWidest(Axes after, const Choices &candidates);
  Result findFewestBytes(Axes undecided, const tile::SizeChoice &choice);
  Choices expandFastest(Axes undecided, const tile::SizeChoice &choice);
  Choices expandLeast(Axes undecided, const tile::SizeChoice &choice);

  SearchSpace space;
  llvm::SmallVector<std::unique_ptr<ChoiceAxis>> axes;
  std::optional<SplitKernel> lastSplit;
  llvm::DenseSet<mlir::Attribute> refused;      // footprints that did not fit
  llvm::DenseSet<mlir::Attribute> refusedCubes; // keys of cube halves or phases that did not fit
  /// Choices for which vector cores had no room, and what they would have taken.
  llvm::SmallVector<std::pair<tile::SizeChoice, int64_t>> tooLarge;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_SIZESEARCH_H
