// What each instruction touches: the memory it reads and writes, through the instruction interface.
#include "AccessBuilding.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// One operand of the repeat form: lanes in data blocks `blockStride` apart. With a stride above
/// one and a last block that is not full, the holes between blocks count as touched.
void addRepeats(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> repeats,
                int64_t mask, int64_t blockStride, int64_t repeatStride) {
  int64_t laneBytes = mask * getElementBytes(memory);
  int64_t blocks = llvm::divideCeil(laneBytes, blockBytes);
  int64_t rowBytes = blockStride == 0 ? std::min(laneBytes, blockBytes)
                                      : laneBytes + (blocks - 1) * (blockStride - 1) * blockBytes;
  if (repeatStride == 0 && repeats)
    repeats = std::min<int64_t>(*repeats, 1);
  addRows(accesses, memory, isWrite, repeats, rowBytes, repeatStride * blockBytes);
  Access &access = accesses.back();
  if (access.toEnd || blockStride < 2 || laneBytes % blockBytes != 0)
    return;
  access.runBytes = blockBytes;
  access.levels.insert(access.levels.begin(), AccessLevel{blocks, blockStride * blockBytes});
}

/// The operands of an elementwise instruction, destination first; only that is written.
template <typename Op>
void addElementwise(Op op, Accesses &accesses, const IndexRanges &ranges, ValueRange memories) {
  std::optional<int64_t> amount = getMostOf(op.getAmount(), ranges);
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

attn::CoreKind attn::ascend::findCoreKind(Operation *instruction) {
  SmallVector<Access> accesses;
  cast<InstructionOpInterface>(instruction).getAccesses(accesses);
  for (const Access &access : accesses)
    if (std::optional<Space> space = getSpace(access.memory.getType()); space && space != Space::GM)
      return getFacts(*getLocalMemory(*space)).core;
  llvm_unreachable("every instruction touches local memory");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The UB side of a copy: rows of whole data blocks on the way in (padding included), exact on the
/// way out.
static void addLocalRows(Accesses &accesses, const IndexRanges &ranges, Value local, bool isWrite,
                         Value rows, Value length, int64_t pitch, int64_t rightPad) {
  std::optional<int64_t> rowCount = getMostOf(rows, ranges),
                         lengthCount = getMostOf(length, ranges);
  if (!lengthCount)
    return addToEnd(accesses, local, isWrite);
  int64_t bytes = (*lengthCount + rightPad) * getElementBytes(local);
  if (isWrite)
    bytes = llvm::alignTo(bytes, blockBytes);
  addRows(accesses, local, isWrite, rowCount, bytes, pitch * getElementBytes(local));
}

void CopyInOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addGlobalRows(accesses, getSrc(), /*isWrite=*/false, getRows(), getLength(), getSrcPitch());
  addLocalRows(accesses, ranges, getDst(), /*isWrite=*/true, getRows(), getLength(), getDstPitch(),
               getRightPad());
  // Rows that fit their pitch fill whole pitches, the last one at most.
  Access &written = accesses.back();
  int64_t pitchBytes = getDstPitch() * getElementBytes(getDst());
  if (!written.toEnd && written.runBytes <= pitchBytes)
    written.exactSize = RuntimeSize{getRows(), pitchBytes};
}

void CopyOutOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addLocalRows(accesses, ranges, getSrc(), /*isWrite=*/false, getRows(), getLength(), getSrcPitch(),
               0);
  addGlobalRows(accesses, getDst(), /*isWrite=*/true, getRows(), getLength(), getDstPitch());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void UnaryOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, {getDst(), getSrc()});
}

void BinaryOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, getOperands().take_front(3));
}
std::optional<std::pair<Value, Value>> BinaryOp::getPairedSources() {
  return std::pair<Value, Value>(getLhs(), getRhs());
}

void MulAddOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, getOperands().take_front(3));
  Access accumulator = accesses[accesses.size() - 3];
  accumulator.isWrite = false;
  accesses.push_back(accumulator);
}
std::optional<std::pair<Value, Value>> MulAddOp::getPairedSources() {
  return std::pair<Value, Value>(getLhs(), getRhs());
}

void ScalarOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, {getDst(), getSrc()});
}

void BitwiseOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, getOperands().take_front(3));
}
std::optional<std::pair<Value, Value>> BitwiseOp::getPairedSources() {
  return std::pair<Value, Value>(getLhs(), getRhs());
}

void CastOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, {getDst(), getSrc()});
}

void DuplicateOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addElementwise(*this, accesses, ranges, {getDst()});
  if (!getMask())
    accesses.back().exactSize = RuntimeSize{getAmount(), getElementBytes(getDst())};
}

void CompareOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  constexpr int64_t bitsPerByte = 8;
  std::optional<int64_t> count = getMostOf(getAmount(), ranges);
  addCount(accesses, getDst(), /*isWrite=*/true,
           count ? std::optional<int64_t>(*count / bitsPerByte) : std::nullopt);
  for (Value source : {getLhs(), getRhs()})
    addCount(accesses, source, /*isWrite=*/false, count);
}
std::optional<std::pair<Value, Value>> CompareOp::getPairedSources() {
  return std::pair<Value, Value>(getLhs(), getRhs());
}

void SelectOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  constexpr int64_t bitsPerByte = 8;
  std::optional<int64_t> count = getMostOf(getAmount(), ranges);
  addCount(accesses, getDst(), /*isWrite=*/true, count);
  for (Value source : {getLhs(), getRhs()})
    addCount(accesses, source, /*isWrite=*/false, count);
  addCount(accesses, getBits(), /*isWrite=*/false,
           getLanes(getElementBytes(getDst())) / bitsPerByte);
}
std::optional<std::pair<Value, Value>> SelectOp::getPairedSources() {
  return std::pair<Value, Value>(getLhs(), getRhs());
}

void CopyOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> count = getMostOf(getAmount(), ranges);
  addCount(accesses, getDst(), /*isWrite=*/true, count);
  addCount(accesses, getSrc(), /*isWrite=*/false, count);
}

//===----------------------------------------------------------------------===//
// Broadcast and reduction
//===----------------------------------------------------------------------===//

void BrcbOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
  addRepeats(accesses, getDst(), /*isWrite=*/true, repeats, getLanes(getElementBytes(getDst())),
             getStrides()[0], getStrides()[1]);
  addCount(accesses, getSrc(), /*isWrite=*/false,
           repeats ? std::optional<int64_t>(*repeats * blocksPerRepeat) : std::nullopt);
}

void TransposeOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
  int64_t elements = architecture::fractalRows * blockBytes / getElementBytes(getDst());
  ArrayRef<int64_t> strides = getStrides();
  addRepeats(accesses, getDst(), /*isWrite=*/true, repeats, elements, strides[0], strides[2]);
  addRepeats(accesses, getSrc(), /*isWrite=*/false, repeats, elements, strides[1], strides[3]);
}

void WholeReduceOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
  int64_t bytes = getElementBytes(getDst());
  addRows(accesses, getDst(), /*isWrite=*/true, repeats, bytes, getStrides()[0] * bytes);
  addRepeats(accesses, getSrc(), /*isWrite=*/false, repeats, getMask(), getStrides()[1],
             getStrides()[2]);
}

void BlockReduceOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  std::optional<int64_t> repeats = getMostOf(getRepeat(), ranges);
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
static void addTile(Accesses &accesses, const IndexRanges &ranges, Value memory, bool isWrite,
                    Value rows, int64_t pitch) {
  std::optional<int64_t> count = getMostOf(rows, ranges);
  addCount(accesses, memory, isWrite,
           count ? std::optional<int64_t>(*count * pitch) : std::nullopt);
}

void RowReduceOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addTile(accesses, ranges, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addCount(accesses, getDst(), /*isWrite=*/true, getMostOf(getRows(), ranges));
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

void RowBinaryOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addTile(accesses, ranges, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, ranges, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addToEnd(accesses, getColumn(), /*isWrite=*/false);
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

void RowMulAddOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addTile(accesses, ranges, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, ranges, getDst(), /*isWrite=*/false, getRows(), getPitch());
  addTile(accesses, ranges, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addToEnd(accesses, getColumn(), /*isWrite=*/false);
  addToEnd(accesses, getScratch(), /*isWrite=*/true);
}

void ColBinaryOp::getAccesses(Accesses &accesses, const IndexRanges &ranges) {
  addTile(accesses, ranges, getDst(), /*isWrite=*/true, getRows(), getPitch());
  addTile(accesses, ranges, getSrc(), /*isWrite=*/false, getRows(), getPitch());
  addCount(accesses, getRow(), /*isWrite=*/false, getPitch());
}
