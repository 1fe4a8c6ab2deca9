// Sums of constants and multiples of unknown numbers and of their products, and what their bounds
// tell about them.
#include "attn/Dialect/Ascend/Analysis/IndexExpression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace attn::ascend;

using Result = std::optional<IndexExpression>;
using Bound = std::optional<int64_t>;

// Not those of llvm/Support/CheckedArithmetic.h: they divide, and a trace adds millions of numbers.

static Bound checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::nullopt : Bound(sum);
}

static Bound checkedMul(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::nullopt : Bound(product);
}

std::optional<int64_t> IndexExpression::getConstant() const {
  return terms.empty() ? std::optional(constant) : std::nullopt;
}

void IndexExpression::appendUnknowns(std::vector<int64_t> &numbers) const {
  for (const Term &term : terms)
    numbers.insert(numbers.end(), {term.symbols.first, term.symbols.second, term.factor});
}

Result IndexExpression::add(const IndexExpression &a, const IndexExpression &b) {
  Bound constant = checkedAdd(a.constant, b.constant);
  if (!constant)
    return std::nullopt;
  IndexExpression sum(*constant);
  const Term *left = a.terms.begin(), *right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    if (right == b.terms.end() || (left != a.terms.end() && left->symbols < right->symbols)) {
      sum.terms.push_back(*left++);
    } else if (left == a.terms.end() || right->symbols < left->symbols) {
      sum.terms.push_back(*right++);
    } else {
      Bound factor = checkedAdd(left->factor, right->factor);
      if (!factor)
        return std::nullopt;
      if (*factor != 0)
        sum.terms.push_back({left->symbols, *factor});
      ++left, ++right;
    }
  }
  return sum;
}

Result IndexExpression::subtract(const IndexExpression &a, const IndexExpression &b) {
  Result negative = scale(b, -1);
  return negative ? add(a, *negative) : std::nullopt;
}

Result IndexExpression::scale(const IndexExpression &a, int64_t factor) {
  if (factor == 0)
    return IndexExpression(0);
  Bound constant = checkedMul(a.constant, factor);
  if (!constant)
    return std::nullopt;
  IndexExpression product(*constant);
  for (const Term &term : a.terms) {
    Bound scaled = checkedMul(term.factor, factor);
    if (!scaled)
      return std::nullopt;
    product.terms.push_back({term.symbols, *scaled});
  }
  return product;
}

Result IndexExpression::multiply(const IndexExpression &a, const Term &term) {
  IndexExpression product;
  auto append = [&](Symbols symbols, int64_t factor) {
    Bound scaled = checkedMul(factor, term.factor);
    if (scaled && *scaled != 0)
      product.terms.push_back({symbols, *scaled});
    return scaled.has_value();
  };
  bool isProduct = term.symbols.first != none;
  for (const Term &other : a.terms)
    if (isProduct || other.symbols.first != none ||
        !append(std::minmax(other.symbols.second, term.symbols.second), other.factor))
      return std::nullopt;
  if (!append(term.symbols, a.constant))
    return std::nullopt;
  llvm::sort(product.terms, [](const Term &x, const Term &y) { return x.symbols < y.symbols; });
  return product;
}

Result IndexExpression::multiply(const IndexExpression &a, const IndexExpression &b) {
  Result product = scale(a, b.constant);
  for (const Term &term : b.terms) {
    Result part = multiply(a, term);
    product = product && part ? add(*product, *part) : std::nullopt;
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

IndexExpression IndexSymbols::make(Facts known) {
  IndexExpression expression;
  int32_t symbol = facts.size();
  expression.terms.push_back({{IndexExpression::none, symbol}, 1});
  facts.push_back(std::move(known));
  return expression;
}

Bound IndexSymbols::getLowest(const IndexExpression::Term &term) const {
  auto [first, second] = term.symbols;
  const Facts &one = facts[second];
  Bound extreme = term.factor > 0 ? one.low : one.high;
  if (first != IndexExpression::none) {
    const Facts &other = facts[first];
    Bound otherExtreme = term.factor > 0 ? other.low : other.high;
    if (!one.low || *one.low < 0 || !other.low || *other.low < 0 || !extreme || !otherExtreme)
      return std::nullopt;
    extreme = checkedMul(*extreme, *otherExtreme);
  }
  return extreme ? checkedMul(*extreme, term.factor) : std::nullopt;
}

Bound IndexSymbols::getLowest(const IndexExpression &expression) const {
  Bound lowest = expression.constant;
  for (const IndexExpression::Term &term : expression.terms) {
    Bound part = getLowest(term);
    lowest = part ? checkedAdd(*lowest, *part) : std::nullopt;
    if (!lowest)
      break;
  }
  return lowest;
}

Bound IndexSymbols::getHighest(const IndexExpression &expression) const {
  Result negative = IndexExpression::scale(expression, -1);
  Bound lowest = negative ? getLowest(*negative) : std::nullopt;
  return lowest ? checkedMul(*lowest, -1) : std::nullopt;
}

Result IndexSymbols::divideByCommon(const IndexExpression &expression) const {
  if (expression.constant != 0 || expression.terms.empty())
    return std::nullopt;
  auto contains = [](const IndexExpression::Term &term, int32_t symbol) {
    return term.symbols.first == symbol || term.symbols.second == symbol;
  };
  auto [first, second] = expression.terms.front().symbols;
  for (int32_t symbol : {first, second}) {
    if (symbol == IndexExpression::none || facts[symbol].low.value_or(0) < 1 ||
        !llvm::all_of(expression.terms, [&](auto &term) { return contains(term, symbol); }))
      continue;
    IndexExpression quotient;
    for (const IndexExpression::Term &term : expression.terms) {
      int32_t rest = term.symbols.first == symbol ? term.symbols.second : term.symbols.first;
      if (rest == IndexExpression::none)
        quotient.constant = term.factor;
      else
        quotient.terms.push_back({{IndexExpression::none, rest}, term.factor});
    }
    llvm::sort(quotient.terms, [](auto &x, auto &y) { return x.symbols < y.symbols; });
    return quotient;
  }
  return std::nullopt;
}

bool IndexSymbols::isNonNegative(const IndexExpression &expression) const {
  if (getLowest(expression).value_or(-1) >= 0)
    return true;
  if (Result quotient = divideByCommon(expression))
    return isNonNegative(*quotient);
  // Less than it is: one number replaced by another that it is not smaller than.
  for (const IndexExpression::Term &term : expression.terms) {
    if (term.symbols.first != IndexExpression::none || term.factor < 0)
      continue;
    IndexExpression part;
    part.terms.push_back(term);
    Result rest = IndexExpression::subtract(expression, part);
    for (const IndexExpression &least : facts[term.symbols.second].atLeast) {
      Result scaled = IndexExpression::scale(least, term.factor);
      Result lower = rest && scaled ? IndexExpression::add(*rest, *scaled) : std::nullopt;
      if (lower && getLowest(*lower).value_or(-1) >= 0)
        return true;
    }
  }
  return false;
}
