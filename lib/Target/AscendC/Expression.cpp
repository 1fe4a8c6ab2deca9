// C++ expressions as text with their precedence.
#include "Expression.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <limits>

using namespace llvm;
using namespace attn::ascendc;

Expression Expression::integer(int64_t value) {
  // The most negative number has no literal of its own.
  if (value == std::numeric_limits<int64_t>::min())
    return {"(-9223372036854775807 - 1)", Precedence::Primary, value};
  return {std::to_string(value), value < 0 ? Precedence::Unary : Precedence::Primary, value};
}

Expression Expression::real(const APFloat &value) {
  Precedence precedence = value.isNegative() ? Precedence::Unary : Precedence::Primary;
  std::string sign = value.isNegative() ? "-" : "";
  if (value.isNaN())
    return {sign + "__builtin_nanf(\"\")", precedence, {}};
  if (value.isInfinity())
    return {sign + "__builtin_inff()", precedence, {}};
  // Without limits this is the shortest text that reads back as the same number.
  SmallString<32> text;
  value.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6);
  if (!StringRef(text).contains('.') && !StringRef(text).contains('E'))
    text += ".0";
  text += 'f';
  return {text.str().str(), precedence, {}};
}

std::string Expression::in(Precedence least) const {
  return precedence < least ? "(" + text + ")" : text;
}

Expression attn::ascendc::binary(const Expression &lhs, StringRef symbol, const Expression &rhs,
                                 Precedence precedence) {
  auto above = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  return {lhs.in(precedence) + " " + symbol.str() + " " + rhs.in(above), precedence, {}};
}

/// Index arithmetic wraps, so numbers are combined as unsigned ones.
static std::optional<uint64_t> getBits(const Expression &expression) {
  if (!expression.constant)
    return std::nullopt;
  return static_cast<uint64_t>(*expression.constant);
}

Expression attn::ascendc::operator+(const Expression &lhs, const Expression &rhs) {
  if (getBits(lhs) && getBits(rhs))
    return Expression::integer(static_cast<int64_t>(*getBits(lhs) + *getBits(rhs)));
  if (lhs.constant == 0)
    return rhs;
  if (rhs.constant == 0)
    return lhs;
  if (rhs.constant && *rhs.constant < 0 && *rhs.constant > std::numeric_limits<int64_t>::min())
    return binary(lhs, "-", Expression::integer(-*rhs.constant), Precedence::Sum);
  return binary(lhs, "+", rhs, Precedence::Sum);
}

Expression attn::ascendc::operator-(const Expression &lhs, const Expression &rhs) {
  if (getBits(lhs) && getBits(rhs))
    return Expression::integer(static_cast<int64_t>(*getBits(lhs) - *getBits(rhs)));
  if (rhs.constant == 0)
    return lhs;
  if (lhs.text == rhs.text)
    return Expression::integer(0);
  return binary(lhs, "-", rhs, Precedence::Sum);
}

Expression attn::ascendc::operator*(const Expression &lhs, const Expression &rhs) {
  if (getBits(lhs) && getBits(rhs))
    return Expression::integer(static_cast<int64_t>(*getBits(lhs) * *getBits(rhs)));
  if (lhs.constant == 0 || rhs.constant == 0)
    return Expression::integer(0);
  if (lhs.constant == 1)
    return rhs;
  if (rhs.constant == 1)
    return lhs;
  return binary(lhs, "*", rhs, Precedence::Product);
}

Expression attn::ascendc::conditional(const Expression &condition, const Expression &whenTrue,
                                      const Expression &whenFalse) {
  return {condition.in(Precedence::Bitwise) + " ? " + whenTrue.in(Precedence::Bitwise) + " : " +
              whenFalse.in(Precedence::Bitwise),
          Precedence::Conditional,
          {}};
}

/// The bits of an integer type of C++, or 0.
static unsigned getWidth(StringRef type) {
  unsigned width = 0;
  type.consume_front("u");
  return type.consume_front("int") && !type.consumeInteger(10, width) && type == "_t" ? width : 0;
}

Expression attn::ascendc::castTo(StringRef type, const Expression &value) {
  StringRef text = value.text, inner = text;
  // Of two casts in a row the last decides, where the first keeps all the bits that it takes.
  if (value.precedence == Precedence::Primary && inner.consume_front("static_cast<")) {
    auto [innerType, rest] = inner.split(">(");
    if (getWidth(type) > 0 && getWidth(innerType) >= getWidth(type))
      text = rest.drop_back();
  }
  return Expression::primary(("static_cast<" + type + ">(" + text + ")").str());
}

std::string attn::ascendc::convertTo(StringRef type, const Expression &value) {
  return value.constant ? value.text : castTo(type, value).text;
}

std::string attn::ascendc::makeCall(const Twine &name, ArrayRef<std::string> arguments) {
  return ("AscendC::" + name + "(").str() + llvm::join(arguments, ", ") + ")";
}

std::string attn::ascendc::makeParameters(const Twine &type, ArrayRef<std::string> fields) {
  return ("AscendC::" + type + "{").str() + llvm::join(fields, ", ") + "}";
}
