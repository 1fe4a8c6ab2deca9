// What the modelled chip takes of HIVM: checked once, before anything runs.
#include "CheckForm.h"
#include "attn/Dialect/HIVM/IR/HIVM.h"
#include "attn/Simulator/HIVM/HIVMText.h"
#include "attn/Simulator/Model/ScalarArithmetic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

bool hivm::isKernel(func::FuncOp function) { return function->hasAttr("hacc.entry"); }

bool hivm::isForCubes(func::FuncOp entry) {
  auto core = entry->getAttrOfType<FuncCoreTypeAttr>("hivm.func_core_type");
  return core && core.getValue() == FuncCoreType::AIC;
}

static bool isIn(MemRefType type, AddressSpace wanted) {
  auto space = dyn_cast_or_null<AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == wanted;
}

static LogicalResult checkMemory(Location location, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isa_and_nonnull<AddressSpaceAttr>(type.getMemorySpace()))
    return emitError(location) << "the modelled chip has no memory for " << type;
  bool isOfCubes = isIn(type, AddressSpace::L1) || isIn(type, AddressSpace::L0C);
  bool isMatrix = isOfCubes && type.getRank() == 4;
  bool hasRows = type.getRank() == 1 || (type.getRank() == 2 && !isOfCubes);
  if (!simulator::getElement(type) || !(hasRows || isMatrix) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return emitError(location) << "the modelled chip takes rows and columns of known elements, not "
                               << type;
  return success();
}

static LogicalResult checkArguments(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    Type type = argument.getType();
    if (type.isInteger(64) || type.isInteger(32) || type.isF32())
      continue;
    auto memory = dyn_cast<MemRefType>(type);
    if (!memory || memory.getRank() != 1 || !memory.getLayout().isIdentity() ||
        !isIn(memory, AddressSpace::GM))
      return emitError(argument.getLoc()) << "argument " << argument.getArgNumber()
                                          << " is of type " << type << ", which no launch gives";
  }
  return success();
}

/// Strides of a pointer are those of its type; those of fractals follow from their sizes.
static LogicalResult checkPointer(PointerCastOp op) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(op.getResult().getType());
  if (type.getRank() == 4 && type.getLayout().isIdentity())
    return success();
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return op.emitOpError("has a layout that its type does not tell");
  return success();
}

static LogicalResult checkLookup(memref::LoadOp op) {
  MemRefType type = op.getMemRefType();
  Type element = type.getElementType();
  if (isIn(type, AddressSpace::GM) &&
      (element.isInteger(64) || element.isInteger(32) || element.isInteger(16)))
    return success();
  return op.emitOpError("reads something other than an integer of an array or an entry of a table, "
                        "which the modelled chip cannot");
}

static LogicalResult checkSubview(memref::SubViewOp op) {
  if (op.getDroppedDims().any())
    return op.emitOpError("drops a dimension, which the modelled chip cannot");
  return success();
}

static LogicalResult checkOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](PointerCastOp op) { return checkPointer(op); })
      .Case([](memref::LoadOp op) { return checkLookup(op); })
      .Case([](memref::SubViewOp op) { return checkSubview(op); })
      .Case<memref::ReinterpretCastOp, scf::ForOp, scf::IfOp, scf::YieldOp>(
          [](Operation *) { return success(); })
      .Case([](func::ReturnOp op) {
        return op.getNumOperands() == 0 ? success() : op.emitOpError("returns something");
      })
      .Case([](arith::ConstantOp op) {
        return simulator::getScalar(op) ? success() : op.emitOpError("is not a number");
      })
      .Default([](Operation *op) -> LogicalResult {
        if (isa_and_nonnull<HIVMDialect>(op->getDialect()) || simulator::getEvaluate(op))
          return success();
        return op->emitOpError("is not known to the modelled chip");
      });
}

LogicalResult hivm::checkForm(func::FuncOp entry) {
  if (!llvm::hasSingleElement(entry.getBody()) || entry.getNumResults() != 0)
    return entry.emitError("a kernel has a body of one block and returns nothing");
  if (failed(checkArguments(entry)))
    return failure();
  WalkResult result = entry.walk([](Operation *op) -> WalkResult {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    for (Type type : op->getResultTypes())
      if (auto memory = dyn_cast<MemRefType>(type);
          memory && failed(checkMemory(op->getLoc(), memory)))
        return WalkResult::interrupt();
    return checkOp(op);
  });
  return failure(result.wasInterrupted());
}
