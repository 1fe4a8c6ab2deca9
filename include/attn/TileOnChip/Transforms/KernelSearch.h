// One search over everything that is chosen for a kernel: the forms of its bands and softmax
// states, its sizes, stages and strips, with one record of what was looked at.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_KERNELSEARCH_H
#define ATTN_TILEONCHIP_TRANSFORMS_KERNELSEARCH_H

#include "attn/TileOnChip/Transforms/FormAxis.h"
#include "attn/TileOnChip/Transforms/SearchRecord.h"
#include "attn/TileOnChip/Transforms/SizeSearch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace attn::onchip {

/// What the author has fixed.
struct SearchOptions {
  /// By the names of the axes; "auto" or nothing leaves the choice to the search.
  llvm::StringMap<std::string> forms;
  llvm::SmallVector<tile::BoundSize> sizes;
  /// Columns of strips; 0 to use strips only where whole rows do not fit.
  int64_t strips = 0;
  GivenGroup group;
  std::optional<int64_t> order;
  /// Whether each phase becomes a kernel of its own.
  bool launchesPhases = false;
  /// Whether the record is kept, with what is known not to fit.
  bool isRecorded = false;
};

class KernelSearch {
public:
  KernelSearch(mlir::func::FuncOp kernel, const Chip &chip, const SearchOptions &options)
      : kernel(kernel), chip(chip), options(options) {}

  /// Finds forms and sizes. Forms are decided first, axis by axis, each by what the sizes that fit
  /// it best would cost.
  mlir::LogicalResult run();

  /// The form that was taken on an axis; null where the kernel does not ask for one.
  mlir::StringAttr getForm(llvm::StringRef axis) const { return forms.lookup(axis); }

  /// The kernel in its chosen forms, with its grids clamped.
  mlir::func::FuncOp getKernel() { return *settled->kernel; }

  /// The best sizes, none where nothing fits, and the search that found them.
  std::optional<Fitting> &getBest() { return best; }
  SizeSearch &getSizes() { return *settled->sizes; }

  const SearchRecord &getRecord() const { return record; }
  /// Choices that were counted and estimated.
  size_t countTried() const { return tried; }

private:
  /// The kernel in the forms that were decided so far and one more, ready for sizes.
  struct Trial {
    mlir::OwningOpRef<mlir::func::FuncOp> kernel;
    std::unique_ptr<SizeSearch> sizes;
    std::optional<Fitting> best;
  };

  mlir::FailureOr<Trial> makeTrial(mlir::func::FuncOp current, const FormAxis *axis,
                                   llvm::StringRef form);
  mlir::LogicalResult decide(const FormAxis &axis, mlir::func::FuncOp current);
  mlir::FailureOr<llvm::StringRef> chooseForm(const FormAxis &axis, mlir::func::FuncOp current,
                                              mlir::Operation *question);
  mlir::FailureOr<llvm::StringRef> compareForms(const FormAxis &axis, mlir::func::FuncOp current,
                                                llvm::ArrayRef<llvm::StringRef> rivals,
                                                llvm::StringRef fallback,
                                                mlir::Operation *question);
  mlir::LogicalResult findSizes(mlir::func::FuncOp current);
  std::unique_ptr<SizeSearch> makeSizeSearch(mlir::func::FuncOp trial, bool isFree,
                                             llvm::StringRef axis, llvm::StringRef form);

  mlir::func::FuncOp kernel;
  const Chip &chip;
  const SearchOptions &options;
  SearchRecord record;
  size_t tried = 0;
  llvm::SmallMapVector<llvm::StringRef, mlir::StringAttr, 2> forms;
  /// The trial of the form that was decided last, where it was one of several.
  std::optional<Trial> settled;
  std::optional<Fitting> best;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_KERNELSEARCH_H
