// C++ expressions as text with their precedence, so that parentheses stand where they are needed.
#ifndef ATTN_TARGET_ASCENDC_EXPRESSION_H
#define ATTN_TARGET_ASCENDC_EXPRESSION_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <string>

namespace attn::ascendc {

/// How tightly an expression binds, weakest first.
enum class Precedence {
  Conditional,
  LogicalOr,
  LogicalAnd,
  Bitwise,
  Equality,
  Relational,
  Shift,
  Sum,
  Product,
  Unary,
  Primary
};

struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;
  /// The value, where the expression is an integer literal.
  std::optional<int64_t> constant;
  /// Whether C++ computes it as an unsigned number, unlike the op that it is the value of: only the
  /// declaration of a constant may use it, which converts it.
  bool isUnsigned = false;

  /// A name, a call: what never needs parentheses.
  static Expression primary(llvm::StringRef text) { return {text.str(), Precedence::Primary, {}}; }
  static Expression integer(int64_t value);
  static Expression real(const llvm::APFloat &value);

  /// The text, in parentheses if it binds less tightly than `least`.
  std::string in(Precedence least) const;
  /// The text, in parentheses unless it is a name, a call or a literal.
  std::string inParentheses() const { return in(Precedence::Unary); }
};

/// `lhs symbol rhs`, of a left-associative operator.
Expression binary(const Expression &lhs, llvm::StringRef symbol, const Expression &rhs,
                  Precedence precedence);

/// Integer arithmetic, with the simplifications a reader expects.
Expression operator+(const Expression &lhs, const Expression &rhs);
Expression operator-(const Expression &lhs, const Expression &rhs);
Expression operator*(const Expression &lhs, const Expression &rhs);

/// `condition ? whenTrue : whenFalse`.
Expression conditional(const Expression &condition, const Expression &whenTrue,
                       const Expression &whenFalse);

/// `static_cast<type>(value)`.
Expression castTo(llvm::StringRef type, const Expression &value);

/// As `castTo`, but a literal stays as it is.
std::string convertTo(llvm::StringRef type, const Expression &value);

/// `AscendC::name(argument, ...)`.
std::string makeCall(const llvm::Twine &name, llvm::ArrayRef<std::string> arguments);

/// `AscendC::type{field, ...}`.
std::string makeParameters(const llvm::Twine &type, llvm::ArrayRef<std::string> fields);

} // namespace attn::ascendc

#endif // ATTN_TARGET_ASCENDC_EXPRESSION_H
