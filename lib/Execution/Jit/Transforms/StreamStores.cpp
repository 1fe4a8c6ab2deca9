// Which stores of a sweep may go past the caches, and when. CPU stage, on buffers, used by
// `jit-vectorize-rows`.
#include "StreamStores.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace attn::jit;

/// The argument of the function that a memref is a view of, always or where a tile is whole; or
/// null.
static Value findArray(Value memref) {
  while (Operation *producer = memref.getDefiningOp()) {
    if (auto choice = dyn_cast<arith::SelectOp>(producer))
      memref = choice.getTrueValue();
    else if (auto view = dyn_cast<ViewLikeOpInterface>(producer))
      memref = view.getViewSource();
    else
      return {};
  }
  return isa<func::FuncOp>(memref.getParentBlock()->getParentOp()) ? memref : Value();
}

static int64_t getElementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

bool attn::jit::mayStream(linalg::GenericOp op, const RowSweep &sweep, OpOperand &output) {
  // A streamed store is of 16 bytes at least.
  constexpr int64_t leastVectorBytes = 16;
  return op.getNumReductionLoops() == 0 && sweep.getLanes() > 1 &&
         sweep.getInnerSize() % sweep.getLanes() == 0 && sweep.variesAlongInner(output) &&
         sweep.getLanes() * getElementBytes(output.get()) >= leastVectorBytes &&
         !op.payloadUsesValueFromOperand(&output) && findArray(output.get());
}

Value attn::jit::createStreamCondition(ImplicitLocOpBuilder &builder, OpOperand &output,
                                       int64_t leastBytes) {
  Value memref = output.get(), array = findArray(memref);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value bytes = constant(getElementBytes(array)), elementBytes = bytes;
  for (int64_t dim = 0; dim < cast<MemRefType>(array.getType()).getRank(); ++dim)
    bytes = arith::MulIOp::create(builder, bytes, memref::DimOp::create(builder, array, dim));
  Value isLarge =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, bytes, constant(leastBytes));
  // The first address and the distances of rows have no bit below a cache line.
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, memref);
  Value elements = metadata.getOffset();
  Value lowBits = arith::AddIOp::create(builder, address,
                                        arith::MulIOp::create(builder, elements, elementBytes));
  for (Value stride : metadata.getStrides().drop_back())
    lowBits = arith::OrIOp::create(builder, lowBits,
                                   arith::MulIOp::create(builder, stride, elementBytes));
  Value below = arith::AndIOp::create(builder, lowBits, constant(streamAlignmentBytes - 1));
  Value isAligned = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, below, constant(0));
  return arith::AndIOp::create(builder, isLarge, isAligned);
}
