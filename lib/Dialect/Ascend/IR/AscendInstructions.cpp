// The rules of the ascend instructions.
#include "InstructionRules.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

constexpr int64_t f32PerBlock = architecture::getElementsPerBlock(sizeof(float));

LogicalResult verifyBuffers(Operation *op, ValueRange memories) {
  for (Value memory : memories)
    if (failed(verifyBuffer(op, "its buffers", memory, Space::UB)))
      return failure();
  return success();
}

/// Checks the element type by the row of the table.
LogicalResult verifyElement(Operation *op, Opcode opcode, Type type) {
  switch (getElementRule(opcode)) {
  case ElementRule::Arithmetic:
    if (!type.isF32() && !type.isF16())
      return op->emitOpError() << "computes on f32 or f16, not " << type
                               << (type.isBF16() ? ": the chip has no bf16 arithmetic, cast before"
                                                 : "");
    return success();
  case ElementRule::F32:
    if (!type.isF32())
      return op->emitOpError() << "computes on f32, not " << type;
    return success();
  case ElementRule::Halfwords:
    if (type.getIntOrFloatBitWidth() == 16)
      return success();
    return op->emitOpError() << "moves numbers of 2 bytes, not " << type;
  case ElementRule::Any:
  case ElementRule::Words:      // a rule of the text: verifyEmission
  case ElementRule::Conversion: // a rule for two types: CastOp
  case ElementRule::Product:    // a rule for three types: MmadOp
    return success();
  }
  llvm_unreachable("all rules are listed");
}

/// Checks an element count that is known: the instruction holds it in 31 bits.
LogicalResult verifyCount(Operation *op, Value amount) {
  if (std::optional<int64_t> count = getConstantIntValue(amount);
      count && (*count < 0 || *count > std::numeric_limits<int32_t>::max()))
    return op->emitOpError() << "has an impossible count of " << *count << " elements";
  return success();
}

bool isStride(int64_t stride) { return stride >= 0 && stride <= architecture::maxStride; }

bool isPositiveWideStride(int64_t stride) {
  return stride >= 1 && stride <= architecture::maxWideStride;
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
    if (!isStride(stride))
      return op->emitOpError() << "has stride " << stride << "; 0 to " << architecture::maxStride
                               << " blocks are possible";
  if ((*strides)[0] == 0)
    return op->emitOpError("has block stride 0 on its destination");
  return verifyRepeats(op, amount);
}

template <typename Op>
LogicalResult verifyElementwise(Op op, ValueRange memories, ValueRange sameType) {
  if (failed(verifyBuffers(op, memories)) || failed(verifySameType(op, sameType)) ||
      failed(verifyElement(op, opcodeOf<Op>, getElementType(memories.front()))))
    return failure();
  int64_t widest = 1;
  for (Value memory : memories)
    widest = std::max(widest, getElementBytes(memory));
  return verifyForm(op, op.getMask(), op.getStrides(), op.getAmount(), widest, memories.size());
}

LogicalResult verifyRows(Operation *op, Value rows, int64_t cols, int64_t pitch) {
  if (failed(verifyExtent(op, "rows", rows)))
    return failure();
  if (cols < 1 || pitch < cols || pitch % f32PerBlock != 0 || pitch > maxPitch)
    return op->emitOpError() << "has rows of " << cols << " elements at a pitch of " << pitch
                             << "; the pitch must hold them and be a multiple of " << f32PerBlock;
  return success();
}

template <typename Op> LogicalResult verifyComposite(Op op) {
  auto isMemory = [](Value operand) { return isa<MemRefType>(operand.getType()); };
  SmallVector<Value> memories = llvm::filter_to_vector(op->getOperands(), isMemory);
  if (failed(verifyBuffers(op, memories)))
    return failure();
  for (Value memory : memories)
    if (failed(verifyElement(op, opcodeOf<Op>, getElementType(memory))))
      return failure();
  return verifyRows(op, op.getRows(), op.getCols(), op.getPitch());
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
  // Copies that pad are those of a vector core; L1 of a cube core is filled by whole data blocks.
  bool isPlain = isa<CopyInOp>(op) && getSpace(local.getType()) == Space::L1;
  if (failed(verifyBuffer(op, "its buffer", local, isPlain ? Space::L1 : Space::UB)) ||
      failed(verifyBuffer(op, "its place in an array", global, Space::GM)) ||
      failed(verifySameType(op, {local, global})))
    return failure();
  if (pitch < 0 || pitch > maxPitch || pitch * getElementBytes(local) % blockBytes != 0)
    return op->emitOpError() << "has a pitch of " << pitch << " elements in "
                             << stringifySpace(*getSpace(local.getType())) << ", not whole "
                             << blockBytes << "-byte blocks";
  return success();
}

LogicalResult CopyInOp::verify() {
  if (failed(verifyCopy(*this, getDst(), getSrc(), getRows(), getLength(), getDstPitch())))
    return failure();
  if (getRightPad() < 0 ||
      getRightPad() > architecture::maxPaddingBytes / getElementBytes(getDst()))
    return emitOpError() << "pads by " << getRightPad() << " elements; at most "
                         << architecture::maxPaddingBytes << " bytes are possible";
  if (getRightPad() != 0 && getSpace(getDst().getType()) != Space::UB)
    return emitOpError("pads in l1; only copies to ub do");
  return success();
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, getSrc(), getDst(), getRows(), getLength(), getSrcPitch());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult UnaryOp::verify() {
  return verifyElementwise(*this, {getDst(), getSrc()}, {getDst(), getSrc()});
}

LogicalResult BinaryOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return verifyElementwise(*this, memories, memories);
}

LogicalResult MulAddOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  return verifyElementwise(*this, memories, memories);
}

LogicalResult ScalarOp::verify() {
  if (failed(verifyElementwise(*this, {getDst(), getSrc()}, {getDst(), getSrc()})))
    return failure();
  if (getScalar().getType() != getElementType(getDst()))
    return emitOpError() << "mixes " << getElementType(getDst()) << " and a scalar of type "
                         << getScalar().getType();
  return success();
}

LogicalResult BitwiseOp::verify() {
  ValueRange memories = getOperands().take_front(3);
  if (failed(verifyElementwise(*this, memories, {})))
    return failure();
  for (Value memory : memories)
    if (getElementBytes(memory) != sizeof(int32_t))
      return emitOpError() << "takes numbers of 32 bits, not " << getElementType(memory);
  return success();
}

LogicalResult CastOp::verify() {
  if (failed(verifyElementwise(*this, {getDst(), getSrc()}, {})))
    return failure();
  Type from = getElementType(getSrc()), to = getElementType(getDst());
  bool widens = (from.isF16() || from.isBF16()) && to.isF32();
  bool narrows = from.isF32() && (to.isF16() || to.isBF16() || to.isSignlessInteger(32));
  bool isFromInteger = from.isSignlessInteger(32) && to.isF32();
  if (!widens && !narrows && !isFromInteger)
    return emitOpError() << "cannot turn " << from << " into " << to;
  if (widens != (getMode() == RoundMode::None))
    return emitOpError() << "rounds by '" << stringifyRoundMode(getMode()) << "' from " << from
                         << " to " << to << "; widening takes none, all else a mode";
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

/// Checks the memories of one element type and that of the bits, which `isBits` asks for.
static LogicalResult verifyChoice(Operation *op, Opcode opcode, ValueRange memories, Value bits,
                                  Value amount) {
  if (failed(verifyBuffers(op, memories)) || failed(verifyBuffers(op, bits)) ||
      failed(verifySameType(op, memories)) ||
      failed(verifyElement(op, opcode, getElementType(memories.front()))))
    return failure();
  if (!getElementType(bits).isInteger(8))
    return op->emitOpError() << "has its bits in bytes, not in " << getElementType(bits);
  return verifyCount(op, amount);
}

LogicalResult CompareOp::verify() {
  if (failed(verifyChoice(*this, Opcode::Compare, {getLhs(), getRhs()}, getDst(), getAmount())))
    return failure();
  std::optional<int64_t> count = getConstantIntValue(getAmount());
  int64_t lanes = getLanes(getElementBytes(getLhs()));
  if (count && *count % lanes != 0)
    return emitOpError() << "compares " << *count << " elements, not whole repeats of " << lanes;
  return success();
}

LogicalResult SelectOp::verify() {
  return verifyChoice(*this, Opcode::Select, {getDst(), getLhs(), getRhs()}, getBits(),
                      getAmount());
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
  if (getStrides().size() != 2 || !llvm::all_of(getStrides(), isPositiveWideStride))
    return emitOpError("needs two positive 16-bit strides: of blocks and of repeats");
  return verifyRepeats(*this, getRepeat());
}

LogicalResult TransposeOp::verify() {
  if (failed(verifyBuffers(*this, {getDst(), getSrc()})) ||
      failed(verifySameType(*this, {getDst(), getSrc()})) ||
      failed(verifyElement(*this, opcodeOf<TransposeOp>, getElementType(getDst()))))
    return failure();
  if (getStrides().size() != 4 || !llvm::all_of(getStrides(), isPositiveWideStride))
    return emitOpError("needs four positive 16-bit strides: of rows of destination and source, and "
                       "of their repeats");
  return verifyRepeats(*this, getRepeat());
}

template <typename Op> static LogicalResult verifyReduce(Op op) {
  if (failed(verifyBuffers(op, {op.getDst(), op.getSrc()})) ||
      failed(verifySameType(op, {op.getDst(), op.getSrc()})) ||
      failed(verifyElement(op, opcodeOf<Op>, getElementType(op.getDst()))))
    return failure();
  if (op.getMask() < 1 || op.getMask() > getLanes(getElementBytes(op.getSrc())))
    return op.emitOpError() << "has mask " << op.getMask() << "; 1 to "
                            << getLanes(getElementBytes(op.getSrc())) << " lanes are possible";
  ArrayRef<int64_t> strides = op.getStrides();
  if (strides.size() != 3 || !isPositiveWideStride(strides[0]) || !isStride(strides[1]) ||
      !isStride(strides[2]))
    return op.emitOpError()
           << "needs three strides: destination repeat (positive, 16 bits), source block "
              "and source repeat (0 to "
           << architecture::maxStride << ")";
  return verifyRepeats(op, op.getRepeat());
}

LogicalResult WholeReduceOp::verify() { return verifyReduce(*this); }

LogicalResult BlockReduceOp::verify() { return verifyReduce(*this); }

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

LogicalResult RowReduceOp::verify() { return verifyComposite(*this); }

LogicalResult RowBinaryOp::verify() { return verifyComposite(*this); }

LogicalResult RowMulAddOp::verify() { return verifyComposite(*this); }

LogicalResult ColBinaryOp::verify() { return verifyComposite(*this); }
