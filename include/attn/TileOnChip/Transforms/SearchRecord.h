// What a search over choices looked at: one row per alternative, with its bytes, its time and why
// it was not taken.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_SEARCHRECORD_H
#define ATTN_TILEONCHIP_TRANSFORMS_SEARCHRECORD_H

#include "attn/TileOnChip/CostEstimate.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <string>

namespace attn::onchip {

/// One choice for a kernel.
struct Alternative {
  /// What was chosen on each axis, in the order of the axes: "softmax" and "online", "BT" and "2".
  llvm::SmallVector<std::pair<std::string, std::string>> values;
  /// Bytes by memory.
  llvm::SmallVector<std::pair<std::string, int64_t>> bytes;
  CostEstimate cost;
  /// Why it was not taken; empty for the one that was.
  std::string refused;
};

class SearchRecord {
public:
  /// Adds a row; its number names it.
  size_t add(Alternative alternative);

  /// Says which row was taken, and of all others that fit why they were not.
  void take(size_t number);

  llvm::ArrayRef<Alternative> getAlternatives() const { return alternatives; }

  /// A table with aligned columns, the row that was taken marked by an arrow. `shape` is what the
  /// times are estimated for.
  void print(llvm::raw_ostream &os, llvm::StringRef shape) const;

  /// The rows as a list of dictionaries, for callers that read them.
  mlir::ArrayAttr getAttribute(mlir::MLIRContext *context) const;

private:
  llvm::SmallVector<Alternative, 0> alternatives;
  std::optional<size_t> taken;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_TRANSFORMS_SEARCHRECORD_H
