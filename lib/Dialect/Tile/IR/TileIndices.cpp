// Indices from memory in the tile dialect: rules, and what they can be.
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Support/IndexRanges.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

LogicalResult LoadIndexOp::verify() {
  ArrayType array = getArray().getType();
  if (array.getTable())
    return emitOpError() << "reads an integer of one array, not of a list: " << array;
  if (!isIndexElement(array.getElementType()))
    return emitOpError() << "reads ui16, i32 or i64, not " << array.getElementType();
  if (static_cast<int64_t>(getIndices().size()) != array.getRank())
    return emitOpError() << "has " << getIndices().size() << " indices for " << array;
  return success();
}

void LoadIndexOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  bool isShort = getArray().getType().getElementType().isUnsignedInteger(16);
  set(getResult(), isShort ? makeIndexRange(0, std::numeric_limits<uint16_t>::max())
                           : makeIndexRange(std::numeric_limits<int32_t>::min(),
                                            std::numeric_limits<int32_t>::max()));
}

LogicalResult BoundIndexOp::verify() {
  if (getDimension() < 0 || getDimension() >= getArray().getType().getRank())
    return emitOpError() << "asks for dimension " << getDimension() << " of "
                         << getArray().getType();
  return success();
}

LogicalResult BoundCountOp::verify() {
  if (getStep() < 1 || getMost() < 1)
    return emitOpError() << "has steps of " << getStep() << " and at most " << getMost()
                         << " iterations; both must be positive";
  if (int64_t distance; llvm::MulOverflow(getStep(), getMost(), distance))
    return emitOpError("has more iterations than 64 bits can count");
  return success();
}

/// A bound of the one side holds whatever the index is; the other is that of the index.
void BoundIndexOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> given,
                                                 SetIntLatticeFn set) {
  if (given.front().isUninitialized())
    return;
  int64_t size = getArray().getType().getShape()[getDimension()];
  int64_t most = ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max() : size;
  int64_t low = given.front().getValue().smin().getSExtValue();
  switch (getKind()) {
  case BoundKind::Index:
    return set(getResult(), makeIndexRange(0, most - 1));
  case BoundKind::First:
    return set(getResult(), makeIndexRange(0));
  case BoundKind::End:
    return set(getResult(), makeIndexRange(std::min(low, most), most));
  }
}
