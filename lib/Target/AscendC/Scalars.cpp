// Scalar and index arithmetic as C++ expressions: what is used once stands where it is used, the
// rest gets a name.
#include "KernelEmitter.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

/// The C++ operator of an integer op that has one, with its precedence.
static std::optional<std::pair<StringRef, Precedence>> getOperator(Operation &op) {
  using Result = std::optional<std::pair<StringRef, Precedence>>;
  auto make = [](StringRef symbol, Precedence precedence) {
    return Result(std::make_pair(symbol, precedence));
  };
  // In C++ the bits of two booleans are an integer.
  bool isBoolean = op.getNumResults() == 1 && op.getResult(0).getType().isSignlessInteger(1);
  return TypeSwitch<Operation *, Result>(&op)
      .Case([&](arith::DivSIOp) { return make("/", Precedence::Product); })
      .Case([&](arith::RemSIOp) { return make("%", Precedence::Product); })
      .Case([&](arith::ShLIOp) { return make("<<", Precedence::Shift); })
      .Case([&](arith::ShRSIOp) { return make(">>", Precedence::Shift); })
      .Case([&](arith::AndIOp) {
        return isBoolean ? make("&&", Precedence::LogicalAnd) : make("&", Precedence::Bitwise);
      })
      .Case([&](arith::OrIOp) {
        return isBoolean ? make("||", Precedence::LogicalOr) : make("|", Precedence::Bitwise);
      })
      .Case([&](arith::XOrIOp) { return make("^", Precedence::Bitwise); })
      .Case([&](arith::AddFOp) { return make("+", Precedence::Sum); })
      .Case([&](arith::SubFOp) { return make("-", Precedence::Sum); })
      .Case([&](arith::MulFOp) { return make("*", Precedence::Product); })
      .Case([&](arith::DivFOp) { return make("/", Precedence::Product); })
      .Default(Result());
}

static StringRef getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return ">=";
  }
  return "";
}

static bool isUnsignedComparison(arith::CmpIPredicate predicate) {
  return predicate >= arith::CmpIPredicate::ult;
}

/// The unsigned C++ type as wide as `type`.
static StringRef getUnsignedName(Type type) {
  return type.isIndex() || type.getIntOrFloatBitWidth() == 64 ? "uint64_t" : "uint32_t";
}

static bool isScalarType(Type type) {
  return type.isIndex() || type.isF32() || type.isSignlessInteger(1) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

/// Whether the text of `use`'s user repeats its operand.
bool KernelEmitter::repeatsOperand(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto slice = dyn_cast<ascend::SliceOp>(user); slice && getLastOffset(slice))
    return true;
  if (isa<scf::ForOp>(user))
    return use.getOperandNumber() < 3; // Bounds and step are evaluated in each iteration.
  if (isa<ascend::AddressOp, ascend::SlotOp, ascend::SliceOp>(user))
    return !user->getResult(0).hasOneUse();
  if (auto copy = dyn_cast<ascend::CopyInOp>(user))
    return use.get() == copy.getLength();
  if (auto copy = dyn_cast<ascend::CopyOutOp>(user))
    return use.get() == copy.getLength();
  if (auto copy = dyn_cast<ascend::NdToNzOp>(user)) // The pitch of one row is its length.
    return use.get() == copy.getCols();
  if (auto fill = dyn_cast<ascend::FillOp>(user))
    return use.get() == fill.getBlocks();
  if (auto product = dyn_cast<ascend::MmadOp>(user)) // Two calls may stand for it.
    return product.getBias() && use.getOperandNumber() > 3;
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(user);
}

/// Whether C++ computes the same on bool as the op does on i1, where it has such operands.
static bool isRightOnBooleans(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return !compare.getLhs().getType().isSignlessInteger(1) ||
           compare.getPredicate() == arith::CmpIPredicate::eq ||
           compare.getPredicate() == arith::CmpIPredicate::ne;
  return !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp,
              arith::RemSIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
              arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::CeilDivSIOp,
              arith::CeilDivUIOp, arith::FloorDivSIOp>(op) ||
         !op.getResult(0).getType().isSignlessInteger(1);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// A quotient rounded up or down, where C++ rounds towards zero. Both operands are names, literals
/// or casts of them.
static Expression divideRounded(const Expression &lhs, const Expression &rhs, bool up,
                                bool isPositiveDivisor) {
  Expression quotient = binary(lhs, "/", rhs, Precedence::Product);
  Expression remainder = binary(lhs, "%", rhs, Precedence::Product);
  std::string adjusts;
  if (isPositiveDivisor)
    adjusts = remainder.text + (up ? " > 0" : " < 0");
  else
    adjusts = remainder.text + " != 0 && (" + lhs.inParentheses() + " < 0) " + (up ? "==" : "!=") +
              " (" + rhs.inParentheses() + " < 0)";
  return binary(quotient, up ? "+" : "-", Expression::primary("(" + adjusts + ")"),
                Precedence::Sum);
}

Expression KernelEmitter::getIntegerExpression(Operation &op) {
  const Expression &lhs = get(op.getOperand(0)), &rhs = get(op.getOperand(1));
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::MinUIOp,
                        arith::MaxUIOp, arith::CeilDivUIOp>(op) ||
                    (compare && isUnsignedComparison(compare.getPredicate()));
  bool nonNegative =
      (isUnsigned || isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) &&
      llvm::all_of(op.getOperands(), [&](Value operand) { return ranges.isNonNegative(operand); });
  // Signed and unsigned numbers are the same where none is negative.
  bool casts = isUnsigned && !nonNegative;
  StringRef type = *getTypeName(op.getResult(0).getType());
  StringRef unsignedType = getUnsignedName(op.getOperand(0).getType());
  Expression left = casts ? castTo(unsignedType, lhs) : lhs;
  auto asUnsigned = [&](Expression result) {
    result.isUnsigned = casts;
    return result;
  };
  // C++ converts the other operand by itself; only of comparisons compilers warn.
  auto apply = [&](StringRef symbol, Precedence precedence) {
    return asUnsigned(binary(left, symbol, rhs, precedence));
  };
  auto compareBy = [&](StringRef symbol, Precedence precedence) {
    Expression right = casts && !rhs.constant ? castTo(unsignedType, rhs) : rhs;
    return binary(left, symbol, right, precedence);
  };
  auto choose = [&](StringRef symbol) {
    // Two literals would not both have the type of the result.
    Expression whenTrue = lhs.constant ? castTo(type, lhs) : lhs;
    return conditional(compareBy(symbol, Precedence::Relational), whenTrue, rhs);
  };
  auto divide = [&](bool up) {
    bool isPositive = nonNegative || casts || rhs.constant.value_or(0) > 0;
    return asUnsigned(divideRounded(left, rhs, up, isPositive));
  };
  return TypeSwitch<Operation *, Expression>(&op)
      .Case([&](arith::AddIOp) { return lhs + rhs; })
      .Case([&](arith::SubIOp) { return lhs - rhs; })
      .Case([&](arith::MulIOp) { return lhs * rhs; })
      .Case([&](arith::DivUIOp) { return apply("/", Precedence::Product); })
      .Case([&](arith::RemUIOp) { return apply("%", Precedence::Product); })
      .Case([&](arith::ShRUIOp) { return apply(">>", Precedence::Shift); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return choose("<"); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return choose(">"); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) { return divide(/*up=*/true); })
      .Case([&](arith::FloorDivSIOp) { return divide(/*up=*/false); })
      .Case([&](arith::CmpIOp) {
        StringRef symbol = getComparison(compare.getPredicate());
        bool isEquality = symbol == "==" || symbol == "!=";
        return compareBy(symbol, isEquality ? Precedence::Equality : Precedence::Relational);
      });
}

Expression KernelEmitter::getCastExpression(Operation &op) {
  const Expression &input = get(op.getOperand(0));
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  StringRef type = *getTypeName(to);
  if (*getTypeName(from) == type)
    return input;
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) && !from.isSignlessInteger(1)) {
    Expression result = castTo(getUnsignedName(from), input);
    result.isUnsigned = true;
    return result;
  }
  // C++ asks whether a number is zero, truncation keeps its last bit.
  if (to.isSignlessInteger(1))
    return binary(Expression::primary("(" + input.inParentheses() + " & 1)"),
                  "!=", Expression::integer(0), Precedence::Equality);
  // C++ widens true to 1, a signed one-bit number is -1.
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::SIToFPOp>(op) && from.isSignlessInteger(1))
    return castTo(type, conditional(input, Expression::integer(-1), Expression::integer(0)));
  return castTo(type, input);
}

/// 16-bit floats are their bits.
static Expression getConstantExpression(arith::ConstantOp op) {
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    return real.getType().isF32()
               ? Expression::real(real.getValue())
               : Expression::integer(real.getValue().bitcastToAPInt().getSExtValue());
  APInt value = cast<IntegerAttr>(op.getValue()).getValue();
  if (op.getType().isSignlessInteger(1))
    return Expression::primary(value.isZero() ? "false" : "true");
  return Expression::integer(value.getSExtValue());
}

FailureOr<Expression> KernelEmitter::getScalarExpression(Operation &op) {
  SmallVector<Type> types(op.getOperandTypes());
  llvm::append_range(types, op.getResultTypes());
  // Narrow numbers that nothing computes with are written by their bits.
  bool isNarrowConstant =
      isa<arith::ConstantOp>(op) &&
      (types.front().isF16() || types.front().isBF16() || types.front().isSignlessInteger(8));
  for (Type type : types)
    if (!isScalarType(type) && !isNarrowConstant)
      return op.emitOpError() << "cannot be printed as AscendC: no scalar type for " << type;
  if (!isRightOnBooleans(op))
    return op.emitOpError("cannot be printed as AscendC: bool does not compute like i1");
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return getConstantExpression(constant);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
          arith::SIToFPOp>(op))
    return getCastExpression(op);
  if (isa<arith::NegFOp>(op))
    return Expression{"-" + get(op.getOperand(0)).in(Precedence::Primary), Precedence::Unary, {}};
  if (isa<arith::SelectOp>(op)) {
    // Two literals would not have the type of the result.
    Expression whenTrue = get(op.getOperand(1));
    if (whenTrue.constant)
      whenTrue = castTo(*getTypeName(op.getResult(0).getType()), whenTrue);
    return conditional(get(op.getOperand(0)), whenTrue, get(op.getOperand(2)));
  }
  if (std::optional<std::pair<StringRef, Precedence>> symbol = getOperator(op)) {
    Expression lhs = get(op.getOperand(0)), rhs = get(op.getOperand(1));
    // A literal alone may be narrower than the op's type.
    if (lhs.constant && (rhs.constant || symbol->second == Precedence::Shift))
      lhs = castTo(*getTypeName(op.getResult(0).getType()), lhs);
    // Compilers warn where these mix with other operators without parentheses.
    if (symbol->second == Precedence::Bitwise || symbol->second == Precedence::Shift)
      return Expression{lhs.inParentheses() + " " + symbol->first.str() + " " + rhs.inParentheses(),
                        symbol->second,
                        {}};
    return binary(lhs, symbol->first, rhs, symbol->second);
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp,
          arith::ShRUIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp, arith::CmpIOp>(op))
    return getIntegerExpression(op);
  return op.emitOpError("cannot be printed as AscendC: no scalar expression for it");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void KernelEmitter::bind(Value value, const Expression &expression, StringRef name) {
  writer.writeStatement(value.getLoc(), "const " + *getTypeName(value.getType()) + " " + name +
                                            " = " + expression.text + ";");
  expressions[value] = Expression::primary(name);
}

LogicalResult KernelEmitter::emitScalar(Operation &op) {
  FailureOr<Expression> expression = getScalarExpression(op);
  if (failed(expression))
    return failure();
  Value result = op.getResult(0);
  if (expression->constant && result.getType().isSignlessInteger(32))
    expression = Expression::integer(static_cast<int32_t>(*expression->constant));
  bool isName =
      expression->precedence == Precedence::Primary && !StringRef(expression->text).contains('(');
  bool usedOnce = result.hasOneUse();
  bool usedHere = usedOnce && result.use_begin()->getOwner()->getBlock() == op.getBlock();
  constexpr size_t maxLength = 60;
  // Within one expression, compilers may fuse a product and a sum and round once; across names not.
  bool mayFuse = result.getType().isF32();
  if (expression->constant || isa<arith::ConstantOp>(op) || isName ||
      (usedHere && !mayFuse && !expression->isUnsigned && !repeatsOperand(*result.use_begin()) &&
       expression->text.size() <= maxLength)) {
    expressions[result] = *expression;
    return success();
  }
  StringRef fallback = result.getType().isF32()                ? "value"
                       : result.getType().isSignlessInteger(1) ? "is"
                                                               : "index";
  bind(result, *expression, addLocalName(result, fallback));
  return success();
}
