// How a sweep reads and writes arrays of the caller: what is read ahead, and what is written past
// the caches. CPU stage, on buffers, used by `jit-vectorize-rows`.
#include "ArrayAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace attn::jit;

/// An array of the caller, and the part of it that is a tile.
struct ArrayTile {
  Value array, tile;
};

/// The tile of an array that a memref is, or is a part of, always or where the tile is whole; null
/// where it is not an array's.
static ArrayTile findArrayTile(Value memref) {
  ArrayTile result = {memref, memref};
  bool isChosen = false;
  while (Operation *producer = result.array.getDefiningOp()) {
    // Of a choice, everything in it belongs to the tile.
    if (!isChosen)
      result.tile = result.array;
    if (auto choice = dyn_cast<arith::SelectOp>(producer)) {
      isChosen = true;
      result.array = choice.getTrueValue();
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(producer)) {
      result.array = view.getViewSource();
    } else {
      return {};
    }
  }
  bool isArgument = isa<func::FuncOp>(result.array.getParentBlock()->getParentOp());
  return isArgument ? result : ArrayTile();
}

static int64_t getElementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

bool attn::jit::mayStream(linalg::GenericOp op, const RowSweep &sweep, OpOperand &output) {
  // A streamed store is of 16 bytes at least; a sweep of few is not worth being emitted twice.
  constexpr int64_t leastVectorBytes = 16, leastSweepBytes = 1024;
  if (sweep.isInnerDynamic())
    return false;
  int64_t rows = sweep.getOuterSize(),
          rowBytes = sweep.getInnerSize() * getElementBytes(output.get());
  if (!ShapedType::isDynamic(rows) && rows * rowBytes < leastSweepBytes)
    return false;
  return op.getNumReductionLoops() == 0 && sweep.getLanes() > 1 &&
         sweep.getInnerSize() % sweep.getLanes() == 0 && sweep.variesAlongInner(output) &&
         sweep.getLanes() * getElementBytes(output.get()) >= leastVectorBytes &&
         !op.payloadUsesValueFromOperand(&output) && findArrayTile(output.get()).array;
}

Value attn::jit::createStreamCondition(ImplicitLocOpBuilder &builder, OpOperand &output,
                                       int64_t leastBytes) {
  Value memref = output.get(), array = findArrayTile(memref).array;
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

bool attn::jit::mayStartLine(OpOperand &input, Value inner) {
  constexpr int64_t lineBytes = 64;
  if (auto sum = inner.getDefiningOp<arith::AddIOp>())
    inner = sum.getRhs();
  std::optional<int64_t> offset = getConstantIntValue(inner);
  return !offset || *offset * getElementBytes(input.get()) % lineBytes == 0;
}

/// Whether a sweep goes over whole vectors of rows of an array, whose next rows may be asked for.
static bool mayReadAhead(linalg::GenericOp op, const RowSweep &sweep, OpOperand &input) {
  return op.payloadUsesValueFromOperand(&input) && sweep.getLanes() > 1 &&
         sweep.variesAlongInner(input) && sweep.variesAlongOuter(input);
}

ReadAhead::ReadAhead(Sweeps sweeps) {
  DenseSet<std::pair<Block *, Value>> claimed;
  for (auto [number, entry] : llvm::enumerate(sweeps)) {
    auto [op, sweep] = entry;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!mayReadAhead(op, sweep, *input))
        continue;
      ArrayTile found = findArrayTile(input->get());
      if (found.array && claimed.insert({op->getBlock(), found.tile}).second)
        claims[chooseHost(sweeps, number)].push_back({input, sweep});
    }
  }
}

Operation *ReadAhead::chooseHost(Sweeps sweeps, size_t reader) const {
  // What a sweep asks for, by what it reads and computes.
  auto isLessBusy = [&](Operation *one, Operation *other) {
    return (getClaims(one).size() + 1) * other->getNumOperands() <
           (getClaims(other).size() + 1) * one->getNumOperands();
  };
  auto [first, rows] = sweeps[reader];
  Operation *host = first;
  for (auto [op, sweep] : sweeps.drop_front(reader + 1))
    if (op->getBlock() == first->getBlock() && sweep.getLanes() > 1 &&
        sweep.getInnerSize() == rows.getInnerSize() &&
        4 * sweep.getOuterSize() >= 3 * rows.getOuterSize() && isLessBusy(op, host))
      host = op;
  return host;
}

ArrayRef<ReadAhead::Claim> ReadAhead::getClaims(Operation *op) const {
  auto found = claims.find(op);
  return found == claims.end() ? ArrayRef<Claim>() : ArrayRef<Claim>(found->second);
}
