// The simulator's front: ascend instructions in the table form that the core executes.
#include "Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

int64_t simulator::getBytes(Element element) {
  switch (element) {
  case Element::Int8:
    return 1;
  case Element::F16:
  case Element::BF16:
  case Element::Int16:
    return 2;
  case Element::F32:
  case Element::Int32:
    return 4;
  case Element::Int64:
    return 8;
  }
  llvm_unreachable("all elements are listed");
}

std::optional<Element> simulator::getElement(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isInteger(8))
    return Element::Int8;
  if (type.isInteger(16))
    return Element::Int16;
  if (type.isInteger(32))
    return Element::Int32;
  if (type.isInteger(64))
    return Element::Int64;
  return std::nullopt;
}

namespace {

template <typename Op> using KindOf = decltype(std::declval<Op>().getKind());
template <typename Op> using MaskOf = decltype(std::declval<Op>().getMask());
template <typename Op> using StridesOf = decltype(std::declval<Op>().getStrides());
template <typename Op> using ColsOf = decltype(std::declval<Op>().getCols());

/// Fills the parts of an instruction from its op. Operands are told apart by their types: memory,
/// amounts and scalar come in this order in every op.
class Decoder {
public:
  explicit Decoder(RegisterLookup registers) : registers(registers) {}

  template <typename Op> FailureOr<Decoded> decode(Op op) {
    instruction.op = op;
    instruction.location = op->getLoc();
    instruction.opcode = ascend::opcodeOf<Op>;
    for (Value operand : op->getOperands())
      read(operand);
    if (!isKnown)
      return failure();
    instruction.pipe = ascend::getPipe(instruction.opcode).value_or(Pipe::ALL);
    readAttributes(op);
    instruction.name = ascend::getName(instruction.opcode, instruction.kind);
    return Decoded{std::move(instruction), std::move(operands)};
  }

private:
  void read(Value operand) {
    Type type = operand.getType();
    if (type.isIndex()) {
      operands.amounts.push_back(registers.scalar(operand));
      return;
    }
    if (!isa<MemRefType>(type)) {
      operands.scalar = registers.scalar(operand);
      return;
    }
    std::optional<Element> element = getElement(type);
    isKnown &= element.has_value();
    operands.places.push_back(registers.place(operand));
    instruction.elements.push_back(element.value_or(Element::Int8));
  }

  template <typename Op> void readAttributes(Op op) {
    if constexpr (llvm::is_detected<KindOf, Op>::value)
      instruction.kind = static_cast<int>(op.getKind());
    if constexpr (llvm::is_detected<MaskOf, Op>::value)
      instruction.mask = op.getMask();
    if constexpr (llvm::is_detected<StridesOf, Op>::value) {
      std::optional<ArrayRef<int64_t>> strides = op.getStrides();
      instruction.strides.assign(strides.value_or(ArrayRef<int64_t>()));
    }
    if constexpr (llvm::is_detected<ColsOf, Op>::value) {
      instruction.cols = op.getCols();
      instruction.pitch = op.getPitch();
    }
  }
  void readAttributes(ascend::CopyInOp op) {
    instruction.pitch = op.getDstPitch();
    instruction.rightPad = op.getRightPad();
    instruction.bypassesL2 = op.getBypassL2();
  }
  void readAttributes(ascend::CopyOutOp op) {
    instruction.pitch = op.getSrcPitch();
    instruction.bypassesL2 = op.getBypassL2();
  }
  void readAttributes(ascend::CastOp op) {
    instruction.kind = static_cast<int>(op.getMode());
    instruction.mask = op.getMask();
    instruction.strides.assign(op.getStrides().value_or(ArrayRef<int64_t>()));
  }
  void readAttributes(ascend::NdToNzOp op) {
    instruction.pitch = op.getDstRows();
    instruction.bypassesL2 = op.getBypassL2();
  }
  void readAttributes(ascend::FillOp op) { instruction.pitch = op.getPitch(); }
  void readAttributes(ascend::LoadFractalsOp op) {
    instruction.strides.assign(op.getStrides());
    instruction.transposes = op.getTranspose();
  }
  void readAttributes(ascend::LoadTileOp op) {
    instruction.pitch = op.getSrcRows();
    instruction.transposes = op.getTranspose();
  }
  void readAttributes(ascend::FixOutOp op) {
    instruction.pitch = op.getSrcRows();
    if (op.getComputed())
      operands.room = operands.amounts.pop_back_val();
    instruction.isFractal = op.getNz();
    instruction.isRelu = op.getRelu();
    if (std::optional<APFloat> scale = op.getScale())
      instruction.scale = scale->convertToFloat();
  }
  void readAttributes(ascend::MatmulOp op) {
    instruction.strides.assign(op.getRows());
    instruction.transposesLeft = op.getTransposeA();
    instruction.transposesRight = op.getTransposeB();
  }
  void readAttributes(ascend::SetFlagOp op) { readFlag(op, op.getSource()); }
  void readAttributes(ascend::WaitFlagOp op) { readFlag(op, op.getTarget()); }
  void readAttributes(ascend::BarrierOp op) { instruction.pipe = op.getPipe(); }
  void readAttributes(ascend::CrossSetOp op) {
    instruction.pipe = op.getPipe();
    instruction.event = op.getFlag();
  }
  void readAttributes(ascend::CrossWaitOp op) {
    instruction.pipe = Pipe::S;
    instruction.event = op.getFlag();
  }

  template <typename FlagOp> void readFlag(FlagOp op, Pipe pipe) {
    instruction.source = op.getSource();
    instruction.target = op.getTarget();
    instruction.pipe = pipe;
    instruction.event = op.getEvent();
    instruction.slots = op.getSlots();
  }

  Instruction instruction;
  OperandRegisters operands;
  RegisterLookup registers;
  bool isKnown = true;
};

} // namespace

FailureOr<Decoded> simulator::decode(Operation *op, RegisterLookup registers) {
  return TypeSwitch<Operation *, FailureOr<Decoded>>(op)
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  .Case([&](ascend::name##Op known) { return Decoder(registers).decode(known); })
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  .Case([&](ascend::name##Op known) { return Decoder(registers).decode(known); })
#include "attn/Dialect/Ascend/IR/Instructions.def"
      .Default([](Operation *) { return failure(); });
}
