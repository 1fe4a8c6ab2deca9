// ascend-split-far-copies: copies of rows that may lie further apart than one transfer steps go row
// by row where they do (after synchronisation, which sees one instruction).
#include "Slices.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-split-far-copies"

namespace attn {
#define GEN_PASS_DEF_SPLITFARCOPIESPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// How a copy goes from row to row of an array: `step` indices further along `dimension`; a null
/// step is 1.
struct RowStep {
  int64_t dimension;
  Value step;
};

/// The dimension of the array at `place` that `value` is the stride of.
std::optional<int64_t> getStrideDimension(Value value, AddressOp place) {
  auto stride = value.getDefiningOp<StrideOp>();
  if (!stride)
    return std::nullopt;
  if (stride.getArray() == place.getArray())
    return stride.getDimension();
  // An entry of a table lacks the table's first dimension.
  auto entry = place.getArray().getDefiningOp<LookupOp>();
  return entry && stride.getArray() == entry.getTable() ? std::optional(stride.getDimension() - 1)
                                                        : std::nullopt;
}

/// How rows `pitch` apart follow each other from `place` on; none where a transfer always reaches
/// the next row. Rows of the last dimension but one follow each other in an array without gaps, and
/// callers refuse one with gaps that are too large.
std::optional<RowStep> getFarStep(AddressOp place, Value pitch) {
  if (getConstantIntValue(pitch))
    return std::nullopt;
  int64_t last = cast<MemRefType>(place.getArray().getType()).getRank() - 1;
  if (std::optional<int64_t> dimension = getStrideDimension(pitch, place))
    return *dimension < last - 1 ? std::optional(RowStep{*dimension, {}}) : std::nullopt;
  if (auto product = pitch.getDefiningOp<arith::MulIOp>())
    for (auto [stride, step] : {std::pair(product.getLhs(), product.getRhs()),
                                std::pair(product.getRhs(), product.getLhs())})
      if (std::optional<int64_t> dimension = getStrideDimension(stride, place))
        return RowStep{*dimension, step};
  return RowStep{last, pitch};
}

/// Moves `op` out of the loops that it does not depend on.
void hoist(Operation *op) {
  for (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
       loop && llvm::all_of(op->getOperands(),
                            [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); });
       loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp()))
    op->moveBefore(loop);
}

class SplitFarCopies : public attn::impl::SplitFarCopiesPassBase<SplitFarCopies> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    SmallVector<Operation *> copies;
    kernel.walk([&](Operation *op) {
      if (isa<CopyInOp, CopyOutOp>(op))
        copies.push_back(op);
    });
    entry = OpBuilder::atBlockBegin(&kernel.getBody().front());
    for (Operation *op : copies) {
      if (auto copy = dyn_cast<CopyInOp>(op))
        splitCopy(copy, copy.getSrcMutable(), copy.getSrcPitch(), copy.getDstMutable(),
                  copy.getDstPitch());
      else if (auto copy = dyn_cast<CopyOutOp>(op))
        splitCopy(copy, copy.getDstMutable(), copy.getDstPitch(), copy.getSrcMutable(),
                  copy.getSrcPitch());
    }
    constants.clear();
    isNear.clear();
  }

  Value constant(int64_t number) {
    Value &value = constants[number];
    if (!value)
      value = arith::ConstantIndexOp::create(entry, getOperation().getLoc(), number);
    return value;
  }

  /// Whether a transfer reaches from each row to the next: one number for all copies of rows of one
  /// array, computed outside of loops.
  Value isReached(Operation *copy, Value pitch, Value length, Type element);

  /// Puts a copy into a loop: of one trip that moves all rows, or of one per row.
  template <typename Copy>
  void splitCopy(Copy copy, OpOperand &global, Value pitch, OpOperand &local, int64_t localPitch);

  OpBuilder entry{static_cast<MLIRContext *>(nullptr)};
  DenseMap<int64_t, Value> constants;
  /// By pitch, length and type of elements.
  DenseMap<std::tuple<Value, Value, Type>, Value> isNear;
};

} // namespace

Value SplitFarCopies::isReached(Operation *copy, Value pitch, Value length, Type element) {
  Value &known = isNear[{pitch, length, element}];
  if (known && known.getParentBlock()->findAncestorOpInBlock(*copy))
    return known;
  OpBuilder builder(copy);
  Location loc = copy->getLoc();
  // Unsigned: rows that overlap or go backwards are moved one by one as well.
  auto gap = arith::SubIOp::create(builder, loc, pitch, length);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  auto near = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, gap,
                                    constant(architecture::maxCopyGapBytes / bytes));
  if (auto product = pitch.getDefiningOp<arith::MulIOp>())
    hoist(product);
  hoist(gap);
  hoist(near);
  return known = near;
}

template <typename Copy>
void SplitFarCopies::splitCopy(Copy copy, OpOperand &global, Value pitch, OpOperand &local,
                               int64_t localPitch) {
  auto place = global.get().getDefiningOp<AddressOp>();
  if (!place || getConstantIntValue(copy.getRows()) == 1)
    return;
  std::optional<RowStep> step = getFarStep(place, pitch);
  if (!step)
    return;
  Location loc = copy.getLoc();
  auto localType = cast<MemRefType>(local.get().getType());
  Value near = isReached(copy, pitch, copy.getLength(), localType.getElementType());
  OpBuilder builder(copy);
  Value zero = constant(0), one = constant(1);
  Value trips = arith::SelectOp::create(builder, loc, near, one, copy.getRows());
  auto loop = scf::ForOp::create(builder, loc, zero, trips, one);
  copy->moveBefore(loop.getBody()->getTerminator());

  builder.setInsertionPoint(copy);
  Value row = loop.getInductionVar();
  SmallVector<Value> indices(place.getIndices());
  Value &index = indices[step->dimension];
  Value further =
      step->step ? arith::MulIOp::create(builder, loc, row, step->step).getResult() : row;
  index = arith::AddIOp::create(builder, loc, index, further);
  global.set(AddressOp::create(builder, loc, place.getType(), place.getArray(), indices));

  Value buffer = local.get();
  Value offset = arith::MulIOp::create(builder, loc, row, constant(localPitch));
  // One slice, whose offset is known to lie in the buffer, and not a slice of a slice.
  if (auto slice = buffer.getDefiningOp<SliceOp>()) {
    buffer = slice.getBuffer();
    offset = arith::AddIOp::create(builder, loc, slice.getOffset(), offset);
  }
  local.set(createSlice(builder, loc, buffer, offset));
  copy.getRowsMutable().set(arith::SelectOp::create(builder, loc, near, copy.getRows(), one));
  if (place->use_empty())
    place->erase();
  ++split;
  LDBG() << "may be far apart: " << copy;
}
