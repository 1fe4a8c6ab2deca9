// The pass `jit-lower-checks`: checks become branches that stop the block and say why. CPU stage,
// where control flow is branches.
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_LOWERCHECKSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn::cpu;
using arith::CmpIPredicate;

namespace {

/// A check in operations: whether it holds, and the numbers that a report of it has.
struct Condition {
  Value holds;
  SmallVector<Value> numbers;
};

/// Builds the condition of a check before it.
class ConditionBuilder {
public:
  explicit ConditionBuilder(Operation *check) : builder(check->getLoc(), check) {}

  Condition create(CheckAccessOp check) {
    Value array = check.getArray(), isEmpty = getBool(false), isInside = getBool(true);
    Condition result;
    for (auto [number, offset, size, step] :
         llvm::enumerate(check.getOffsets(), check.getSizes(), check.getSteps())) {
      Value limit = builder.createOrFold<memref::DimOp>(array, static_cast<int64_t>(number));
      isEmpty = either(isEmpty, compare(CmpIPredicate::sle, size, getIndex(0)));
      isInside = both(isInside, createIsInside(offset, size, step, limit));
      result.numbers.append({offset, size, step, limit});
    }
    result.holds = either(isEmpty, isInside);
    return result;
  }

  Condition create(CheckDivisorOp check) {
    Value dividend = check.getDividend(), divisor = check.getDivisor();
    Type type = divisor.getType();
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    auto constant = [&](const APInt &number) -> Value {
      return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, number));
    };
    Value isNonZero = compare(CmpIPredicate::ne, divisor, constant(APInt(width, 0)));
    Value isOther = compare(CmpIPredicate::ne, divisor, constant(APInt::getAllOnes(width)));
    Value isNotLeast =
        compare(CmpIPredicate::ne, dividend, constant(APInt::getSignedMinValue(width)));
    return {both(isNonZero, either(isOther, isNotLeast)), {dividend, divisor}};
  }

  Condition create(CheckCountOp check) {
    Value end = check.getEnd(), limit = check.getLimit();
    Condition result = {compare(CmpIPredicate::sle, end, limit), {end, limit}};
    llvm::append_range(result.numbers, check.getNumbers());
    return result;
  }

private:
  /// Whether a dimension of `limit` elements has all of `size` elements, `step` apart.
  Value createIsInside(Value offset, Value size, Value step, Value limit) {
    Value isInside = compare(CmpIPredicate::ult, offset, limit);
    if (getConstantIntValue(size) == 1)
      return isInside;
    // From a first element that is inside to the limit, nothing can overflow.
    if (getConstantIntValue(step) == 1)
      return both(isInside, compare(CmpIPredicate::sle, size,
                                    builder.createOrFold<arith::SubIOp>(limit, offset)));
    // Of steps that a dimension has room for, as few as a tile has rows cannot overflow.
    Value stepOrMore = builder.createOrFold<arith::AddIOp>(step, limit);
    Value twice = builder.createOrFold<arith::AddIOp>(limit, limit);
    Value steps = builder.createOrFold<arith::SubIOp>(size, getIndex(1));
    Value last = builder.createOrFold<arith::AddIOp>(
        offset, builder.createOrFold<arith::MulIOp>(steps, step));
    Value isLastInside = both(compare(CmpIPredicate::ule, stepOrMore, twice),
                              compare(CmpIPredicate::ult, last, limit));
    return both(isInside, either(compare(CmpIPredicate::sle, size, getIndex(1)), isLastInside));
  }

  Value getIndex(int64_t number) { return arith::ConstantIndexOp::create(builder, number); }
  Value getBool(bool value) {
    return arith::ConstantOp::create(builder, builder.getBoolAttr(value));
  }
  Value compare(CmpIPredicate predicate, Value lhs, Value rhs) {
    return builder.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) { return builder.createOrFold<arith::AndIOp>(lhs, rhs); }
  Value either(Value lhs, Value rhs) { return builder.createOrFold<arith::OrIOp>(lhs, rhs); }

  ImplicitLocOpBuilder builder;
};

/// What a check hands on.
Value getChecked(Operation *check) {
  return TypeSwitch<Operation *, Value>(check)
      .Case([](CheckAccessOp op) { return op.getArray(); })
      .Case([](CheckCountOp op) { return op.getEnd(); })
      .Case([](CheckDivisorOp op) { return op.getDivisor(); });
}

/// What a report of a check does not carry, and how many numbers it does.
DictionaryAttr describe(Operation *check, size_t numberCount) {
  Builder builder(check);
  SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr("place", check->getLoc()),
      builder.getNamedAttr("numbers", builder.getI64IntegerAttr(numberCount))};
  if (auto access = dyn_cast<CheckAccessOp>(check)) {
    entries.push_back(builder.getNamedAttr("access", access.getAccessAttr()));
    entries.push_back(builder.getNamedAttr("array", access.getNameAttr()));
  } else if (auto count = dyn_cast<CheckCountOp>(check)) {
    entries.push_back(builder.getNamedAttr("access", count.getCountAttr()));
    entries.push_back(builder.getNamedAttr("array", count.getNameAttr()));
  } else {
    auto division = cast<CheckDivisorOp>(check);
    entries.push_back(builder.getNamedAttr("division", division.getDivisionAttr()));
  }
  return builder.getDictionaryAttr(entries);
}

/// Where checks of a function go that do not hold. All of them end at one block, which frees
/// buffers and returns; those that report equally many numbers share the code that does it.
class Stops {
public:
  explicit Stops(func::FuncOp function) : function(function) {
    auto result = *function.getOps<func::ReturnOp>().begin();
    Operation *first = result;
    while (isa_and_present<memref::DeallocOp>(first->getPrevNode()))
      first = first->getPrevNode();
    Block *end = first->getBlock();
    exit = end->splitBlock(first);
    OpBuilder builder = OpBuilder::atBlockEnd(end);
    cf::BranchOp::create(builder, result.getLoc(), exit, result.getOperands());
    for (OpOperand &operand : result->getOpOperands())
      operand.set(exit->addArgument(operand.get().getType(), result.getLoc()));
  }

  /// The block that writes a report of `words` words, its arguments, and leaves the function.
  Block *get(size_t words) {
    Block *&stop = stops[words];
    if (stop)
      return stop;
    ImplicitLocOpBuilder builder(function.getLoc(), function.getContext());
    stop = builder.createBlock(&function.getBody(), function.getBody().end());
    Type word = builder.getI64Type();
    Value report = function.getArguments().back();
    for (size_t place = 0; place < words; ++place) {
      Value address = LLVM::GEPOp::create(builder, report.getType(), word, report,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(place)});
      LLVM::StoreOp::create(builder, stop->addArgument(word, builder.getLoc()), address);
    }
    SmallVector<Value> zeros;
    for (Type type : exit->getArgumentTypes())
      zeros.push_back(arith::ConstantOp::create(builder, builder.getZeroAttr(type)));
    cf::BranchOp::create(builder, exit, zeros);
    return stop;
  }

private:
  func::FuncOp function;
  Block *exit;
  DenseMap<size_t, Block *> stops;
};

struct LowerChecksPass : attn::impl::LowerChecksPassBase<LowerChecksPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(lowerFunction(function)))
        return signalPassFailure();
    SmallVector<Attribute> described(llvm::make_first_range(numbers));
    if (!described.empty())
      getOperation()->setAttr(checksName, ArrayAttr::get(&getContext(), described));
  }

private:
  LogicalResult lowerFunction(func::FuncOp function) {
    SmallVector<Operation *> checks;
    function.walk([&](Operation *op) {
      if (isa<CheckAccessOp, CheckCountOp, CheckDivisorOp>(op))
        checks.push_back(op);
    });
    if (checks.empty())
      return success();
    if (function.getNumArguments() == 0 ||
        !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().back()))
      return function.emitOpError("has checks and no report: jit-add-entries must run first");
    if (!llvm::hasSingleElement(function.getOps<func::ReturnOp>()) ||
        llvm::any_of(checks, [&](Operation *check) { return check->getParentOp() != function; }))
      return function.emitOpError("has checks in regions, or several returns: lower its control "
                                  "flow before");
    Stops stops(function);
    for (Operation *check : checks)
      lower(check, stops);
    return success();
  }

  void lower(Operation *check, Stops &stops) {
    ConditionBuilder conditions(check);
    Condition condition =
        TypeSwitch<Operation *, Condition>(check).Case<CheckAccessOp, CheckCountOp, CheckDivisorOp>(
            [&](auto op) { return conditions.create(op); });
    DictionaryAttr description = describe(check, condition.numbers.size());
    int64_t number = numbers.try_emplace(description, numbers.size()).first->second;
    Block *before = check->getBlock(), *after = before->splitBlock(check);
    auto builder = ImplicitLocOpBuilder::atBlockEnd(check->getLoc(), before);
    SmallVector<Value> report = createReport(builder, number, condition.numbers);
    // It all but never stops: the code that does is kept away from the rest.
    constexpr int32_t often = 1 << 20;
    cf::CondBranchOp::create(builder, condition.holds, after, ValueRange(),
                             stops.get(report.size()), report, ArrayRef<int32_t>{often, 1});
    check->getResult(0).replaceAllUsesWith(getChecked(check));
    check->erase();
  }

  /// The words of a report: the number of the check, from 1 on, and its own numbers.
  static SmallVector<Value> createReport(ImplicitLocOpBuilder &builder, int64_t number,
                                         ArrayRef<Value> values) {
    Type word = builder.getI64Type();
    SmallVector<Value> report = {
        arith::ConstantOp::create(builder, builder.getI64IntegerAttr(number + 1))};
    for (Value value : values) {
      if (value.getType().isIndex())
        value = arith::IndexCastOp::create(builder, word, value);
      else if (value.getType() != word)
        value = arith::ExtSIOp::create(builder, word, value);
      report.push_back(value);
    }
    return report;
  }

  llvm::MapVector<Attribute, int64_t> numbers;
};

} // namespace
