// Sums of constants and multiples of unknown numbers.
#include "attn/Dialect/Ascend/Analysis/IndexExpression.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace attn::ascend;

using Result = std::optional<IndexExpression>;

IndexExpression IndexExpression::unknown(int32_t symbol) {
  IndexExpression result;
  result.terms.push_back({symbol, 1});
  return result;
}

std::optional<int64_t> IndexExpression::getConstant() const {
  return terms.empty() ? std::optional(constant) : std::nullopt;
}

Result IndexExpression::add(const IndexExpression &a, const IndexExpression &b) {
  std::optional<int64_t> constant = llvm::checkedAdd(a.constant, b.constant);
  if (!constant)
    return std::nullopt;
  IndexExpression sum(*constant);
  const Term *left = a.terms.begin(), *right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    if (right == b.terms.end() || (left != a.terms.end() && left->symbol < right->symbol)) {
      sum.terms.push_back(*left++);
    } else if (left == a.terms.end() || right->symbol < left->symbol) {
      sum.terms.push_back(*right++);
    } else {
      std::optional<int64_t> factor = llvm::checkedAdd(left->factor, right->factor);
      if (!factor)
        return std::nullopt;
      if (*factor != 0)
        sum.terms.push_back({left->symbol, *factor});
      ++left, ++right;
    }
  }
  return sum;
}

Result IndexExpression::subtract(const IndexExpression &a, const IndexExpression &b) {
  Result negative = multiply(b, -1);
  return negative ? add(a, *negative) : std::nullopt;
}

Result IndexExpression::multiply(const IndexExpression &a, const IndexExpression &b) {
  if (!b.terms.empty())
    return a.terms.empty() ? multiply(b, a) : std::nullopt;
  if (b.constant == 0)
    return IndexExpression(0);
  std::optional<int64_t> constant = llvm::checkedMul(a.constant, b.constant);
  if (!constant)
    return std::nullopt;
  IndexExpression product(*constant);
  for (const Term &term : a.terms) {
    std::optional<int64_t> factor = llvm::checkedMul(term.factor, b.constant);
    if (!factor)
      return std::nullopt;
    product.terms.push_back({term.symbol, *factor});
  }
  return product;
}
