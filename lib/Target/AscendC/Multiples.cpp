// What is known of the divisors of a number.
#include "Multiples.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

bool attn::ascendc::isMultipleOf(Value number, int64_t unit) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % unit == 0;
  auto isMultiple = [&](Value operand) { return isMultipleOf(operand, unit); };
  Operation *op = number.getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), isMultiple);
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op) &&
         llvm::all_of(op->getOperands(), isMultiple);
}
