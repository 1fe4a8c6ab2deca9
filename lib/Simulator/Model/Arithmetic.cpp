// The simulator's front: the arithmetic of the scalar unit, on index, i64, i1 and f32.
#include "attn/Simulator/Model/ScalarArithmetic.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

/// An operation on two integers that cannot fail.
template <typename Compute> Evaluate integer(Compute) {
  return [](Scalar &result, const Scalar &a, const Scalar &b, const Scalar &) {
    result.integer = static_cast<int64_t>(Compute()(a.integer, b.integer));
    return true;
  };
}

/// A signed division; fails by zero and on overflow.
template <typename Compute> Evaluate division(Compute) {
  return [](Scalar &result, const Scalar &a, const Scalar &b, const Scalar &) {
    if (b.integer == 0 || (b.integer == -1 && a.integer == std::numeric_limits<int64_t>::min()))
      return false;
    result.integer = static_cast<int64_t>(Compute()(a.integer, b.integer));
    return true;
  };
}

template <typename Compute> Evaluate real(Compute) {
  return [](Scalar &result, const Scalar &a, const Scalar &b, const Scalar &) {
    result.real = Compute()(a.real, b.real);
    return true;
  };
}

template <typename Compare> Evaluate compareReals(Compare) {
  return [](Scalar &result, const Scalar &a, const Scalar &b, const Scalar &) {
    result.integer = Compare()(a.real, b.real);
    return true;
  };
}

// Lambdas without captures cannot be template arguments' values before C++20, so that each
// operation is a small type.
#define ATTN_INTEGER_OPERATION(name, expression)                                                   \
  struct name {                                                                                    \
    auto operator()(int64_t a, int64_t b) const { return expression; }                             \
  };
#define ATTN_REAL_OPERATION(name, expression)                                                      \
  struct name {                                                                                    \
    auto operator()(float a, float b) const { return expression; }                                 \
  };

ATTN_INTEGER_OPERATION(Add, bits(a) + bits(b))
ATTN_INTEGER_OPERATION(Sub, bits(a) - bits(b))
ATTN_INTEGER_OPERATION(Mul, bits(a) * bits(b))
ATTN_INTEGER_OPERATION(And, a &b)
ATTN_INTEGER_OPERATION(Or, a | b)
ATTN_INTEGER_OPERATION(Xor, a ^ b)
ATTN_INTEGER_OPERATION(ShiftLeft, bits(b) < 64 ? bits(a) << b : 0)
ATTN_INTEGER_OPERATION(ShiftRight, bits(b) < 64 ? a >> b : (a < 0 ? -1 : 0))
ATTN_INTEGER_OPERATION(ShiftRightUnsigned, bits(b) < 64 ? bits(a) >> b : 0)
ATTN_INTEGER_OPERATION(Min, std::min(a, b))
ATTN_INTEGER_OPERATION(Max, std::max(a, b))
ATTN_INTEGER_OPERATION(MinUnsigned, std::min(bits(a), bits(b)))
ATTN_INTEGER_OPERATION(MaxUnsigned, std::max(bits(a), bits(b)))
ATTN_INTEGER_OPERATION(First, (void(b), a))
ATTN_INTEGER_OPERATION(LowestBit, (void(b), a & 1))
ATTN_INTEGER_OPERATION(LowestWord, (void(b), a & 0xffff))
ATTN_INTEGER_OPERATION(Equal, a == b)
ATTN_INTEGER_OPERATION(NotEqual, a != b)
ATTN_INTEGER_OPERATION(Less, a < b)
ATTN_INTEGER_OPERATION(LessEqual, a <= b)
ATTN_INTEGER_OPERATION(Greater, a > b)
ATTN_INTEGER_OPERATION(GreaterEqual, a >= b)
ATTN_INTEGER_OPERATION(Below, bits(a) < bits(b))
ATTN_INTEGER_OPERATION(BelowEqual, bits(a) <= bits(b))
ATTN_INTEGER_OPERATION(Above, bits(a) > bits(b))
ATTN_INTEGER_OPERATION(AboveEqual, bits(a) >= bits(b))
ATTN_INTEGER_OPERATION(Divide, a / b)
ATTN_INTEGER_OPERATION(Remainder, a % b)
ATTN_INTEGER_OPERATION(DivideFloor, llvm::divideFloorSigned(a, b))
ATTN_INTEGER_OPERATION(DivideCeil, llvm::divideCeilSigned(a, b))
ATTN_INTEGER_OPERATION(DivideUnsigned, bits(a) / bits(b))
ATTN_INTEGER_OPERATION(RemainderUnsigned, bits(a) % bits(b))
ATTN_INTEGER_OPERATION(DivideCeilUnsigned, bits(a) / bits(b) + (bits(a) % bits(b) != 0))

ATTN_REAL_OPERATION(AddReal, a + b)
ATTN_REAL_OPERATION(SubReal, a - b)
ATTN_REAL_OPERATION(MulReal, a *b)
ATTN_REAL_OPERATION(DivReal, a / b)
ATTN_REAL_OPERATION(MaxReal, std::isnan(a) ? a : std::isnan(b) ? b : std::fmax(a, b))
ATTN_REAL_OPERATION(MinReal, std::isnan(a) ? a : std::isnan(b) ? b : std::fmin(a, b))
ATTN_REAL_OPERATION(MaxNumber, std::fmax(a, b))
ATTN_REAL_OPERATION(MinNumber, std::fmin(a, b))
ATTN_REAL_OPERATION(Negate, (void(b), -a))
ATTN_REAL_OPERATION(EqualReal, a == b)
ATTN_REAL_OPERATION(NotEqualReal, a != b)
ATTN_REAL_OPERATION(LessReal, a < b)
ATTN_REAL_OPERATION(LessEqualReal, a <= b)
ATTN_REAL_OPERATION(GreaterReal, a > b)
ATTN_REAL_OPERATION(GreaterEqualReal, a >= b)

#undef ATTN_INTEGER_OPERATION
#undef ATTN_REAL_OPERATION

bool isSupported(Type type) {
  return type.isIndex() || type.isInteger(64) || type.isInteger(1) || type.isF32();
}

Evaluate getComparison(arith::CmpIOp op) {
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return integer(Equal());
  case arith::CmpIPredicate::ne:
    return integer(NotEqual());
  case arith::CmpIPredicate::slt:
    return integer(Less());
  case arith::CmpIPredicate::sle:
    return integer(LessEqual());
  case arith::CmpIPredicate::sgt:
    return integer(Greater());
  case arith::CmpIPredicate::sge:
    return integer(GreaterEqual());
  case arith::CmpIPredicate::ult:
    return integer(Below());
  case arith::CmpIPredicate::ule:
    return integer(BelowEqual());
  case arith::CmpIPredicate::ugt:
    return integer(Above());
  case arith::CmpIPredicate::uge:
    return integer(AboveEqual());
  }
  llvm_unreachable("all predicates are listed");
}

Evaluate getComparison(arith::CmpFOp op) {
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
    return compareReals(EqualReal());
  case arith::CmpFPredicate::UNE:
    return compareReals(NotEqualReal());
  case arith::CmpFPredicate::OLT:
    return compareReals(LessReal());
  case arith::CmpFPredicate::OLE:
    return compareReals(LessEqualReal());
  case arith::CmpFPredicate::OGT:
    return compareReals(GreaterReal());
  case arith::CmpFPredicate::OGE:
    return compareReals(GreaterEqualReal());
  default:
    return nullptr;
  }
}

Evaluate getSelect() {
  return [](Scalar &result, const Scalar &condition, const Scalar &a, const Scalar &b) {
    result = condition.integer ? a : b;
    return true;
  };
}

Evaluate getToReal() {
  return [](Scalar &result, const Scalar &a, const Scalar &, const Scalar &) {
    result.real = static_cast<float>(a.integer);
    return true;
  };
}

Evaluate getIntegerEvaluate(Operation *op) {
  return TypeSwitch<Operation *, Evaluate>(op)
      .Case([](arith::AddIOp) { return integer(Add()); })
      .Case([](arith::SubIOp) { return integer(Sub()); })
      .Case([](arith::MulIOp) { return integer(Mul()); })
      .Case([](arith::AndIOp) { return integer(And()); })
      .Case([](arith::OrIOp) { return integer(Or()); })
      .Case([](arith::XOrIOp) { return integer(Xor()); })
      .Case([](arith::ShLIOp) { return integer(ShiftLeft()); })
      .Case([](arith::ShRSIOp) { return integer(ShiftRight()); })
      .Case([](arith::ShRUIOp) { return integer(ShiftRightUnsigned()); })
      .Case([](arith::MinSIOp) { return integer(Min()); })
      .Case([](arith::MaxSIOp) { return integer(Max()); })
      .Case([](arith::MinUIOp) { return integer(MinUnsigned()); })
      .Case([](arith::MaxUIOp) { return integer(MaxUnsigned()); })
      .Case([](arith::CmpIOp op) { return getComparison(op); })
      .Case([](arith::TruncIOp op) {
        return op.getType().isInteger(1) ? integer(LowestBit()) : integer(First());
      })
      .Case([](arith::IndexCastUIOp op) {
        return op.getIn().getType().isInteger(16) ? integer(LowestWord()) : integer(First());
      })
      .Case<arith::IndexCastOp, arith::ExtUIOp>([](auto) { return integer(First()); })
      .Default([](Operation *) { return nullptr; });
}

Evaluate getDivisionEvaluate(Operation *op) {
  return TypeSwitch<Operation *, Evaluate>(op)
      .Case([](arith::DivSIOp) { return division(Divide()); })
      .Case([](arith::RemSIOp) { return division(Remainder()); })
      .Case([](arith::FloorDivSIOp) { return division(DivideFloor()); })
      .Case([](arith::CeilDivSIOp) { return division(DivideCeil()); })
      .Case([](arith::DivUIOp) { return division(DivideUnsigned()); })
      .Case([](arith::RemUIOp) { return division(RemainderUnsigned()); })
      .Case([](arith::CeilDivUIOp) { return division(DivideCeilUnsigned()); })
      .Default([](Operation *) { return nullptr; });
}

Evaluate getRealEvaluate(Operation *op) {
  return TypeSwitch<Operation *, Evaluate>(op)
      .Case([](arith::AddFOp) { return real(AddReal()); })
      .Case([](arith::SubFOp) { return real(SubReal()); })
      .Case([](arith::MulFOp) { return real(MulReal()); })
      .Case([](arith::DivFOp) { return real(DivReal()); })
      .Case([](arith::MaximumFOp) { return real(MaxReal()); })
      .Case([](arith::MinimumFOp) { return real(MinReal()); })
      .Case([](arith::MaxNumFOp) { return real(MaxNumber()); })
      .Case([](arith::MinNumFOp) { return real(MinNumber()); })
      .Case([](arith::NegFOp) { return real(Negate()); })
      .Case([](arith::CmpFOp op) { return getComparison(op); })
      .Case([](arith::SIToFPOp) { return getToReal(); })
      .Case([](arith::SelectOp) { return getSelect(); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace

Evaluate simulator::getEvaluate(Operation *op) {
  // What was read from memory, with copies of its sign, becomes an index.
  auto isTaken = [&](Type type) {
    return isSupported(type) || (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
                                 (type.isInteger(16) || type.isInteger(32)));
  };
  if (op->getNumResults() != 1 || op->getNumOperands() > 3 ||
      !llvm::all_of(op->getOperandTypes(), isTaken) || !isSupported(op->getResult(0).getType()))
    return nullptr;
  for (auto find : {getIntegerEvaluate, getDivisionEvaluate, getRealEvaluate})
    if (Evaluate evaluate = find(op))
      return evaluate;
  return nullptr;
}

std::optional<Scalar> simulator::getScalar(arith::ConstantOp op) {
  if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
    APInt value = number.getValue();
    return Scalar{value.getBitWidth() == 1 ? static_cast<int64_t>(value.getZExtValue())
                                           : value.trySExtValue().value_or(0),
                  0};
  }
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return Scalar{0, static_cast<float>(number.getValueAsDouble())};
  return std::nullopt;
}
