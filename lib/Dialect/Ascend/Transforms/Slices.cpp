// Parts of buffers (chip stage).
#include "Slices.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn::ascend;

Value attn::ascend::createSlice(OpBuilder &builder, Location location, Value buffer, Value offset) {
  if (isZeroInteger(offset))
    return buffer;
  auto type = cast<MemRefType>(buffer.getType());
  auto view = MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                              MemRefLayoutAttrInterface(), type.getMemorySpace());
  return SliceOp::create(builder, location, view, buffer, offset);
}
