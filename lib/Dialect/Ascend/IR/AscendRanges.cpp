// What the indices that the launch and the arrays of a kernel give can be, for MLIR's integer range
// analysis.
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Machine/Groups.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

void BlockIdOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(0));
}

void BlockCountOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(1));
}

void CoreIdOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(0));
}

void SubBlockIdOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), makeIndexRange(0, vectorCoresPerGroup - 1));
}

/// What the type of an array says of its dimension, which counts the entries of a table first; at
/// least `least` where that is nothing.
static ConstantIntRanges getRange(Value array, int64_t dimension, int64_t least,
                                  function_ref<int64_t(MemRefType, int64_t)> look) {
  auto table = dyn_cast<TableType>(array.getType());
  auto type = table ? table.getElement() : cast<MemRefType>(array.getType());
  int64_t ofEntry = dimension - (table ? 1 : 0);
  int64_t number = ofEntry < 0 ? ShapedType::kDynamic : look(type, ofEntry);
  return ShapedType::isDynamic(number) ? makeIndexRange(least) : makeIndexRange(number, number);
}

void DimOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(), getRange(getArray(), getDimension(), /*least=*/1,
                            [](MemRefType type, int64_t at) { return type.getDimSize(at); }));
}

void StrideOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>, SetIntLatticeFn set) {
  set(getResult(),
      getRange(getArray(), getDimension(), /*least=*/0, [](MemRefType type, int64_t at) {
        SmallVector<int64_t> strides;
        int64_t offset;
        return succeeded(type.getStridesAndOffset(strides, offset)) ? strides[at]
                                                                    : ShapedType::kDynamic;
      }));
}
