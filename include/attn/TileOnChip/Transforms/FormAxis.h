// The axes of the search over forms: each is a question about a kernel with a few answers, every
// one of which is a rewriting of the kernel.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_FORMAXIS_H
#define ATTN_TILEONCHIP_TRANSFORMS_FORMAXIS_H

#include "attn/TileOnChip/CostEstimate.h"
#include <memory>

namespace attn::onchip {

class FormAxis {
public:
  virtual ~FormAxis() = default;

  /// What the record calls the axis, and what a remark says takes a form.
  virtual llvm::StringRef getName() const = 0;
  virtual llvm::StringRef getSubject() const = 0;

  /// The op that the question is about, for remarks; null where the kernel does not ask it.
  virtual mlir::Operation *getQuestion(mlir::func::FuncOp kernel) const = 0;

  /// The forms that are possible for `kernel`, the preferred one first.
  virtual llvm::SmallVector<llvm::StringRef> getCandidates(mlir::func::FuncOp kernel) const = 0;

  /// Checks that `form`, which the author asks for, is one.
  virtual mlir::LogicalResult verify(mlir::func::FuncOp kernel, llvm::StringRef form) const = 0;

  /// Rewrites the kernel into the form.
  virtual mlir::LogicalResult apply(mlir::func::FuncOp kernel, llvm::StringRef form) const = 0;

  /// The candidates that are left where the preferred one fits with whole rows: others are not
  /// worth a look.
  virtual llvm::SmallVector<llvm::StringRef>
  getRivals(llvm::ArrayRef<llvm::StringRef> candidates) const = 0;

  /// Why the preferred form needs no comparison where it fits and has no rival.
  virtual llvm::StringRef getReason() const = 0;

  /// The form to take where none fits.
  virtual llvm::StringRef getFallback(llvm::ArrayRef<llvm::StringRef> candidates) const = 0;

  /// Whether a form with `cost` is to be preferred to the best one so far.
  virtual bool isBetter(const CostEstimate &cost, const CostEstimate &best) const = 0;
};

/// The axes in the order in which they are decided. Forms of products on the cube, for one, will be
/// a further entry.
llvm::SmallVector<std::unique_ptr<FormAxis>> getFormAxes();

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_FORMAXIS_H
