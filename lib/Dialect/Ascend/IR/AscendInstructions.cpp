// The ascend instructions: their rules, pipes and accesses.
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn::ascend;

namespace {

constexpr int64_t blockBytes = 32;
constexpr int64_t blocksPerRepeat = 8;
/// Far beyond any local memory; keeps products of rows, pitches and element sizes from overflowing.
constexpr int64_t maxRows = int64_t(1) << 28;
constexpr int64_t maxPitch = int64_t(1) << 28;

int64_t getElementBytes(Value memory) {
  return llvm::divideCeil(cast<MemRefType>(memory.getType()).getElementTypeBitWidth(), 8);
}

Type getElementType(Value memory) { return cast<MemRefType>(memory.getType()).getElementType(); }

int64_t getLanes(int64_t elementBytes) { return blocksPerRepeat * blockBytes / elementBytes; }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

using Accesses = SmallVectorImpl<Access>;

/// The most that an amount can be, or none without a bound that fits any memory.
std::optional<int64_t> getMostOf(Value amount) {
  constexpr int64_t limit = int64_t(1) << 40;
  std::optional<int64_t> bound = getUpperBound(amount);
  if (!bound || *bound > limit)
    return std::nullopt;
  return std::max<int64_t>(*bound, 0);
}

void addToEnd(Accesses &accesses, Value memory, bool isWrite) {
  accesses.push_back({memory, isWrite, /*toEnd=*/true, 0, 0, 0});
}

void addRows(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> rows,
             int64_t rowBytes, int64_t pitchBytes) {
  if (!rows)
    return addToEnd(accesses, memory, isWrite);
  accesses.push_back({memory, isWrite, /*toEnd=*/false, *rows, rowBytes, pitchBytes});
}

void addCount(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> count) {
  int64_t bytes = count ? *count * getElementBytes(memory) : 0;
  addRows(accesses, memory, isWrite, count ? std::optional<int64_t>(1) : std::nullopt, bytes,
          bytes);
}

/// One operand of the repeat form. Lanes lie in blocks `blockStride` apart; a stride above one
/// leaves holes, which count as touched.
void addRepeats(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> repeats,
                int64_t mask, int64_t blockStride, int64_t repeatStride) {
  int64_t laneBytes = mask * getElementBytes(memory);
  int64_t blocks = llvm::divideCeil(laneBytes, blockBytes);
  int64_t rowBytes = blockStride == 0 ? std::min(laneBytes, blockBytes)
                                      : (blocks - 1) * blockStride * blockBytes +
                                            (laneBytes - (blocks - 1) * blockBytes);
  int64_t pitchBytes = repeatStride * blockBytes;
  if (repeatStride == 0 && repeats)
    repeats = std::min<int64_t>(*repeats, 1);
  addRows(accesses, memory, isWrite, repeats, rowBytes, pitchBytes);
}

/// The operands of an elementwise instruction, destination first; `sourcesOnly` are read.
template <typename Op> void addElementwise(Op op, Accesses &accesses, ValueRange memories) {
  std::optional<int64_t> amount = getMostOf(op.getAmount());
  for (auto [index, memory] : llvm::enumerate(memories)) {
    bool isWrite = index == 0;
    if (!op.getMask())
      addCount(accesses, memory, isWrite, amount);
    else
      addRepeats(accesses, memory, isWrite, amount, *op.getMask(), (*op.getStrides())[index],
                 (*op.getStrides())[memories.size() + index]);
  }
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

/// The UB side of a copy: rows of whole blocks on the way in (padding included), exact on the way
/// out.
static void addLocalRows(Accesses &accesses, Value local, bool isWrite, Value rows, Value length,
                         int64_t pitch, int64_t rightPad) {
  std::optional<int64_t> rowCount = getMostOf(rows), lengthCount = getMostOf(length);
  if (!lengthCount)
    return addToEnd(accesses, local, isWrite);
  int64_t bytes = (*lengthCount + rightPad) * getElementBytes(local);
  if (isWrite)
    bytes = llvm::alignTo(bytes, blockBytes);
  addRows(accesses, local, isWrite, rowCount, bytes, pitch * getElementBytes(local));
}

LogicalResult CopyInOp::verify() {
  if (failed(verifyCopy(*this, getDst(), getSrc(), getRows(), getLength(), getDstPitch())))
    return failure();
  if (getRightPad() < 0 || getRightPad() > blockBytes / getElementBytes(getDst()))
    return emitOpError() << "pads by " << getRightPad()
                         << " elements; at most 32 bytes are possible";
  return success();
}
Pipe CopyInOp::getPipe() { return Pipe::MTE2; }
void CopyInOp::getAccesses(Accesses &accesses) {
  addToEnd(accesses, getSrc(), /*isWrite=*/false);
  addLocalRows(accesses, getDst(), /*isWrite=*/true, getRows(), getLength(), getDstPitch(),
               getRightPad());
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, getSrc(), getDst(), getRows(), getLength(), getSrcPitch());
}
Pipe CopyOutOp::getPipe() { return Pipe::MTE3; }
void CopyOutOp::getAccesses(Accesses &accesses) {
  addLocalRows(accesses, getSrc(), /*isWrite=*/false, getRows(), getLength(), getSrcPitch(), 0);
  addToEnd(accesses, getDst(), /*isWrite=*/true);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult UnaryOp::verify() {
  return failure(failed(verifyElementwise(*this, {getDst(), getSrc()}, {getDst(), getSrc()})) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}
Pipe UnaryOp::getPipe() { return Pipe::V; }
void UnaryOp::getAccesses(Accesses &accesses) {
  addElementwise(*this, accesses, {getDst(), getSrc()});
}

LogicalResult BinaryOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return failure(failed(verifyElementwise(*this, memories, memories)) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}
Pipe BinaryOp::getPipe() { return Pipe::V; }
void BinaryOp::getAccesses(Accesses &accesses) {
  addElementwise(*this, accesses, getOperands().take_front(3));
}

LogicalResult MulAddOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return failure(failed(verifyElementwise(*this, memories, memories)) ||
                 failed(verifyArithmetic(*this, getElementType(getDst()))));
}
Pipe MulAddOp::getPipe() { return Pipe::V; }
void MulAddOp::getAccesses(Accesses &accesses) {
  addElementwise(*this, accesses, getOperands().take_front(3));
  Access accumulator = accesses[accesses.size() - 3];
  accumulator.isWrite = false;
  accesses.push_back(accumulator);
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
Pipe ScalarOp::getPipe() { return Pipe::V; }
void ScalarOp::getAccesses(Accesses &accesses) {
  addElementwise(*this, accesses, {getDst(), getSrc()});
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
Pipe CastOp::getPipe() { return Pipe::V; }
void CastOp::getAccesses(Accesses &accesses) {
  addElementwise(*this, accesses, {getDst(), getSrc()});
}

LogicalResult DuplicateOp::verify() {
  if (failed(verifyElementwise(*this, {getDst()}, {})))
    return failure();
  if (getScalar().getType() != getElementType(getDst()))
    return emitOpError() << "mixes " << getElementType(getDst()) << " and a scalar of type "
                         << getScalar().getType();
  return success();
}
Pipe DuplicateOp::getPipe() { return Pipe::V; }
void DuplicateOp::getAccesses(Accesses &accesses) { addElementwise(*this, accesses, {getDst()}); }

LogicalResult CopyOp::verify() {
  return failure(failed(verifyBuffers(*this, {getDst(), getSrc()})) ||
                 failed(verifySameType(*this, {getDst(), getSrc()})) ||
                 failed(verifyCount(*this, getAmount())));
}
Pipe CopyOp::getPipe() { return Pipe::V; }
void CopyOp::getAccesses(Accesses &accesses) {
  std::optional<int64_t> count = getMostOf(getAmount());
  addCount(accesses, getDst(), /*isWrite=*/true, count);
  addCount(accesses, getSrc(), /*isWrite=*/false, count);
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
Pipe BrcbOp::getPipe() { return Pipe::V; }
void BrcbOp::getAccesses(Accesses &accesses) {
  std::optional<int64_t> repeats = getMostOf(getRepeat());
  addRepeats(accesses, getDst(), /*isWrite=*/true, repeats, getLanes(getElementBytes(getDst())),
             getStrides()[0], getStrides()[1]);
  addCount(accesses, getSrc(), /*isWrite=*/false,
           repeats ? std::optional<int64_t>(*repeats * blocksPerRepeat) : std::nullopt);
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
Pipe WholeReduceOp::getPipe() { return Pipe::V; }
void WholeReduceOp::getAccesses(Accesses &accesses) {
  std::optional<int64_t> repeats = getMostOf(getRepeat());
  int64_t bytes = getElementBytes(getDst());
  addRows(accesses, getDst(), /*isWrite=*/true, repeats, bytes, getStrides()[0] * bytes);
  addRepeats(accesses, getSrc(), /*isWrite=*/false, repeats, getMask(), getStrides()[1],
             getStrides()[2]);
}

LogicalResult BlockReduceOp::verify() { return verifyReduce(*this); }
Pipe BlockReduceOp::getPipe() { return Pipe::V; }
void BlockReduceOp::getAccesses(Accesses &accesses) {
  std::optional<int64_t> repeats = getMostOf(getRepeat());
  int64_t bytes = getElementBytes(getDst());
  int64_t activeBlocks = llvm::divideCeil(getMask() * bytes, blockBytes);
  addRows(accesses, getDst(), /*isWrite=*/true, repeats, activeBlocks * bytes,
          getStrides()[0] * blocksPerRepeat * bytes);
  addRepeats(accesses, getSrc(), /*isWrite=*/false, repeats, getMask(), getStrides()[1],
             getStrides()[2]);
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

/// `rows` rows of `pitch` f32 elements, whole.
static void addTile(Accesses &accesses, Value memory, bool isWrite, Value rows, int64_t pitch) {
  std::optional<int64_t> count = getMostOf(rows);
  addCount(accesses, memory, isWrite,
           count ? std::optional<int64_t>(*count * pitch) : std::nullopt);
}

LogicalResult RowReduceOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(3))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}
Pipe RowReduceOp::getPipe() { return Pipe::V; }
void RowReduceOp::getAccesses(Accesses &accesses) {
  addTile(accesses, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addCount(accesses, getDst(), /*isWrite=*/true, getMostOf(getRows()));
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

LogicalResult RowBinaryOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(4))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}
Pipe RowBinaryOp::getPipe() { return Pipe::V; }
void RowBinaryOp::getAccesses(Accesses &accesses) {
  addTile(accesses, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addToEnd(accesses, getColumn(), /*isWrite=*/false);
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

LogicalResult RowMulAddOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(4))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}
Pipe RowMulAddOp::getPipe() { return Pipe::V; }
void RowMulAddOp::getAccesses(Accesses &accesses) {
  addTile(accesses, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, getDst(), /*isWrite=*/false, getRows(), getPitch());
  addTile(accesses, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addToEnd(accesses, getColumn(), /*isWrite=*/false);
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

LogicalResult ColBinaryOp::verify() {
  return failure(failed(verifyF32(*this, getOperands().take_front(3))) ||
                 failed(verifyRows(*this, getRows(), getCols(), getPitch())));
}
Pipe ColBinaryOp::getPipe() { return Pipe::V; }
void ColBinaryOp::getAccesses(Accesses &accesses) {
  addTile(accesses, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addCount(accesses, getRow(), /*isWrite=*/false, getPitch());
}
