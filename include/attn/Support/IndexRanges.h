// What the integers of a kernel can be: constant ranges, as MLIR's ops infer them.
#ifndef ATTN_SUPPORT_INDEXRANGES_H
#define ATTN_SUPPORT_INDEXRANGES_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>
#include <optional>

namespace attn {

/// The range of an index from `least` to `most`, as ops hand it to the analysis.
mlir::ConstantIntRanges makeIndexRange(int64_t least,
                                       int64_t most = std::numeric_limits<int64_t>::max());

/// The ranges of all integers inside an op, found once. They hold as long as the values do; of
/// values that are made later, only constants are known. Index arithmetic is taken not to overflow:
/// sizes, strides and places stay far below 2^63.
class IndexRanges {
public:
  /// Knows constants only.
  IndexRanges() = default;
  explicit IndexRanges(mlir::Operation *op);

  /// The smallest and the largest number an integer can be, or none where that is not known.
  std::optional<int64_t> getLowerBound(mlir::Value integer) const;
  std::optional<int64_t> getUpperBound(mlir::Value integer) const;
  bool isNonNegative(mlir::Value integer) const;

private:
  struct Range {
    int64_t low, high;
  };
  std::optional<Range> find(mlir::Value integer) const;
  void add(mlir::Value integer, const mlir::ConstantIntRanges &range);

  llvm::DenseMap<mlir::Value, Range> ranges;
};

} // namespace attn

#endif // ATTN_SUPPORT_INDEXRANGES_H
