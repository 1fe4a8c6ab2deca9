// Indices from memory in the ascend dialect: rules, and what they can be.
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Support/IndexRanges.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

/// The integer types that the scalar unit reads as indices.
static bool isIndexElement(Type type) {
  return type.isUnsignedInteger(16) || type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

LogicalResult LoadIndexOp::verify() {
  MemRefType array = getArray().getType();
  if (getSpace(array) != Space::GM)
    return emitOpError() << "reads an array in gm, not " << array;
  if (!isIndexElement(array.getElementType()))
    return emitOpError() << "reads ui16, i32 or i64, not " << array.getElementType();
  if (static_cast<int64_t>(getIndices().size()) != array.getRank())
    return emitOpError() << "has " << getIndices().size() << " indices for " << array;
  return success();
}

void LoadIndexOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  Type element = getArray().getType().getElementType();
  if (element.isUnsignedInteger(16))
    return set(getResult(), makeIndexRange(0, std::numeric_limits<uint16_t>::max()));
  if (element.isSignlessInteger(32))
    return set(getResult(), makeIndexRange(std::numeric_limits<int32_t>::min(),
                                           std::numeric_limits<int32_t>::max()));
  set(getResult(), IntegerValueRange::getMaxRange(getResult()));
}

/// Checks that what is said of an array is said of a dimension that it has.
template <typename Op> static LogicalResult verifyDimension(Op op) {
  Type array = op.getArray().getType();
  auto table = dyn_cast<TableType>(array);
  int64_t rank = table ? table.getElement().getRank() + 1 : cast<MemRefType>(array).getRank();
  if (op.getDimension() < 0 || op.getDimension() >= rank)
    return op.emitOpError() << "asks for dimension " << op.getDimension() << " of " << array;
  return success();
}

LogicalResult ExpectIndexOp::verify() { return verifyDimension(*this); }

LogicalResult ExpectDistinctOp::verify() {
  if (getSpace(getAddress().getType()) != Space::GM)
    return emitOpError() << "is about addresses in gm, not " << getAddress().getType();
  return verifyDimension(*this);
}
