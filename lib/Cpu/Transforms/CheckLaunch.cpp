// The pass `jit-check-launch`: a function per kernel that finds before the launch what sizes and
// scalars already decide. CPU stage, on buffers, before entries are made.
#include "IndexLimits.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace attn {
#define GEN_PASS_DEF_CHECKLAUNCHPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

bool isCheck(Operation *op) {
  return isa<attn::cpu::CheckAccessOp, attn::cpu::CheckCountOp, attn::cpu::CheckDivisorOp>(op);
}

/// The checks of a kernel whose operands follow from its arguments and the numbers of iterations,
/// and all that computes those.
class DecidedChecks {
public:
  explicit DecidedChecks(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (isCheck(op) && isDecidedWhere(op) && isDecided(op->getOperands()))
        checks.insert(op);
    });
    for (Operation *check : checks) {
      addNeeded(check);
      for (auto loop = check->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        addLoop(loop);
    }
  }

  bool empty() const { return checks.empty(); }
  bool isNeeded(Operation *op) const { return needed.contains(op); }

private:
  /// Whether it is decided that `op` is executed: only loops are around it.
  bool isDecidedWhere(Operation *op) {
    Operation *parent = op->getParentOp();
    if (isa<func::FuncOp>(parent))
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && isDecided(loop) && isDecidedWhere(loop);
  }

  bool isDecided(scf::ForOp loop) {
    std::optional<APInt> step = loop.getConstantStep();
    return step && step->isStrictlyPositive() && isDecided(loop.getLowerBound()) &&
           isDecided(loop.getUpperBound());
  }

  bool isDecided(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isDecided(value); });
  }

  bool isDecided(Value value) {
    auto [known, isNew] = decided.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool result = computeIsDecided(value);
    decided[value] = result;
    return result;
  }

  bool computeIsDecided(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      // What a loop carries is not known after iterations that are left out.
      return isa<func::FuncOp>(parent) ||
             (loop && argument == loop.getInductionVar() && isDecided(loop));
    }
    Operation *op = value.getDefiningOp();
    return op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isLookup(op)) &&
           isDecided(op->getOperands());
  }

  /// Whether `op` reads an address from a table, which no kernel writes.
  static bool isLookup(Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && attn::jit::isTableEntry(load);
  }

  void addNeeded(Operation *op) {
    if (!needed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        addNeeded(producer);
  }

  void addLoop(scf::ForOp loop) {
    needed.insert(loop);
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (Operation *producer = bound.getDefiningOp())
        addNeeded(producer);
  }

  llvm::SetVector<Operation *> checks;
  DenseSet<Operation *> needed;
  DenseMap<Value, bool> decided;
};

/// Writes the needed operations of a block, for the first and the last iteration of each loop.
void writeBlock(OpBuilder &builder, Block &block, const DecidedChecks &checks, IRMapping &map);

void writeLoop(OpBuilder &outer, scf::ForOp loop, const DecidedChecks &checks, IRMapping &map) {
  ImplicitLocOpBuilder builder(loop.getLoc(), outer);
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, number);
  };
  Value lower = map.lookup(loop.getLowerBound()), upper = map.lookup(loop.getUpperBound());
  Value step = map.lookup(loop.getStep()), zero = constant(0), one = constant(1);
  // How far the last iteration is from the first: any distance fits 64 bits without a sign.
  Value distance = arith::SubIOp::create(builder, upper, lower);
  Value steps =
      arith::DivUIOp::create(builder, arith::SubIOp::create(builder, distance, one), step);
  Value last = arith::MulIOp::create(builder, steps, step);
  Value isRun = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, lower, upper);
  Value isOne = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, steps, zero);
  Value visits = arith::SelectOp::create(builder, isOne, one, constant(2));
  visits = arith::SelectOp::create(builder, isRun, visits, zero);
  auto corners = scf::ForOp::create(builder, zero, visits, one);
  builder.setInsertionPointToStart(corners.getBody());
  Value offset = arith::MulIOp::create(builder, corners.getInductionVar(), last);
  map.map(loop.getInductionVar(), arith::AddIOp::create(builder, lower, offset));
  writeBlock(builder, *loop.getBody(), checks, map);
}

void writeBlock(OpBuilder &builder, Block &block, const DecidedChecks &checks, IRMapping &map) {
  for (Operation &op : block) {
    if (!checks.isNeeded(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      writeLoop(builder, loop, checks, map);
    else
      builder.clone(op, map);
  }
}

/// Computes the checks of such a function as far as numbers go, and reports what they alone decide.
class StaticChecks {
public:
  LogicalResult visit(Block &block) {
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult visit(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitLoop(loop);
    if (auto check = dyn_cast<attn::cpu::CheckAccessOp>(op))
      return visitCheck(check);
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) { return known.lookup(value); });
    SmallVector<OpFoldResult> folded;
    bool isFolded = op->getNumResults() == 1 && succeeded(op->fold(operands, folded)) &&
                    folded.size() == 1 && !folded.front().isNull();
    for (Value result : op->getResults()) {
      auto value = isFolded ? dyn_cast<Value>(folded.front()) : Value();
      known[result] = !isFolded ? Attribute()
                      : value   ? known.lookup(value)
                                : cast<Attribute>(folded.front());
    }
    return success();
  }

  LogicalResult visitLoop(scf::ForOp loop) {
    std::optional<int64_t> visits = getNumber(loop.getUpperBound());
    // An unknown number of visits is some.
    for (int64_t visit = 0; visit < visits.value_or(1); ++visit) {
      known[loop.getInductionVar()] = visits ? Builder(loop).getIndexAttr(visit) : IntegerAttr();
      if (failed(this->visit(*loop.getBody())))
        return failure();
    }
    return success();
  }

  LogicalResult visitCheck(attn::cpu::CheckAccessOp check) {
    ArrayRef<int64_t> shape = cast<MemRefType>(check.getArray().getType()).getShape();
    if (llvm::any_of(check.getSizes(),
                     [&](Value size) { return getNumber(size).value_or(1) <= 0; }))
      return success();
    for (auto [dimension, limit] : llvm::enumerate(shape)) {
      std::optional<int64_t> offset = getNumber(check.getOffsets()[dimension]);
      std::optional<int64_t> size = getNumber(check.getSizes()[dimension]);
      std::optional<int64_t> step = getNumber(check.getSteps()[dimension]);
      if (ShapedType::isDynamic(limit) || !offset || !size || !step)
        continue;
      for (int64_t index : {*offset, *offset + (*size - 1) * *step})
        if (index < 0 || index >= limit)
          return check.emitError() << "out of bounds: " << check.getAccess() << " takes index "
                                   << index << " of dimension " << dimension << " of array \""
                                   << check.getName() << "\", which has " << limit;
    }
    return success();
  }

  std::optional<int64_t> getNumber(Value value) {
    auto number = dyn_cast_if_present<IntegerAttr>(known.lookup(value));
    return number ? std::optional(number.getInt()) : std::nullopt;
  }

  DenseMap<Value, Attribute> known;
};

struct CheckLaunchPass : attn::impl::CheckLaunchPassBase<CheckLaunchPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (isKernel(function) && failed(addFunction(function)))
        return signalPassFailure();
  }

private:
  /// Whether a function is run block by block: which block and of how many come last.
  static bool isKernel(func::FuncOp function) {
    ArrayRef<Type> inputs = function.getArgumentTypes();
    return !function.isExternal() && function.getNumResults() == 0 && inputs.size() > 1 &&
           llvm::all_of(inputs.take_back(2), [](Type type) { return type.isIndex(); });
  }

  LogicalResult addFunction(func::FuncOp kernel) {
    DecidedChecks checks(kernel);
    if (checks.empty())
      return success();
    ++decided;
    ImplicitLocOpBuilder builder(kernel.getLoc(), &getContext());
    builder.setInsertionPointAfter(kernel);
    FunctionType type =
        builder.getFunctionType(kernel.getArgumentTypes().drop_back(2), builder.getIndexType());
    auto function = func::FuncOp::create(builder, (kernel.getName() + ".check").str(), type);
    function->setAttr(attn::cpu::checkOfName, FlatSymbolRefAttr::get(kernel));
    builder.setInsertionPointToStart(function.addEntryBlock());
    IRMapping map;
    map.map(kernel.getArguments().drop_back(2), function.getArguments());
    // One block that does everything.
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value one = arith::ConstantIndexOp::create(builder, 1);
    map.map(kernel.getArguments().drop_back().back(), zero);
    map.map(kernel.getArguments().back(), one);
    writeBlock(builder, kernel.getBody().front(), checks, map);
    func::ReturnOp::create(builder, zero);
    return StaticChecks().visit(function.getBody().front());
  }
};

} // namespace
