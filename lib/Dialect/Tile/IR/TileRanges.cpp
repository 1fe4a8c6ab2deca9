// What the indices of the tile dialect can be, for MLIR's integer range analysis.
#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Support/IndexRanges.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

/// The number that a size folds to, or any from 1 on: no array is empty, and no block size is 0.
static ConstantIntRanges getSizeRange(OpFoldResult folded) {
  std::optional<int64_t> number = folded ? getConstantIntValue(folded) : std::nullopt;
  return number ? makeIndexRange(*number, *number) : makeIndexRange(1);
}

void DimOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), getSizeRange(fold(FoldAdaptor({}, *this))));
}

void SizeOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), getSizeRange(fold(FoldAdaptor({}, *this))));
}

/// A grid counts from 0; other spans may begin anywhere.
void SpanBaseOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  auto argument = dyn_cast<BlockArgument>(getSpan());
  bool isAxis = argument && isa<GridOp>(argument.getOwner()->getParentOp());
  set(getResult(), isAxis ? makeIndexRange(0) : IntegerValueRange::getMaxRange(getResult()));
}

void BlockIdOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(0));
}

void BlockCountOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(1));
}

void SubBlockIdOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(0));
}
