// Who touched which part of an array, while a trace of a kernel is made: finds what a transfer must
// wait for.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_GLOBALHISTORY_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_GLOBALHISTORY_H

#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"

namespace attn::ascend {

/// The touches of the arrays that the kernel writes. Touches whose places differ by known numbers
/// alone are found by these numbers; only between others is every pair compared, the latest first.
class GlobalHistory {
public:
  struct Touch {
    int32_t step;
    Pipe pipe;
    bool isWrite;
    /// What it touches of each dimension; none for all of one, empty for all of the array.
    llvm::SmallVector<std::optional<Span>, 4> spans;
  };

  explicit GlobalHistory(const IndexSymbols &symbols) : symbols(symbols) {}

  /// Adds to `needs` what `touch` must wait for, unless `areApart` says that two steps never meet,
  /// and remembers it.
  void add(mlir::Value array, Touch touch, Needs &needs,
           llvm::function_ref<bool(int32_t, int32_t)> areApart);

private:
  /// The unknown numbers in the place of a touch, dimension by dimension.
  using Unknowns = std::vector<int64_t>;
  /// The touches along one dimension: by the known number that they begin with, and the most that
  /// one reaches from there; none where that is not known of all.
  struct Axis {
    std::map<int64_t, llvm::SmallVector<int32_t, 1>> byBegin;
    std::optional<int64_t> reach = 0;
  };
  /// The touches of one pipe, in the order of their steps, with the same unknown numbers.
  struct Family {
    std::vector<Touch> touches;
    llvm::SmallVector<Axis, 4> axes;
  };
  using Key = std::tuple<int, bool, Unknowns>;

  static Unknowns getUnknowns(const Touch &touch);
  /// The most that a touch takes of a dimension, if that is known.
  std::optional<int64_t> getReach(const Touch &touch, size_t dimension) const;
  void insert(Family &family, Touch touch) const;
  /// The touches of a family that `touch`, which has the same unknown numbers, may meet.
  llvm::SmallVector<int32_t> findNear(const Family &family, const Touch &touch) const;
  bool areDisjoint(const Touch &a, const Touch &b) const;

  const IndexSymbols &symbols;
  llvm::DenseMap<mlir::Value, std::map<Key, Family>> arrays;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_GLOBALHISTORY_H
