// Numbers of a traced kernel: a constant plus multiples of numbers that only the run knows, and of
// products of two such numbers.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace attn::ascend {

class IndexExpression {
public:
  IndexExpression() = default;
  IndexExpression(int64_t constant) : constant(constant) {}

  /// The number it is known to be, or none.
  std::optional<int64_t> getConstant() const;
  /// The constant of the sum.
  int64_t getKnownPart() const { return constant; }
  /// Appends the rest of the sum as numbers: the same for expressions that differ by a constant.
  void appendUnknowns(std::vector<int64_t> &numbers) const;

  /// None where the result is not of this form, or does not fit 64 bits.
  static std::optional<IndexExpression> add(const IndexExpression &a, const IndexExpression &b);
  static std::optional<IndexExpression> subtract(const IndexExpression &a,
                                                 const IndexExpression &b);
  static std::optional<IndexExpression> multiply(const IndexExpression &a,
                                                 const IndexExpression &b);

private:
  friend class IndexSymbols;

  /// One unknown number, or the product of two: `none` and the number, or both, the smaller first.
  using Symbols = std::pair<int32_t, int32_t>;
  static constexpr int32_t none = -1;
  struct Term {
    Symbols symbols;
    int64_t factor;
  };

  static std::optional<IndexExpression> scale(const IndexExpression &a, int64_t factor);
  static std::optional<IndexExpression> multiply(const IndexExpression &a, const Term &term);

  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms; // sorted by symbols, factors not zero
};

/// The unknown numbers of a trace, and what holds for each of them whatever the run makes of it.
class IndexSymbols {
public:
  struct Facts {
    std::optional<int64_t> low, high;
    /// It is not smaller than these.
    llvm::SmallVector<IndexExpression, 1> atLeast;
  };

  IndexExpression make(Facts facts);

  /// The most that the number can be, as far as the bounds of each part tell.
  std::optional<int64_t> getHighest(const IndexExpression &expression) const;
  /// Whether the number cannot be negative, as far as the facts tell.
  bool isNonNegative(const IndexExpression &expression) const;
  bool isAtMost(const IndexExpression &a, const IndexExpression &b) const {
    std::optional<IndexExpression> difference = IndexExpression::subtract(b, a);
    return difference && isNonNegative(*difference);
  }

private:
  std::optional<int64_t> getLowest(const IndexExpression &expression) const;
  std::optional<int64_t> getLowest(const IndexExpression::Term &term) const;
  /// The expression divided by a positive number that is in all of its terms, or none.
  std::optional<IndexExpression> divideByCommon(const IndexExpression &expression) const;

  std::vector<Facts> facts;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H
