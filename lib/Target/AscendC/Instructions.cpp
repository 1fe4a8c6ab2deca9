// The AscendC call of each instruction: one spelling per family of ops.
#include "KernelEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static StringRef getName(ascend::UnaryKind kind) {
  switch (kind) {
  case ascend::UnaryKind::Exp:
    return "Exp";
  case ascend::UnaryKind::Ln:
    return "Ln";
  case ascend::UnaryKind::Sqrt:
    return "Sqrt";
  case ascend::UnaryKind::Abs:
    return "Abs";
  case ascend::UnaryKind::Relu:
    return "Relu";
  }
  return "";
}

static StringRef getName(ascend::BinaryKind kind) {
  switch (kind) {
  case ascend::BinaryKind::Add:
    return "Add";
  case ascend::BinaryKind::Sub:
    return "Sub";
  case ascend::BinaryKind::Mul:
    return "Mul";
  case ascend::BinaryKind::Div:
    return "Div";
  case ascend::BinaryKind::Max:
    return "Max";
  case ascend::BinaryKind::Min:
    return "Min";
  }
  return "";
}

static StringRef getName(ascend::ScalarKind kind) {
  switch (kind) {
  case ascend::ScalarKind::Adds:
    return "Adds";
  case ascend::ScalarKind::Muls:
    return "Muls";
  case ascend::ScalarKind::Maxs:
    return "Maxs";
  case ascend::ScalarKind::Mins:
    return "Mins";
  }
  return "";
}

static StringRef getName(ascend::ReduceKind kind) {
  switch (kind) {
  case ascend::ReduceKind::Sum:
    return "Sum";
  case ascend::ReduceKind::Max:
    return "Max";
  case ascend::ReduceKind::Min:
    return "Min";
  }
  return "";
}

static StringRef getName(ascend::RoundMode mode) {
  switch (mode) {
  case ascend::RoundMode::None:
    return "CAST_NONE";
  case ascend::RoundMode::Rint:
    return "CAST_RINT";
  case ascend::RoundMode::Floor:
    return "CAST_FLOOR";
  case ascend::RoundMode::Ceil:
    return "CAST_CEIL";
  case ascend::RoundMode::Round:
    return "CAST_ROUND";
  case ascend::RoundMode::Trunc:
    return "CAST_TRUNC";
  }
  return "";
}

static std::string getName(ascend::Pipe pipe) { return ascend::stringifyPipe(pipe).upper(); }

/// Whether a vector core has that pipe.
static bool isVectorPipe(ascend::Pipe pipe) {
  return pipe == ascend::Pipe::S || pipe == ascend::Pipe::V || pipe == ascend::Pipe::MTE2 ||
         pipe == ascend::Pipe::MTE3;
}

/// `AscendC::name(argument, ...)`.
static std::string makeCall(const Twine &name, ArrayRef<std::string> arguments) {
  return ("AscendC::" + name + "(").str() + llvm::join(arguments, ", ") + ")";
}

static std::string joinNumbers(ArrayRef<int64_t> numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }),
                    ", ");
}

std::string KernelEmitter::getPlace(Value memory) const {
  const Place &place = places.find(memory)->second;
  return place.offset.constant == 0 ? place.tensor : place.tensor + "[" + place.offset.text + "]";
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
static FailureOr<CopyShape> getCopyShape(Operation *op, Value memory, const Expression &rows,
                                         const Expression &length, const Expression &globalPitch,
                                         int64_t localPitch, int64_t rightPad) {
  constexpr int64_t blockBytes = 32, maxRows = 4095, maxRowBytes = 2097151;
  int64_t size = cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  CopyShape shape{rows, length * Expression::integer(size), Expression::integer(0),
                  Expression::integer(0)};
  if (rows.constant && (*rows.constant < 0 || *rows.constant > maxRows))
    return op->emitOpError() << "copies " << *rows.constant << " rows; 0 to " << maxRows
                             << " are possible";
  if (shape.rowBytes.constant &&
      (*shape.rowBytes.constant < 0 || *shape.rowBytes.constant > maxRowBytes))
    return op->emitOpError() << "copies rows of " << *shape.rowBytes.constant << " bytes; 0 to "
                             << maxRowBytes << " are possible";
  if (rows.constant && *rows.constant <= 1)
    return shape;
  Expression bytes = Expression::integer(size);
  shape.globalGapBytes = (globalPitch - length) * bytes;
  Expression paddedBytes = (length + Expression::integer(rightPad)) * bytes;
  Expression pitchBytes = Expression::integer(localPitch * size);
  if (paddedBytes.constant) {
    int64_t gap = localPitch * size - llvm::alignTo(*paddedBytes.constant, blockBytes);
    shape.localGapBlocks = Expression::integer(gap / blockBytes);
  } else {
    Expression block = Expression::integer(blockBytes);
    Expression blocks =
        binary(paddedBytes + Expression::integer(blockBytes - 1), "/", block, Precedence::Product);
    shape.localGapBlocks = Expression::integer(localPitch * size / blockBytes) - blocks;
  }
  for (const Expression &gap : {shape.globalGapBytes, shape.localGapBlocks})
    if (gap.constant && (*gap.constant < 0 || *gap.constant > UINT32_MAX))
      return op->emitOpError("has a pitch that does not hold its rows, or too large a one");
  return shape;
}

/// The fields of `DataCopyExtParams`; gaps of source and destination in the order of the call.
static std::string getCopyParameters(const CopyShape &shape, const Expression &sourceGap,
                                     const Expression &destinationGap) {
  return "AscendC::DataCopyExtParams{" + convertTo("uint16_t", shape.rows) + ", " +
         convertTo("uint32_t", shape.rowBytes) + ", " + convertTo("uint32_t", sourceGap) + ", " +
         convertTo("uint32_t", destinationGap) + ", 0}";
}

FailureOr<std::string> KernelEmitter::getCopyIn(ascend::CopyInOp op) {
  FailureOr<CopyShape> shape =
      getCopyShape(op, op.getDst(), get(op.getRows()), get(op.getLength()), get(op.getSrcPitch()),
                   op.getDstPitch(), op.getRightPad());
  if (failed(shape))
    return failure();
  std::string padding = "AscendC::DataCopyPadExtParams<" + getElementType(op.getDst()) + ">{" +
                        (op.getRightPad() > 0 ? "true" : "false") + ", 0, " +
                        std::to_string(op.getRightPad()) + ", 0}";
  return makeCall("DataCopyPad",
                  {getPlace(op.getDst()), getPlace(op.getSrc()),
                   getCopyParameters(*shape, shape->globalGapBytes, shape->localGapBlocks),
                   padding});
}

FailureOr<std::string> KernelEmitter::getCopyOut(ascend::CopyOutOp op) {
  FailureOr<CopyShape> shape =
      getCopyShape(op, op.getSrc(), get(op.getRows()), get(op.getLength()), get(op.getDstPitch()),
                   op.getSrcPitch(), /*rightPad=*/0);
  if (failed(shape))
    return failure();
  return makeCall("DataCopyPad",
                  {getPlace(op.getDst()), getPlace(op.getSrc()),
                   getCopyParameters(*shape, shape->localGapBlocks, shape->globalGapBytes)});
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

template <typename Op> std::string KernelEmitter::getFlag(Op op, StringRef call) {
  Expression event = Expression::integer(op.getEvent());
  if (op.getSlot())
    event = event + get(op.getSlot());
  return makeCall(call + "<AscendC::HardEvent::" + getName(op.getSource()) + "_" +
                      getName(op.getTarget()) + ">",
                  {convertTo("int32_t", event)});
}

/// Checks what the text cannot say.
static LogicalResult checkFlag(Operation *op, ascend::Pipe source, ascend::Pipe target,
                               int64_t event, int64_t slots, bool isVirtual) {
  constexpr int64_t eventIds = 8;
  if (isVirtual || event + slots > eventIds)
    return op->emitOpError("has no event id of the chip; run ascend-assign-events before");
  if (!isVectorPipe(source) || !isVectorPipe(target))
    return op->emitOpError("needs a pipe that vector cores do not have");
  return success();
}

FailureOr<std::string> KernelEmitter::getCall(Operation &op) {
  using Result = FailureOr<std::string>;
  return TypeSwitch<Operation *, Result>(&op)
      .Case([&](ascend::CopyInOp copy) { return getCopyIn(copy); })
      .Case([&](ascend::CopyOutOp copy) { return getCopyOut(copy); })
      .Case([&](ascend::UnaryOp unary) {
        return makeCall(getName(unary.getKind()),
                        {getPlace(unary.getDst()), getPlace(unary.getSrc()),
                         getForm(unary, "UnaryRepeatParams")});
      })
      .Case([&](ascend::BinaryOp binary) {
        return makeCall(getName(binary.getKind()),
                        {getPlace(binary.getDst()), getPlace(binary.getLhs()),
                         getPlace(binary.getRhs()), getForm(binary, "BinaryRepeatParams")});
      })
      .Case([&](ascend::MulAddOp multiply) {
        return makeCall("MulAddDst",
                        {getPlace(multiply.getDst()), getPlace(multiply.getLhs()),
                         getPlace(multiply.getRhs()), getForm(multiply, "BinaryRepeatParams")});
      })
      .Case([&](ascend::ScalarOp scalar) {
        return makeCall(getName(scalar.getKind()),
                        {getPlace(scalar.getDst()), getPlace(scalar.getSrc()),
                         get(scalar.getScalar()).text, getForm(scalar, "UnaryRepeatParams")});
      })
      .Case([&](ascend::CastOp cast) {
        return makeCall("Cast", {getPlace(cast.getDst()), getPlace(cast.getSrc()),
                                 "AscendC::RoundMode::" + getName(cast.getMode()).str(),
                                 getForm(cast, "UnaryRepeatParams")});
      })
      .Case([&](ascend::DuplicateOp duplicate) -> Result {
        Type type = duplicate.getScalar().getType();
        if (!type.isF32() && !type.isSignlessInteger(32))
          return duplicate.emitOpError() << "cannot be printed as AscendC for " << type;
        return makeCall("Duplicate", {getPlace(duplicate.getDst()), get(duplicate.getScalar()).text,
                                      getForm(duplicate, "")});
      })
      .Case([&](ascend::CopyOp copy) {
        return makeCall("DataCopy", {getPlace(copy.getDst()), getPlace(copy.getSrc()),
                                     convertTo("uint32_t", get(copy.getAmount()))});
      })
      .Case([&](ascend::BrcbOp broadcast) {
        return makeCall("Brcb",
                        {getPlace(broadcast.getDst()), getPlace(broadcast.getSrc()),
                         convertTo("uint8_t", get(broadcast.getRepeat())),
                         "AscendC::BrcbRepeatParams{" + joinNumbers(broadcast.getStrides()) + "}"});
      })
      // Whole reductions take mask and repeats, block reductions repeats and mask.
      .Case([&](ascend::WholeReduceOp reduce) {
        std::string strides = joinNumbers(reduce.getStrides());
        if (reduce.getKind() != ascend::ReduceKind::Sum)
          strides += ", AscendC::ReduceOrder::ORDER_ONLY_VALUE";
        return makeCall("WholeReduce" + getName(reduce.getKind()),
                        {getPlace(reduce.getDst()), getPlace(reduce.getSrc()),
                         std::to_string(reduce.getMask()),
                         convertTo("int32_t", get(reduce.getRepeat())), strides});
      })
      .Case([&](ascend::BlockReduceOp reduce) {
        return makeCall("BlockReduce" + getName(reduce.getKind()),
                        {getPlace(reduce.getDst()), getPlace(reduce.getSrc()),
                         convertTo("int32_t", get(reduce.getRepeat())),
                         std::to_string(reduce.getMask()), joinNumbers(reduce.getStrides())});
      })
      .Case([&](ascend::SetFlagOp flag) -> Result {
        if (failed(checkFlag(flag, flag.getSource(), flag.getTarget(), flag.getEvent(),
                             flag.getSlots(), flag.getVirtualEvent())))
          return failure();
        return getFlag(flag, "SetFlag");
      })
      .Case([&](ascend::WaitFlagOp flag) -> Result {
        if (failed(checkFlag(flag, flag.getSource(), flag.getTarget(), flag.getEvent(),
                             flag.getSlots(), flag.getVirtualEvent())))
          return failure();
        return getFlag(flag, "WaitFlag");
      })
      .Case([&](ascend::BarrierOp barrier) -> Result {
        if (barrier.getPipe() != ascend::Pipe::ALL && !isVectorPipe(barrier.getPipe()))
          return barrier.emitOpError("needs a pipe that vector cores do not have");
        return makeCall("PipeBarrier<PIPE_" + getName(barrier.getPipe()) + ">", {});
      })
      .Case<ascend::RowReduceOp, ascend::RowBinaryOp, ascend::RowMulAddOp, ascend::ColBinaryOp>(
          [&](auto composite) -> Result {
            return composite.emitOpError(
                "is a composite without an AscendC call; run ascend-expand-composites before");
          })
      .Default([&](Operation *unknown) -> Result {
        return unknown->emitOpError("cannot be printed as AscendC");
      });
}
