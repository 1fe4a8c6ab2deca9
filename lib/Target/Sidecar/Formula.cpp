// Writes the function that counts a kernel's tiles as a formula.
#include "Formula.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::sidecar;
using llvm::json::Array;
using llvm::json::Object;

/// Terms of the largest formula; one that shares terms grows when it is written as a tree.
static constexpr unsigned maxTerms = 1000;

static StringRef spellPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "eq";
  case arith::CmpIPredicate::ne:
    return "ne";
  case arith::CmpIPredicate::slt:
    return "lt";
  case arith::CmpIPredicate::sle:
    return "le";
  case arith::CmpIPredicate::sgt:
    return "gt";
  case arith::CmpIPredicate::sge:
    return "ge";
  case arith::CmpIPredicate::ult:
    return "ult";
  case arith::CmpIPredicate::ule:
    return "ule";
  case arith::CmpIPredicate::ugt:
    return "ugt";
  case arith::CmpIPredicate::uge:
    return "uge";
  }
  llvm_unreachable("all predicates are listed");
}

/// The name of an op in formulas; empty where it has none. Those with a `u` take no negative
/// numbers.
static StringRef spellOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "sub"; })
      .Case([](arith::MulIOp) { return "mul"; })
      .Case([](arith::DivSIOp) { return "div"; })
      .Case([](arith::DivUIOp) { return "udiv"; })
      .Case([](arith::CeilDivSIOp) { return "ceildiv"; })
      .Case([](arith::CeilDivUIOp) { return "uceildiv"; })
      .Case([](arith::FloorDivSIOp) { return "floordiv"; })
      .Case([](arith::RemSIOp) { return "rem"; })
      .Case([](arith::RemUIOp) { return "urem"; })
      .Case([](arith::MinSIOp) { return "min"; })
      .Case([](arith::MinUIOp) { return "umin"; })
      .Case([](arith::MaxSIOp) { return "max"; })
      .Case([](arith::MaxUIOp) { return "umax"; })
      .Case([](arith::SelectOp) { return "select"; })
      .Case([](arith::CmpIOp compare) { return spellPredicate(compare.getPredicate()); })
      .Default(StringRef());
}

namespace {

class FormulaWriter {
public:
  FormulaWriter(func::FuncOp function, const Parameters &parameters)
      : function(function), parameters(parameters) {}

  FailureOr<llvm::json::Value> write(Value value) {
    if (++terms > maxTerms)
      return function.emitError() << "counts tiles with more than " << maxTerms
                                  << " terms, which no sidecar holds";
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::json::Value(Object{{"scalar", parameters.getName(argument.getArgNumber())}});
    Operation *op = value.getDefiningOp();
    IntegerAttr number;
    if (matchPattern(op, m_Constant(&number)))
      return llvm::json::Value(number.getInt());
    if (auto dim = dyn_cast<ascend::DimOp>(op))
      if (auto array = dyn_cast<BlockArgument>(dim.getArray()))
        return parameters.getSize(array.getArgNumber(), dim.getDimension());
    StringRef name = spellOp(op);
    if (name.empty() || !llvm::all_of(op->getOperandTypes(), isNumber))
      return op->emitOpError("counts the tiles of a kernel, but has no place in the formula of a "
                             "sidecar");
    Array operands;
    for (Value operand : op->getOperands()) {
      FailureOr<llvm::json::Value> written = write(operand);
      if (failed(written))
        return failure();
      operands.push_back(std::move(*written));
    }
    return llvm::json::Value(Object{{name.str(), std::move(operands)}});
  }

private:
  static bool isNumber(Type type) {
    return type.isIndex() || type.isInteger(64) || type.isInteger(1);
  }

  func::FuncOp function;
  const Parameters &parameters;
  unsigned terms = 0;
};

} // namespace

FailureOr<llvm::json::Value> sidecar::makeFormula(func::FuncOp function,
                                                  const Parameters &parameters) {
  bool givesNumber = function.getNumResults() == 1 && function.getResultTypes()[0].isIndex();
  if (!function.getBody().hasOneBlock() || !givesNumber)
    return function.emitError("must have one block and return one number, the count of tiles");
  Value count = function.getBody().front().getTerminator()->getOperand(0);
  return FormulaWriter(function, parameters).write(count);
}
