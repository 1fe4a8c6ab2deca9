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

/// Fills the parts of an instruction from the op's operands.
class Decoder {
public:
  Decoder(Operation *op, RegisterLookup registers) : registers(registers) {
    instruction.op = op;
    instruction.location = op->getLoc();
    instruction.name = op->getName().stripDialect().str();
    instruction.pipe = Pipe::V;
  }

  Decoder &opcode(Opcode opcode) {
    instruction.opcode = opcode;
    return *this;
  }
  Decoder &on(Pipe pipe) {
    instruction.pipe = pipe;
    return *this;
  }
  Decoder &kind(int kind, StringRef name) {
    instruction.kind = kind;
    instruction.name += " " + name.str();
    return *this;
  }
  Decoder &memories(ValueRange values) {
    for (Value value : values) {
      std::optional<Element> element = getElement(value.getType());
      isKnown &= element.has_value();
      operands.places.push_back(registers.place(value));
      instruction.elements.push_back(element.value_or(Element::Int8));
    }
    return *this;
  }
  Decoder &amounts(ValueRange values) {
    for (Value value : values)
      operands.amounts.push_back(registers.scalar(value));
    return *this;
  }
  Decoder &scalar(Value value) {
    operands.scalar = registers.scalar(value);
    return *this;
  }
  Decoder &strides(std::optional<int64_t> mask, std::optional<ArrayRef<int64_t>> strides) {
    instruction.mask = mask;
    if (strides)
      instruction.strides.assign(strides->begin(), strides->end());
    return *this;
  }
  Decoder &rows(int64_t cols, int64_t pitch, int64_t rightPad = 0) {
    instruction.cols = cols;
    instruction.pitch = pitch;
    instruction.rightPad = rightPad;
    return *this;
  }

  FailureOr<Decoded> take() {
    if (!isKnown)
      return failure();
    return Decoded{std::move(instruction), std::move(operands)};
  }

  template <typename FlagOp> FailureOr<Decoded> flag(FlagOp op, Opcode opcode) {
    instruction.opcode = opcode;
    instruction.source = op.getSource();
    instruction.target = op.getTarget();
    instruction.pipe = opcode == Opcode::SetFlag ? op.getSource() : op.getTarget();
    instruction.event = op.getEvent();
    instruction.slots = op.getSlots();
    if (op.getSlot())
      amounts(op.getSlot());
    return take();
  }

  template <typename ElementwiseOp>
  FailureOr<Decoded> elementwise(ElementwiseOp op, Opcode code, ValueRange memory) {
    return opcode(code)
        .memories(memory)
        .amounts(op.getAmount())
        .strides(op.getMask(), op.getStrides())
        .take();
  }

  template <typename ReduceOp> FailureOr<Decoded> reduce(ReduceOp op, Opcode code) {
    return opcode(code)
        .kind(static_cast<int>(op.getKind()), ascend::stringifyReduceKind(op.getKind()))
        .memories({op.getDst(), op.getSrc()})
        .amounts(op.getRepeat())
        .strides(op.getMask(), op.getStrides())
        .take();
  }

private:
  Instruction instruction;
  OperandRegisters operands;
  RegisterLookup registers;
  bool isKnown = true;
};

} // namespace

using Result = FailureOr<Decoded>;

static Result decodeElementwise(Operation *op, RegisterLookup registers) {
  Decoder decoder(op, registers);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](ascend::UnaryOp op) {
        decoder.kind(static_cast<int>(op.getKind()), ascend::stringifyUnaryKind(op.getKind()));
        return decoder.elementwise(op, Opcode::Unary, {op.getDst(), op.getSrc()});
      })
      .Case([&](ascend::BinaryOp op) {
        decoder.kind(static_cast<int>(op.getKind()), ascend::stringifyBinaryKind(op.getKind()));
        return decoder.elementwise(op, Opcode::Binary, op->getOperands().take_front(3));
      })
      .Case([&](ascend::MulAddOp op) {
        return decoder.elementwise(op, Opcode::MulAdd, op->getOperands().take_front(3));
      })
      .Case([&](ascend::ScalarOp op) {
        decoder.kind(static_cast<int>(op.getKind()), ascend::stringifyScalarKind(op.getKind()))
            .scalar(op.getScalar());
        return decoder.elementwise(op, Opcode::ScalarArithmetic, {op.getDst(), op.getSrc()});
      })
      .Case([&](ascend::CastOp op) {
        decoder.kind(static_cast<int>(op.getMode()), ascend::stringifyRoundMode(op.getMode()));
        return decoder.elementwise(op, Opcode::Cast, {op.getDst(), op.getSrc()});
      })
      .Case([&](ascend::DuplicateOp op) {
        return decoder.scalar(op.getScalar()).elementwise(op, Opcode::Duplicate, op.getDst());
      })
      .Default([](Operation *) { return failure(); });
}

static Result decodeComposite(Operation *op, RegisterLookup registers) {
  Decoder decoder(op, registers);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](ascend::RowReduceOp op) {
        return decoder.opcode(Opcode::RowReduce)
            .kind(static_cast<int>(op.getKind()), ascend::stringifyReduceKind(op.getKind()))
            .memories(op->getOperands().take_front(3))
            .amounts(op.getRows())
            .rows(op.getCols(), op.getPitch())
            .take();
      })
      .Case([&](ascend::RowBinaryOp op) {
        return decoder.opcode(Opcode::RowBinary)
            .kind(static_cast<int>(op.getKind()), ascend::stringifyBinaryKind(op.getKind()))
            .memories(op->getOperands().take_front(4))
            .amounts(op.getRows())
            .rows(op.getCols(), op.getPitch())
            .take();
      })
      .Case([&](ascend::RowMulAddOp op) {
        return decoder.opcode(Opcode::RowMulAdd)
            .memories(op->getOperands().take_front(4))
            .amounts(op.getRows())
            .rows(op.getCols(), op.getPitch())
            .take();
      })
      .Case([&](ascend::ColBinaryOp op) {
        return decoder.opcode(Opcode::ColBinary)
            .kind(static_cast<int>(op.getKind()), ascend::stringifyBinaryKind(op.getKind()))
            .memories(op->getOperands().take_front(3))
            .amounts(op.getRows())
            .rows(op.getCols(), op.getPitch())
            .take();
      })
      .Default([](Operation *) { return failure(); });
}

static Result decodeCopyOrReduction(Operation *op, RegisterLookup registers) {
  Decoder decoder(op, registers);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](ascend::CopyInOp op) {
        return decoder.opcode(Opcode::CopyIn)
            .on(Pipe::MTE2)
            .memories({op.getDst(), op.getSrc()})
            .amounts({op.getRows(), op.getLength(), op.getSrcPitch()})
            .rows(0, op.getDstPitch(), op.getRightPad())
            .take();
      })
      .Case([&](ascend::CopyOutOp op) {
        return decoder.opcode(Opcode::CopyOut)
            .on(Pipe::MTE3)
            .memories({op.getDst(), op.getSrc()})
            .amounts({op.getRows(), op.getLength(), op.getDstPitch()})
            .rows(0, op.getSrcPitch())
            .take();
      })
      .Case([&](ascend::CopyOp op) {
        return decoder.opcode(Opcode::Copy)
            .memories({op.getDst(), op.getSrc()})
            .amounts(op.getAmount())
            .take();
      })
      .Case([&](ascend::BrcbOp op) {
        return decoder.opcode(Opcode::Brcb)
            .memories({op.getDst(), op.getSrc()})
            .amounts(op.getRepeat())
            .strides(std::nullopt, op.getStrides())
            .take();
      })
      .Case([&](ascend::WholeReduceOp op) { return decoder.reduce(op, Opcode::WholeReduce); })
      .Case([&](ascend::BlockReduceOp op) { return decoder.reduce(op, Opcode::BlockReduce); })
      .Default([](Operation *) { return failure(); });
}

static Result decodeSynchronisation(Operation *op, RegisterLookup registers) {
  Decoder decoder(op, registers);
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](ascend::SetFlagOp op) { return decoder.flag(op, Opcode::SetFlag); })
      .Case([&](ascend::WaitFlagOp op) { return decoder.flag(op, Opcode::WaitFlag); })
      .Case([&](ascend::BarrierOp op) {
        return decoder.opcode(Opcode::Barrier).on(op.getPipe()).take();
      })
      .Case([&](ascend::SyncAllOp) { return decoder.opcode(Opcode::SyncAll).on(Pipe::ALL).take(); })
      .Default([](Operation *) { return failure(); });
}

Result simulator::decode(Operation *op, RegisterLookup registers) {
  for (auto decodeSome :
       {decodeElementwise, decodeComposite, decodeCopyOrReduction, decodeSynchronisation})
    if (Result decoded = decodeSome(op, registers); succeeded(decoded))
      return decoded;
  return failure();
}
