// Numbers of a traced kernel: a constant plus multiples of numbers that only the run knows.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace attn::ascend {

class IndexExpression {
public:
  IndexExpression() = default;
  IndexExpression(int64_t constant) : constant(constant) {}
  static IndexExpression unknown(int32_t symbol);

  /// The number it is known to be, or none.
  std::optional<int64_t> getConstant() const;

  /// None where the result is not of this form, or does not fit 64 bits.
  static std::optional<IndexExpression> add(const IndexExpression &a, const IndexExpression &b);
  static std::optional<IndexExpression> subtract(const IndexExpression &a,
                                                 const IndexExpression &b);
  static std::optional<IndexExpression> multiply(const IndexExpression &a,
                                                 const IndexExpression &b);

private:
  struct Term {
    int32_t symbol;
    int64_t factor;
  };

  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms; // sorted by symbol, factors not zero
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_INDEXEXPRESSION_H
