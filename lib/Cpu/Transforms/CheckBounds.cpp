// The pass `jit-check-bounds`: puts a check before each access of an array, and before each
// division. CPU stage, on tensors, before anything has changed where arrays are accessed.
#include "IndexLimits.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace attn {
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// What a part of an array takes of one of its dimensions.
struct Extent {
  OpFoldResult offset, size, step;
};

/// The argument of the function that a memref is, or is an entry of where the argument is a table;
/// null for buffers.
BlockArgument findArray(Value memref) {
  if (auto entry = memref.getDefiningOp<memref::ReinterpretCastOp>())
    memref = entry.getSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

std::string getArrayName(BlockArgument array) {
  if (auto name = array.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "argument " + std::to_string(array.getArgNumber());
}

/// Whether the value is how many blocks a kernel is launched with, its last argument.
bool isBlockCount(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function && function.getNumResults() == 0 &&
         argument.getArgNumber() + 1 == function.getNumArguments();
}

/// Whether something writes to the view, which then is what a store writes to.
bool isStored(Value view) {
  return llvm::any_of(view.getUsers(), [](Operation *user) {
    if (auto shape = dyn_cast<ViewLikeOpInterface>(user))
      return isStored(shape->getResult(0));
    return !isa<memref::CopyOp>(user); // the copy of a load reads it
  });
}

/// Whether the numbers alone say that a dimension of `limit` elements has all of an extent.
bool isInside(const Extent &extent, int64_t limit) {
  std::optional<int64_t> offset = getConstantIntValue(extent.offset);
  std::optional<int64_t> size = getConstantIntValue(extent.size);
  return !ShapedType::isDynamic(limit) && offset && size && getConstantIntValue(extent.step) == 1 &&
         *offset >= 0 && *offset <= limit && *size <= limit - *offset;
}

struct CheckBoundsPass : attn::impl::CheckBoundsPassBase<CheckBoundsPass> {
  void runOnOperation() override {
    WalkResult result =
        getOperation().walk([&](Operation *op) { return WalkResult(checkOperation(op)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult checkOperation(Operation *op) {
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      SmallVector<Extent> extents;
      for (auto [offset, size, step] :
           llvm::zip_equal(view.getMixedOffsets(), view.getMixedSizes(), view.getMixedStrides()))
        extents.push_back({offset, size, step});
      checkAccess(op, isStored(view) ? "store" : "load", view.getSourceMutable(), extents);
    }
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      OpFoldResult one = OpBuilder(op).getIndexAttr(1);
      SmallVector<Extent> extents;
      for (Value index : load.getIndices())
        extents.push_back({getAsOpFoldResult(index), one, one});
      checkAccess(op, attn::jit::isTableEntry(load) ? "lookup" : "read", load.getMemrefMutable(),
                  extents);
    }
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return checkDivision(op);
    return success();
  }

  /// Lets `op` access `array`, an operand of it, by way of a check, unless that is always inside.
  void checkAccess(Operation *op, StringRef access, OpOperand &array, ArrayRef<Extent> extents) {
    BlockArgument argument = findArray(array.get());
    if (!argument)
      return;
    ArrayRef<int64_t> shape = cast<MemRefType>(array.get().getType()).getShape();
    bool isAlwaysInside = true;
    for (auto [dimension, extent] : llvm::enumerate(extents))
      isAlwaysInside &= isInside(extent, shape[dimension]) ||
                        (getConstantIntValue(extent.step) == 1 &&
                         attn::jit::isAlwaysInside(extent.offset, extent.size,
                                                   attn::jit::getLimit(argument, dimension)));
    if (isAlwaysInside) {
      ++proved;
      return;
    }
    ++checked;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    SmallVector<Value> offsets, sizes, steps;
    auto toValue = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), number);
    };
    for (const Extent &extent : extents) {
      offsets.push_back(toValue(extent.offset));
      sizes.push_back(toValue(extent.size));
      steps.push_back(toValue(extent.step));
    }
    array.set(attn::cpu::CheckAccessOp::create(builder, array.get().getType(), access, array.get(),
                                               offsets, sizes, steps, getArrayName(argument)));
  }

  LogicalResult checkDivision(Operation *op) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    if (!divisor.getType().isIntOrIndex() || isBlockCount(divisor))
      return success();
    StringRef division = op->getName().stripDialect();
    if (std::optional<int64_t> number = getConstantIntValue(divisor)) {
      if (*number == 0)
        return op->emitError() << "scalar unit: " << division << " divides by zero or overflows";
      if (*number != -1) // by which the least number has no quotient
        return success();
    }
    ++divisors;
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    op->setOperand(1, attn::cpu::CheckDivisorOp::create(builder, divisor.getType(), division,
                                                        dividend, divisor));
    return success();
  }
};

} // namespace
