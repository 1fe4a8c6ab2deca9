// Rules that the instructions of both kinds of cores share.
#include "InstructionRules.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

LogicalResult ascend::verifyBuffer(Operation *op, StringRef what, Value memory, Space space) {
  auto type = cast<MemRefType>(memory.getType());
  if (getSpace(type) != space || type.getRank() != 1 || !type.getLayout().isIdentity() ||
      !isElementType(type.getElementType()))
    return op->emitOpError() << "needs " << what << " as a one-dimensional memref in "
                             << stringifySpace(space) << ", not " << type;
  return success();
}

LogicalResult ascend::verifySameType(Operation *op, ValueRange memories) {
  for (Value memory : memories)
    if (getElementType(memory) != getElementType(memories.front()))
      return op->emitOpError() << "mixes " << getElementType(memories.front()) << " and "
                               << getElementType(memory);
  return success();
}

LogicalResult ascend::verifyRepeats(Operation *op, Value amount) {
  if (std::optional<int64_t> repeats = getConstantIntValue(amount);
      repeats && (*repeats < 0 || *repeats > architecture::maxRepeats))
    return op->emitOpError() << "has " << *repeats << " repeats; at most "
                             << architecture::maxRepeats << " are possible";
  return success();
}

LogicalResult ascend::verifyExtent(Operation *op, StringRef what, Value amount, int64_t most) {
  if (std::optional<int64_t> count = getConstantIntValue(amount);
      count && (*count < 0 || *count > most))
    return op->emitOpError() << "has " << *count << " " << what << "; 0 to " << most
                             << " are possible";
  return success();
}
