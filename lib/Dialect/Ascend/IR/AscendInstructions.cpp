// The rules of the ascend instructions.
#include "ElementSizes.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

using namespace mlir;
using namespace attn::ascend;

namespace {

/// Far beyond any local memory; keeps products of rows, pitches and element sizes from overflowing.
constexpr int64_t maxRows = int64_t(1) << 28;
constexpr int64_t maxPitch = int64_t(1) << 28;

LogicalResult verifyBuffer(Operation *op, StringRef what, Value memory, Space space) {
  auto type = cast<MemRefType>(memory.getType());
  if (getSpace(type) != space || type.getRank() != 1 || !type.getLayout().isIdentity() ||
      !isElementType(type.getElementType()))
    return op->emitOpError() << "needs " << what << " as a one-dimensional memref in "
                             << stringifySpace(space) << ", not " << type;
  return success();
}

LogicalResult verifyBuffers(Operation *op, ValueRange memories) {
  for (Value memory : memories)
    if (failed(verifyBuffer(op, "its buffers", memory, Space::UB)))
      return failure();
  return success();
}

LogicalResult verifySameType(Operation *op, ValueRange memories) {
  for (Value memory : memories)
    if (getElementType(memory) != getElementType(memories.front()))
      return op->emitOpError() << "mixes " << getElementType(memories.front()) << " and "
                               << getElementType(memory);
  return success();
}

LogicalResult verifyArithmetic(Operation *op, Type type) {
  if (!type.isF32() && !type.isF16())
    return op->emitOpError() << "computes on f32 or f16, not " << type
                             << (type.isBF16() ? ": the chip has no bf16 arithmetic, cast before"
                                               : "");
  return success();
}

/// Checks an element count that is known: the instruction holds it in 31 bits.
LogicalResult verifyCount(Operation *op, Value amount) {
  if (std::optional<int64_t> count = getConstant(amount);
      count && (*count < 0 || *count > std::numeric_limits<int32_t>::max()))
    return op->emitOpError() << "has an impossible count of " << *count << " elements";
  return success();
}

/// Checks a number of repeats that is known: the instruction holds it in eight bits.
LogicalResult verifyRepeats(Operation *op, Value amount) {
  if (std::optional<int64_t> repeats = getConstant(amount);
      repeats && (*repeats < 0 || *repeats > 255))
    return op->emitOpError() << "has " << *repeats << " repeats; at most 255 are possible";
  return success();
}

/// Checks numbers of rows and of elements in a row that are known.
LogicalResult verifyExtent(Operation *op, StringRef what, Value amount) {
  if (std::optional<int64_t> count = getConstant(amount); count && (*count < 0 || *count > maxRows))
    return op->emitOpError() << "has " << *count << " " << what << "; 0 to " << maxRows
                             << " are possible";
  return success();
}

/// Checks mask and strides of the repeat form; `operands` counts destination and sources.
LogicalResult verifyForm(Operation *op, std::optional<int64_t> mask,
                         std::optional<ArrayRef<int64_t>> strides, Value amount,
                         int64_t elementBytes, size_t operands) {
  if (mask.has_value() != strides.has_value())
    return op->emitOpError("has a mask without strides, or strides without a mask");
  if (!mask)
    return verifyCount(op, amount);
  if (*mask < 1 || *mask > getLanes(elementBytes))
    return op->emitOpError() << "has mask " << *mask << "; 1 to " << getLanes(elementBytes)
                             << " lanes are possible";
  if (strides->size() != 2 * operands)
    return op->emitOpError() << "has " << strides->size() << " strides instead of " << 2 * operands;
  for (int64_t stride : *strides)
    if (stride < 0 || stride > 255)
      return op->emitOpError() << "has stride " << stride << "; 0 to 255 blocks are possible";
  if ((*strides)[0] == 0)
    return op->emitOpError("has block stride 0 on its destination");
  return verifyRepeats(op, amount);
}

template <typename Op>
LogicalResult verifyElementwise(Op op, ValueRange memories, ValueRange sameType) {
  if (failed(verifyBuffers(op, memories)) || failed(verifySameType(op, sameType)))
    return failure();
  int64_t widest = 1;
  for (Value memory : memories)
    widest = std::max(widest, getElementBytes(memory));
  return verifyForm(op, op.getMask(), op.getStrides(), op.getAmount(), widest, memories.size());
}

LogicalResult verifyRows(Operation *op, Value rows, int64_t cols, int64_t pitch) {
  if (failed(verifyExtent(op, "rows", rows)))
    return failure();
  if (cols < 1 || pitch < cols || pitch % 8 != 0 || pitch > maxPitch)
    return op->emitOpError() << "has rows of " << cols << " elements at a pitch of " << pitch
                             << "; the pitch must hold them and be a multiple of 8";
  return success();
}

bool isPositiveStride(int64_t stride) { return stride >= 1 && stride <= 65535; }

LogicalResult verifyF32(Operation *op, ValueRange memories) {
  if (failed(verifyBuffers(op, memories)))
    return failure();
  for (Value memory : memories)
    if (!getElementType(memory).isF32())
      return op->emitOpError() << "computes on f32, not " << getElementType(memory);
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult verifyCopy(Operation *op, Value local, Value global, Value rows, Value length,
                                int64_t pitch) {
  if (failed(verifyExtent(op, "rows", rows)) ||
      failed(verifyExtent(op, "elements in a row", length)))
    return failure();
  if (failed(verifyBuffer(op, "its buffer", local, Space::UB)) ||
      failed(verifyBuffer(op, "its place in an array", global, Space::GM)) ||
      failed(verifySameType(op, {local, global})))
    return failure();
  if (pitch < 0 || pitch > maxPitch || pitch * getElementBytes(local) % blockBytes != 0)
    return op->emitOpError() << "has a pitch of " << pitch
                             << " elements in ub, not whole 32-byte blocks";
  return success();
}

LogicalResult CopyInOp::verify() {
  if (failed(verifyCopy(*this, getDst(), getSrc(), getRows(), getLength(), getDstPitch())))
    return failure();
  if (getRightPad() < 0 || getRightPad() > blockBytes / getElementBytes(getDst()))
    return emitOpError() << "pads by " << getRightPad()
                         << " elements; at most 32 bytes are possible";
  return success();
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, getSrc(), getDst(), getRows(), getLength(), getSrcPitch());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult UnaryOp::verify() {
  return failure(failed(verifyElementwise(*this, {getDst(), getSrc()}, {getDst(), getSrc()})) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}

LogicalResult BinaryOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return failure(failed(verifyElementwise(*this, memories, memories)) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}

LogicalResult MulAddOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return failure(failed(verifyElementwise(*this, memories, memories)) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}

LogicalResult ScalarOp::verify() {
  if (failed(verifyElementwise(*this, {getDst(), getSrc()}, {getDst(), getSrc()})) ||
      failed(verifyArithmetic(*this, getElementType(getDst()))))
    return failure();
  if (getScalar().getType() != getElementType(getDst()))
    return emitOpError() << "mixes " << getElementType(getDst()) << " and a scalar of type "
                         << getScalar().getType();
  return success();
}

LogicalResult CastOp::verify() {
  if (failed(verifyElementwise(*this, {getDst(), getSrc()}, {})))
    return failure();
  Type from = getElementType(getSrc()), to = getElementType(getDst());
  bool widens = (from.isF16() || from.isBF16()) && to.isF32();
  bool narrows = from.isF32() && (to.isF16() || to.isBF16());
  if (!widens && !narrows)
    return emitOpError() << "cannot turn " << from << " into " << to;
  if (widens != (getMode() == RoundMode::None))
    return emitOpError() << "rounds by '" << stringifyRoundMode(getMode()) << "' from " << from
                         << " to " << to << "; widening takes none, narrowing a mode";
  return success();
}

LogicalResult DuplicateOp::verify() {
  if (failed(verifyElementwise(*this, {getDst()}, {})))
    return failure();
  if (getScalar().getType() != getElementType(getDst()))
    return emitOpError() << "mixes " << getElementType(getDst()) << " and a scalar of type "
                         << getScalar().getType();
  return success();
}

LogicalResult CopyOp::verify() {
  return failure(failed(verifyBuffers(*this, {getDst(), getSrc()})) ||
                 failed(verifySameType(*this, {getDst(), getSrc()})) ||
                 failed(verifyCount(*this, getAmount())));
}

//===----------------------------------------------------------------------===//
// Broadcast and reduction
//===----------------------------------------------------------------------===//

LogicalResult BrcbOp::verify() {
  if (failed(verifyBuffers(*this, {getDst(), getSrc()})) ||
      failed(verifySameType(*this, {getDst(), getSrc()})))
    return failure();
  if (getStrides().size() != 2 || !llvm::all_of(getStrides(), isPositiveStride))
    return emitOpError("needs two positive 16-bit strides: of blocks and of repeats");
  return verifyRepeats(*this, getRepeat());
}

template <typename Op> static LogicalResult verifyReduce(Op op) {
  if (failed(verifyBuffers(op, {op.getDst(), op.getSrc()})) ||
      failed(verifySameType(op, {op.getDst(), op.getSrc()})) ||
      failed(verifyArithmetic(op, getElementType(op.getDst()))))
    return failure();
  if (op.getMask() < 1 || op.getMask() > getLanes(getElementBytes(op.getSrc())))
    return op.emitOpError() << "has mask " << op.getMask() << "; 1 to "
                            << getLanes(getElementBytes(op.getSrc())) << " lanes are possible";
  ArrayRef<int64_t> strides = op.getStrides();
  if (strides.size() != 3 || !isPositiveStride(strides[0]) || strides[1] < 0 || strides[1] > 255 ||
      strides[2] < 0 || strides[2] > 255)
    return op.emitOpError(
        "needs three strides: destination repeat (positive, 16 bits), source block "
        "and source repeat (0 to 255)");
  return verifyRepeats(op, op.getRepeat());
}

LogicalResult WholeReduceOp::verify() { return verifyReduce(*this); }

LogicalResult BlockReduceOp::verify() { return verifyReduce(*this); }

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

LogicalResult RowReduceOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(3))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}

LogicalResult RowBinaryOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(4))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}

LogicalResult RowMulAddOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(4))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}

LogicalResult ColBinaryOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(3))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}
