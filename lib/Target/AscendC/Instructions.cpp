// The AscendC call of each instruction: one spelling per family of ops.
#include "KernelEmitter.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string getName(ascend::Pipe pipe) { return ascend::stringifyPipe(pipe).upper(); }

static std::string joinNumbers(ArrayRef<int64_t> numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }),
                    ", ");
}

std::string KernelEmitter::getPlace(Value memory, bool bypassesL2) const {
  const Place &place = places.find(memory)->second;
  const std::string &tensor = bypassesL2 ? place.bypassingTensor : place.tensor;
  return place.offset.constant == 0 ? tensor : tensor + "[" + place.offset.text + "]";
}

std::string KernelEmitter::getElementType(Value memory) const {
  return getTypeName(cast<MemRefType>(memory.getType()).getElementType())->str();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The sizes of a padded copy in the units of `DataCopyExtParams`.
namespace {
struct CopyShape {
  Expression rows;
  Expression rowBytes;
  Expression globalGapBytes;
  Expression localGapBlocks;
};
} // namespace

/// Gaps run from the end of a row to the next one; in ub rows end at whole 32-byte blocks.
static CopyShape getCopyShape(Value memory, const Expression &rows, const Expression &length,
                              const Expression &globalPitch, int64_t localPitch, int64_t rightPad) {
  using architecture::blockBytes;
  int64_t size = cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  CopyShape shape{rows, length * Expression::integer(size), Expression::integer(0),
                  Expression::integer(0)};
  if (rows.constant && *rows.constant <= 1)
    return shape;
  Expression bytes = Expression::integer(size);
  shape.globalGapBytes = (globalPitch - length) * bytes;
  Expression paddedBytes = (length + Expression::integer(rightPad)) * bytes;
  if (paddedBytes.constant) {
    int64_t gap = localPitch * size - llvm::alignTo(*paddedBytes.constant, blockBytes);
    shape.localGapBlocks = Expression::integer(gap / blockBytes);
    return shape;
  }
  Expression block = Expression::integer(blockBytes);
  Expression blocks =
      binary(paddedBytes + Expression::integer(blockBytes - 1), "/", block, Precedence::Product);
  shape.localGapBlocks = Expression::integer(localPitch * size / blockBytes) - blocks;
  return shape;
}

/// The fields of `DataCopyExtParams`; gaps of source and destination in the order of the call.
static std::string getCopyParameters(const CopyShape &shape, const Expression &sourceGap,
                                     const Expression &destinationGap) {
  return "AscendC::DataCopyExtParams{" + convertTo("uint16_t", shape.rows) + ", " +
         convertTo("uint32_t", shape.rowBytes) + ", " + convertTo("uint32_t", sourceGap) + ", " +
         convertTo("uint32_t", destinationGap) + ", 0}";
}

std::string KernelEmitter::getCall(ascend::CopyInOp op) {
  CopyShape shape = getCopyShape(op.getDst(), get(op.getRows()), get(op.getLength()),
                                 get(op.getSrcPitch()), op.getDstPitch(), op.getRightPad());
  std::string padding = "AscendC::DataCopyPadExtParams<" + getElementType(op.getDst()) + ">{" +
                        (op.getRightPad() > 0 ? "true" : "false") + ", 0, " +
                        std::to_string(op.getRightPad()) + ", 0}";
  return makeCall("DataCopyPad",
                  {getPlace(op.getDst()), getPlace(op.getSrc(), op.getBypassL2()),
                   getCopyParameters(shape, shape.globalGapBytes, shape.localGapBlocks), padding});
}

std::string KernelEmitter::getCall(ascend::CopyOutOp op) {
  CopyShape shape = getCopyShape(op.getSrc(), get(op.getRows()), get(op.getLength()),
                                 get(op.getDstPitch()), op.getSrcPitch(), /*rightPad=*/0);
  return makeCall("DataCopyPad",
                  {getPlace(op.getDst(), op.getBypassL2()), getPlace(op.getSrc()),
                   getCopyParameters(shape, shape.localGapBlocks, shape.globalGapBytes)});
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

template <typename Op> std::string KernelEmitter::getForm(Op op, StringRef parameters) {
  const Expression &amount = get(op.getAmount());
  if (!op.getMask())
    return convertTo("int32_t", amount);
  std::string strides = joinNumbers(*op.getStrides());
  if (!parameters.empty())
    strides = ("AscendC::" + parameters + "{" + strides + "}").str();
  return std::to_string(*op.getMask()) + ", " + convertTo("uint8_t", amount) + ", " + strides;
}

template <typename Op> static std::string getKindWord(Op op) {
  return ascend::getCallWord(op.getKind()).str();
}
static std::string getKindWord(ascend::MulAddOp) { return ""; }

template <typename Op> std::string KernelEmitter::getElementwiseCall(Op op) {
  SmallVector<std::string> arguments;
  int memories = 0;
  // Destination, sources and scalar follow the order of the op; its amount comes last, as a count
  // or as mask, repeats and strides.
  for (Value operand : op->getOperands().drop_back()) {
    bool isMemory = isa<MemRefType>(operand.getType());
    memories += isMemory;
    arguments.push_back(isMemory ? getPlace(operand) : get(operand).text);
  }
  arguments.push_back(getForm(op, memories == 3 ? "BinaryRepeatParams" : "UnaryRepeatParams"));
  return makeCall(ascend::getCallName(ascend::opcodeOf<Op>) + getKindWord(op), arguments);
}

std::string KernelEmitter::getCall(ascend::UnaryOp op) { return getElementwiseCall(op); }
std::string KernelEmitter::getCall(ascend::BinaryOp op) { return getElementwiseCall(op); }
std::string KernelEmitter::getCall(ascend::MulAddOp op) { return getElementwiseCall(op); }
std::string KernelEmitter::getCall(ascend::ScalarOp op) { return getElementwiseCall(op); }

/// The chip has these for lanes of 16 bits, of which every number has two.
std::string KernelEmitter::getCall(ascend::BitwiseOp op) {
  SmallVector<std::string> arguments;
  for (Value memory : {op.getDst(), op.getLhs(), op.getRhs()})
    arguments.push_back(getPlace(memory) + ".ReinterpretCast<int16_t>()");
  const Expression &amount = get(op.getAmount());
  if (op.getMask())
    llvm::append_values(arguments, std::to_string(2 * *op.getMask()), convertTo("uint8_t", amount),
                        "AscendC::BinaryRepeatParams{" + joinNumbers(*op.getStrides()) + "}");
  else
    arguments.push_back(convertTo("int32_t", amount * Expression::integer(2)));
  return makeCall(getKindWord(op), arguments);
}

std::string KernelEmitter::getBits(Value memory) const {
  return getPlace(memory) + ".ReinterpretCast<uint8_t>()";
}

std::string KernelEmitter::getCall(ascend::CompareOp op) {
  return makeCall("Compare", {getBits(op.getDst()), getPlace(op.getLhs()), getPlace(op.getRhs()),
                              "AscendC::CMPMODE::" + getKindWord(op),
                              convertTo("uint32_t", get(op.getAmount()))});
}

std::string KernelEmitter::getCall(ascend::SelectOp op) {
  return makeCall("Select", {getPlace(op.getDst()), getBits(op.getBits()), getPlace(op.getLhs()),
                             getPlace(op.getRhs()), "AscendC::SELMODE::VSEL_CMPMASK_SPR",
                             convertTo("uint32_t", get(op.getAmount()))});
}

std::string KernelEmitter::getCall(ascend::CastOp op) {
  return makeCall("Cast", {getPlace(op.getDst()), getPlace(op.getSrc()),
                           "AscendC::RoundMode::" + ascend::getCallWord(op.getMode()).str(),
                           getForm(op, "UnaryRepeatParams")});
}

std::string KernelEmitter::getCall(ascend::DuplicateOp op) {
  Type type = op.getScalar().getType();
  const Expression &scalar = get(op.getScalar());
  // Narrow numbers have no scalar type that C++ computes with; a constant is written by its bits.
  if ((type.isF16() || type.isBF16()) && scalar.constant)
    return makeCall("Duplicate", {getPlace(op.getDst()) + ".ReinterpretCast<int16_t>()",
                                  castTo("int16_t", scalar).text, getForm(op, "")});
  return makeCall("Duplicate", {getPlace(op.getDst()), scalar.text, getForm(op, "")});
}

std::string KernelEmitter::getCall(ascend::CopyOp op) {
  return makeCall("DataCopy", {getPlace(op.getDst()), getPlace(op.getSrc()),
                               convertTo("uint32_t", get(op.getAmount()))});
}

std::string KernelEmitter::getCall(ascend::BrcbOp op) {
  return makeCall("Brcb", {getPlace(op.getDst()), getPlace(op.getSrc()),
                           convertTo("uint8_t", get(op.getRepeat())),
                           "AscendC::BrcbRepeatParams{" + joinNumbers(op.getStrides()) + "}"});
}

/// The addresses of 16 rows of destination and source, halves of rows (of bytes alone), repeats and
/// their strides. A single repeat would begin a stride after its addresses. The chip has no bf16
/// here.
std::string KernelEmitter::getCall(ascend::TransposeOp op) {
  ArrayRef<int64_t> strides = op.getStrides();
  int64_t perBlock = architecture::getElementsPerBlock(sizeof(int16_t));
  auto getRows = [&](Value memory, int64_t stride) {
    std::string place = getPlace(memory);
    if (cast<MemRefType>(memory.getType()).getElementType().isBF16())
      place += ".ReinterpretCast<half>()";
    return "attn_text::MakeRows(" + place + ", " + std::to_string(stride * perBlock) + ").rows";
  };
  const Expression &repeat = get(op.getRepeat());
  std::string repeatStrides = repeat.constant == 1 ? "0, 0" : joinNumbers(strides.take_back(2));
  return makeCall("TransDataTo5HD",
                  {getRows(op.getDst(), strides[0]), getRows(op.getSrc(), strides[1]),
                   "AscendC::TransDataTo5HDParams{false, false, " + convertTo("uint8_t", repeat) +
                       ", " + repeatStrides + "}"});
}

/// Whole reductions take mask and repeats, block reductions repeats and mask.
std::string KernelEmitter::getCall(ascend::WholeReduceOp op) {
  std::string strides = joinNumbers(op.getStrides());
  if (op.getKind() != ascend::ReduceKind::Sum)
    strides += ", AscendC::ReduceOrder::ORDER_ONLY_VALUE";
  return makeCall("WholeReduce" + ascend::getCallWord(op.getKind()),
                  {getPlace(op.getDst()), getPlace(op.getSrc()), std::to_string(op.getMask()),
                   convertTo("int32_t", get(op.getRepeat())), strides});
}

std::string KernelEmitter::getCall(ascend::BlockReduceOp op) {
  return makeCall("BlockReduce" + ascend::getCallWord(op.getKind()),
                  {getPlace(op.getDst()), getPlace(op.getSrc()),
                   convertTo("int32_t", get(op.getRepeat())), std::to_string(op.getMask()),
                   joinNumbers(op.getStrides())});
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

template <typename Op> std::string KernelEmitter::getFlag(Op op, StringRef call) {
  Expression event = Expression::integer(op.getEvent());
  if (op.getSlot())
    event = event + get(op.getSlot());
  return makeCall(call + "<AscendC::HardEvent::" + getName(op.getSource()) + "_" +
                      getName(op.getTarget()) + ">",
                  {convertTo("int32_t", event)});
}

std::string KernelEmitter::getCall(ascend::SetFlagOp op) { return getFlag(op, "SetFlag"); }

std::string KernelEmitter::getCall(ascend::WaitFlagOp op) { return getFlag(op, "WaitFlag"); }

std::string KernelEmitter::getCall(ascend::BarrierOp op) {
  return makeCall("PipeBarrier<PIPE_" + getName(op.getPipe()) + ">", {});
}

std::string KernelEmitter::getCall(ascend::SyncAllOp) { return makeCall("SyncAll", {}); }

std::string KernelEmitter::getCall(ascend::CrossSetOp op) {
  return makeCall("CrossCoreSetFlag<" + std::to_string(architecture::crossGroupMode) + ", PIPE_" +
                      getName(op.getPipe()) + ">",
                  {std::to_string(op.getFlag())});
}

std::string KernelEmitter::getCall(ascend::CrossWaitOp op) {
  return makeCall("CrossCoreWaitFlag", {std::to_string(op.getFlag())});
}

template <typename Op> KernelEmitter::Call KernelEmitter::getCallOrError(Op op) {
  if constexpr (ascend::isComposite(ascend::opcodeOf<Op>))
    return op.emitOpError("cannot be printed as AscendC");
  else
    return getCall(op);
}

KernelEmitter::Call KernelEmitter::getCall(Operation &op) {
  return TypeSwitch<Operation *, Call>(&op)
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  .Case([&](ascend::name##Op known) { return getCallOrError(known); })
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  .Case([&](ascend::name##Op known) { return getCallOrError(known); })
#include "attn/Dialect/Ascend/IR/Instructions.def"
      .Default([&](Operation *unknown) -> Call {
        return unknown->emitOpError("cannot be printed as AscendC");
      });
}
