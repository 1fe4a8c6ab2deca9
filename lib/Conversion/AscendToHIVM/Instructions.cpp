// How each family of instructions is spelled in HIVM.
#include "KernelExporter.h"
#include "attn/Machine/Architecture.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;

using architecture::blockBytes;

static Pipe getPipe(ascend::Pipe pipe) {
  switch (pipe) {
  case ascend::Pipe::S:
    return Pipe::PIPE_S;
  case ascend::Pipe::V:
    return Pipe::PIPE_V;
  case ascend::Pipe::M:
    return Pipe::PIPE_M;
  case ascend::Pipe::MTE1:
    return Pipe::PIPE_MTE1;
  case ascend::Pipe::MTE2:
    return Pipe::PIPE_MTE2;
  case ascend::Pipe::MTE3:
    return Pipe::PIPE_MTE3;
  case ascend::Pipe::FIX:
    return Pipe::PIPE_FIX;
  case ascend::Pipe::ALL:
    return Pipe::PIPE_ALL;
  }
  llvm_unreachable("all pipes are listed");
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//
// A view of UB is a pointer_cast of its own at the view's address. Its type has known sizes, since
// the vendor sizes scratch by them; an amount that is only known at run time is a subview of the
// most that the buffer can hold.

/// The type of rows, or of a run for a single dimension.
static MemRefType getViewType(Type element, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  MLIRContext *context = element.getContext();
  bool isContiguous = shape.size() == 1 || shape[1] == strides[0];
  auto layout = isContiguous
                    ? MemRefLayoutAttrInterface()
                    : MemRefLayoutAttrInterface(StridedLayoutAttr::get(context, 0, strides));
  return MemRefType::get(shape, element, layout, AddressSpaceAttr::get(context, AddressSpace::UB));
}

Value KernelExporter::getRun(Value memory, const Amount &count, Type element) {
  Place place = places.lookup(memory);
  if (!element)
    element = cast<MemRefType>(memory.getType()).getElementType();
  int64_t known = count.number.value_or(std::max<int64_t>(place.elements, 1));
  Location loc = memory.getLoc();
  Value whole = PointerCastOp::create(builder, loc, getViewType(element, {known}, {1}),
                                      place.offset, ValueRange());
  if (count.number)
    return whole;
  return memref::SubViewOp::create(builder, loc, whole, {builder.getIndexAttr(0)}, {count.value},
                                   {builder.getIndexAttr(1)});
}

Value KernelExporter::getTile(const Rows &tile) {
  Place place = places.lookup(tile.memory);
  Type element =
      tile.element ? tile.element : cast<MemRefType>(tile.memory.getType()).getElementType();
  int64_t cols = tile.cols.number.value_or(std::min(tile.pitch, place.elements));
  // The last row need not be followed by its padding.
  int64_t most = std::max<int64_t>((place.elements + tile.pitch - cols) / tile.pitch, 1);
  int64_t rows = tile.rows.number.value_or(most);
  Location loc = tile.memory.getLoc();
  Value whole =
      PointerCastOp::create(builder, loc, getViewType(element, {rows, cols}, {tile.pitch, 1}),
                            place.offset, ValueRange());
  if (tile.rows.number && tile.cols.number)
    return whole;
  auto get = [&](const Amount &amount) {
    return amount.number ? OpFoldResult(builder.getIndexAttr(*amount.number))
                         : OpFoldResult(amount.value);
  };
  Attribute zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return memref::SubViewOp::create(builder, loc, whole, {zero, zero},
                                   {get(tile.rows), get(tile.cols)}, {one, one});
}

Value KernelExporter::getWhole(Value memory) {
  return getRun(memory, getAmount(places.lookup(memory).elements));
}

Value KernelExporter::getArrayRows(Value memory, const Amount &rows, const Amount &cols,
                                   const Amount &pitch) {
  Place place = places.lookup(memory);
  auto get = [&](const Amount &amount) {
    return amount.number ? OpFoldResult(builder.getIndexAttr(*amount.number))
                         : OpFoldResult(amount.value);
  };
  // The vendor refuses a stride that is the number zero.
  OpFoldResult stride = pitch.number == 0 ? OpFoldResult(index(0)) : get(pitch);
  auto size = [](const Amount &amount) { return amount.number.value_or(ShapedType::kDynamic); };
  int64_t knownStride = isa<Attribute>(stride) ? *pitch.number : ShapedType::kDynamic;
  auto layout =
      StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, {knownStride, 1});
  auto type =
      MemRefType::get({size(rows), size(cols)}, cast<MemRefType>(memory.getType()).getElementType(),
                      layout, AddressSpaceAttr::get(builder.getContext(), AddressSpace::GM));
  return memref::ReinterpretCastOp::create(builder, memory.getLoc(), type, place.array,
                                           OpFoldResult(place.offset), {get(rows), get(cols)},
                                           {stride, OpFoldResult(builder.getIndexAttr(1))});
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult KernelExporter::write(ascend::CopyInOp op) {
  Amount rows = getAmount(op.getRows()), length = getAmount(op.getLength());
  // The template fills the data block that a row ends in, and no more.
  int64_t perBlock = blockBytes / getElementBytes(op.getDst());
  // Of a length that only the run knows, one element of padding stands for that.
  int64_t filled = length.number ? llvm::alignTo(*length.number, perBlock) - *length.number : 1;
  if (op.getRightPad() > filled)
    return op.emitOpError() << "pads rows by " << op.getRightPad()
                            << " elements, but HIVM only to the end of a " << blockBytes
                            << "-byte block: "
                               "tile-keep-composites must run first";
  Value src = getArrayRows(op.getSrc(), rows, length, getAmount(op.getSrcPitch()));
  LoadOp::create(builder, op.getLoc(), src, getTile({op.getDst(), rows, length, op.getDstPitch()}));
  return success();
}

LogicalResult KernelExporter::write(ascend::CopyOutOp op) {
  Amount rows = getAmount(op.getRows()), length = getAmount(op.getLength());
  Value dst = getArrayRows(op.getDst(), rows, length, getAmount(op.getDstPitch()));
  StoreOp::create(builder, op.getLoc(), getTile({op.getSrc(), rows, length, op.getSrcPitch()}),
                  dst);
  return success();
}

LogicalResult KernelExporter::write(ascend::CopyOp op) {
  Amount count = getAmount(op.getAmount());
  Value src = getRun(op.getSrc(), count);
  CopyOp::create(builder, op.getLoc(), src, getRun(op.getDst(), count));
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise arithmetic
//===----------------------------------------------------------------------===//

template <typename Op>
LogicalResult KernelExporter::getViews(Op op, ValueRange operands, SmallVectorImpl<Value> &views,
                                       SmallVectorImpl<int64_t> &broadcast, Type element) {
  Amount amount = getAmount(op.getAmount());
  if (!op.getMask()) {
    for (Value operand : operands)
      views.push_back(getRun(operand, amount, element));
    return success();
  }
  // Block strides first, then repeat strides: a repeat is a row of `mask` elements.
  ArrayRef<int64_t> strides = *op.getStrides();
  Amount cols = getAmount(*op.getMask());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    int64_t perBlock = blockBytes / getElementBytes(operand);
    int64_t pitch = strides[operands.size() + number] * perBlock;
    bool isOneBlock = *op.getMask() <= perBlock;
    if (strides[number] != 1 && !isOneBlock)
      return op.emitOpError(
          "takes data blocks that do not follow each other, which HIVM cannot say: "
          "tile-keep-composites must run first");
    bool isSpread = pitch == 0 && number != 0 && !amount.isOne();
    if (!isSpread && pitch < *op.getMask() && !amount.isOne())
      return op.emitOpError("has repeats that overlap, which HIVM cannot say: "
                            "tile-keep-composites must run first");
    if (isSpread)
      broadcast.assign({0});
    views.push_back(getTile({operand, isSpread ? getAmount(1) : amount, cols,
                             std::max<int64_t>(pitch, *op.getMask()), element}));
  }
  return success();
}

namespace {
/// The entry of the table for an op that HIVM does not have.
struct NoForm {};
} // namespace

template <typename HIVMOp>
LogicalResult KernelExporter::create(Operation *op, ValueRange sources, Value dst, Value scratch,
                                     ArrayRef<int64_t> broadcast) {
  if constexpr (std::is_same_v<HIVMOp, NoForm>)
    return op->emitOpError("has no equivalent in HIVM");
  else {
    auto axes = broadcast.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(broadcast);
    HIVMOp::create(builder, op->getLoc(), sources, dst, scratch, axes);
    return success();
  }
}

LogicalResult KernelExporter::writeElementwise(Operation *op, ascend::BinaryKind kind,
                                               ValueRange sources, Value dst, Value scratch,
                                               ArrayRef<int64_t> broadcast) {
  switch (kind) {
#define ATTN_BINARY_KIND(member, hivm, family)                                                     \
  case ascend::BinaryKind::member:                                                                 \
    return create<hivm>(op, sources, dst, scratch, broadcast);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult KernelExporter::write(ascend::UnaryOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  if (failed(getViews(op, {op.getDst(), op.getSrc()}, views, broadcast)))
    return failure();
  switch (op.getKind()) {
#define ATTN_UNARY_KIND(member, hivm, family)                                                      \
  case ascend::UnaryKind::member:                                                                  \
    return create<hivm>(op, views[1], views[0], {}, broadcast);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult KernelExporter::write(ascend::BinaryOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  if (failed(getViews(op, {op.getDst(), op.getLhs(), op.getRhs()}, views, broadcast)))
    return failure();
  return writeElementwise(op, op.getKind(), {views[1], views[2]}, views[0], {}, broadcast);
}

LogicalResult KernelExporter::write(ascend::ScalarOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  if (failed(getViews(op, {op.getDst(), op.getSrc()}, views, broadcast)))
    return failure();
  SmallVector<Value, 2> sources = {views[1], scalars.lookup(op.getScalar())};
  switch (op.getKind()) {
#define ATTN_SCALAR_KIND(member, hivm, family)                                                     \
  case ascend::ScalarKind::member:                                                                 \
    return create<hivm>(op, sources, views[0], {}, broadcast);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

/// HIVM has these for integers alone.
LogicalResult KernelExporter::write(ascend::BitwiseOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  if (failed(getViews(op, op.getOperands().take_front(3), views, broadcast, builder.getI32Type())))
    return failure();
  switch (op.getKind()) {
#define ATTN_BITWISE_KIND(member, hivm, family)                                                    \
  case ascend::BitwiseKind::member:                                                                \
    return create<hivm>(op, {views[1], views[2]}, views[0], {}, broadcast);
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

/// HIVM needs a mode where something is rounded.
static std::optional<RoundMode> getRoundMode(ascend::CastOp op) {
  bool widens = getElementBytes(op.getSrc()) < getElementBytes(op.getDst());
  if (op.getMode() == ascend::RoundMode::None && !widens)
    return std::nullopt;
  switch (op.getMode()) {
#define ATTN_ROUND_MODE(member, word, hivm)                                                        \
  case ascend::RoundMode::member:                                                                  \
    return RoundMode::hivm;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all modes are listed");
}

LogicalResult KernelExporter::write(ascend::CastOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  std::optional<RoundMode> mode = getRoundMode(op);
  if (!mode)
    return op.emitOpError("does not say how it rounds, which HIVM needs");
  if (failed(getViews(op, {op.getDst(), op.getSrc()}, views, broadcast)))
    return failure();
  if (!broadcast.empty())
    return op.emitOpError("casts the same data in each repeat, which HIVM cannot say");
  VCastOp::create(builder, op.getLoc(), views[1], views[0], *mode);
  return success();
}

LogicalResult KernelExporter::write(ascend::DuplicateOp op) {
  SmallVector<Value> views;
  SmallVector<int64_t> broadcast;
  if (failed(getViews(op, op.getDst(), views, broadcast)))
    return failure();
  VBrcOp::create(builder, op.getLoc(), scalars.lookup(op.getScalar()), views[0]);
  return success();
}

/// Squares that follow each other along rows or columns are one matrix of 16 rows or columns.
LogicalResult KernelExporter::write(ascend::TransposeOp op) {
  using architecture::fractalRows;
  int64_t perBlock = architecture::getElementsPerBlock(getElementBytes(op.getDst()));
  ArrayRef<int64_t> strides = op.getStrides();
  int64_t dstRow = strides[0], srcRow = strides[1];
  bool isAlongRow = strides[2] == fractalRows * dstRow && strides[3] == 1;
  bool isDownColumn = strides[2] == 1 && strides[3] == fractalRows * srcRow;
  Amount repeat = getAmount(op.getRepeat());
  if (!repeat.number || !(isAlongRow || isDownColumn || repeat.isOne()))
    return op.emitOpError("turns squares over that are not one matrix, which HIVM cannot say");
  Amount square = getAmount(fractalRows), length = getAmount(*repeat.number * fractalRows);
  Amount rows = isDownColumn ? length : square, cols = isDownColumn ? square : length;
  Value src = getTile({op.getSrc(), rows, cols, srcRow * perBlock});
  VTransposeOp::create(builder, op.getLoc(), src,
                       getTile({op.getDst(), cols, rows, dstRow * perBlock}),
                       ArrayRef<int64_t>{1, 0});
  return success();
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

static Reduce getReduce(ascend::ReduceKind kind) {
  switch (kind) {
#define ATTN_REDUCE_KIND(member, hivm, family)                                                     \
  case ascend::ReduceKind::member:                                                                 \
    return Reduce::hivm;
#include "attn/Dialect/Ascend/IR/Instructions.def"
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether the template takes scratch: rows of more than a repeat are folded by halves, and so are
/// those of few elements, an even number; all others are one instruction. Scratch that is not
/// wanted would be one parameter too many.
static bool takesScratch(int64_t cols, bool isRowCountKnown) {
  constexpr int64_t lanes = architecture::getLanes(sizeof(float));
  constexpr int64_t perBlock = architecture::getElementsPerBlock(sizeof(float));
  return !isRowCountKnown || cols > lanes || (cols < perBlock && cols % 2 == 0);
}

LogicalResult KernelExporter::write(ascend::RowReduceOp op) {
  Amount rows = getAmount(op.getRows());
  bool hasScratch = takesScratch(op.getCols(), rows.number.has_value());
  Value src = getTile({op.getSrc(), rows, getAmount(op.getCols()), op.getPitch()});
  Value dst = getTile({op.getDst(), rows, getAmount(1), 1});
  VReduceOp::create(builder, op.getLoc(), getReduce(op.getKind()), src, dst,
                    hasScratch ? getWhole(op.getScratch()) : Value(), ArrayRef<int64_t>{1});
  return success();
}

/// Rows are computed with their padding, as the chip's composites do, so that the whole tile is
/// defined for whatever reads it.
LogicalResult KernelExporter::write(ascend::RowBinaryOp op) {
  Amount rows = getAmount(op.getRows()), cols = getAmount(op.getPitch());
  Value src = getTile({op.getSrc(), rows, cols, op.getPitch()});
  Value column = getTile({op.getColumn(), rows, getAmount(1), 1});
  Value dst = getTile({op.getDst(), rows, cols, op.getPitch()});
  return writeElementwise(op, op.getKind(), {src, column}, dst, getWhole(op.getScratch()), {1});
}

LogicalResult KernelExporter::write(ascend::ColBinaryOp op) {
  Amount rows = getAmount(op.getRows()), cols = getAmount(op.getPitch());
  Value src = getTile({op.getSrc(), rows, cols, op.getPitch()});
  Value row = getTile({op.getRow(), getAmount(1), cols, op.getPitch()});
  Value dst = getTile({op.getDst(), rows, cols, op.getPitch()});
  SmallVector<int64_t> broadcast;
  if (!rows.isOne())
    broadcast.push_back(0);
  return writeElementwise(op, op.getKind(), {src, row}, dst, {}, broadcast);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

/// Whether an event is one that the template of mmadL1 raises by itself: all from MTE1 to M, and
/// the first two back.
template <typename Op> static bool isOfProducts(Op op) {
  constexpr int64_t backward = 2;
  bool isForward = op.getSource() == ascend::Pipe::MTE1 && op.getTarget() == ascend::Pipe::M;
  bool isBackward = op.getSource() == ascend::Pipe::M && op.getTarget() == ascend::Pipe::MTE1;
  return isForward || (isBackward && static_cast<int64_t>(op.getEvent()) < backward);
}

template <typename HIVMOp, typename Op> LogicalResult KernelExporter::writeFlag(Op op) {
  if (op.getVirtualEvent() || op.getEvent() > architecture::eventIds - op.getSlots())
    return op.emitOpError("has no event id of the chip: ascend-assign-events must run first");
  if (isOfProducts(op))
    return op.emitOpError("uses an event that mmadL1 keeps for its own flags");
  EventAttr number;
  Value dynamic;
  std::optional<int64_t> slot = op.getSlot() ? getConstantIntValue(op.getSlot()) : 0;
  if (slot && *slot >= 0 && *slot < op.getSlots())
    number = EventAttr::get(builder.getContext(), static_cast<Event>(op.getEvent() + *slot));
  else
    dynamic = add(word(op.getEvent()), toWord(scalars.lookup(op.getSlot())));
  HIVMOp::create(builder, op.getLoc(), getPipe(op.getSource()), getPipe(op.getTarget()), number,
                 dynamic);
  return success();
}

LogicalResult KernelExporter::write(ascend::SetFlagOp op) { return writeFlag<SetFlagOp>(op); }
LogicalResult KernelExporter::write(ascend::WaitFlagOp op) { return writeFlag<WaitFlagOp>(op); }

LogicalResult KernelExporter::write(ascend::BarrierOp op) {
  PipeBarrierOp::create(builder, op.getLoc(), getPipe(op.getPipe()));
  return success();
}

/// All pipes of the core are done; then its stores are told to all cores, and it waits for theirs.
LogicalResult KernelExporter::write(ascend::SyncAllOp op) {
  Location loc = op.getLoc();
  if (!flagBase)
    return op.emitOpError("lets blocks meet in a loop or condition, which not all may pass alike");
  PipeBarrierOp::create(builder, loc, Pipe::PIPE_ALL);
  SyncBlockSetOp::create(builder, loc, CoreType::VECTOR, Pipe::PIPE_MTE3, Pipe::PIPE_S, meetingFlag,
                         flagBase, SyncMode::INTER_BLOCK_SYNCHRONIZATION);
  SyncBlockWaitOp::create(builder, loc, CoreType::VECTOR, Pipe::PIPE_MTE3, Pipe::PIPE_S,
                          meetingFlag);
  return success();
}

/// Flags of a group: the core type is that of the core itself, and a wait holds what issues.
LogicalResult KernelExporter::write(ascend::CrossSetOp op) {
  if (!flagBase)
    return op.emitOpError("is a flag between the cores of a group, but its kernel has none");
  SyncBlockSetOp::create(builder, op.getLoc(), isForCubes ? CoreType::CUBE : CoreType::VECTOR,
                         getPipe(op.getPipe()), Pipe::PIPE_S, op.getFlag(), flagBase,
                         SyncMode::INTRA_BLOCK_SYNCHRONIZATION);
  return success();
}

/// A wait also names the pipe that sets.
LogicalResult KernelExporter::write(ascend::CrossWaitOp op) {
  func::FuncOp other = isForCubes ? whole : ascend::getCubeHalf(whole);
  ascend::CrossSetOp setter;
  if (isMixed)
    other.walk([&](ascend::CrossSetOp set) {
      if (set.getFlag() == op.getFlag() && !setter)
        setter = set;
    });
  if (!setter)
    return op.emitOpError() << "waits for flag " << op.getFlag()
                            << ", which no other core of a group sets";
  SyncBlockWaitOp::create(builder, op.getLoc(), isForCubes ? CoreType::CUBE : CoreType::VECTOR,
                          getPipe(setter.getPipe()), Pipe::PIPE_S, op.getFlag());
  return success();
}

template <typename Op> LogicalResult KernelExporter::writeOrRefuse(Op op) {
  if constexpr (ascend::hasHIVMForm(ascend::opcodeOf<Op>))
    return write(op);
  else
    return op->emitOpError("has no equivalent in HIVM: tile-keep-composites must run first");
}

LogicalResult KernelExporter::exportInstruction(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  .Case([&](ascend::name##Op known) { return writeOrRefuse(known); })
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  .Case([&](ascend::name##Op known) { return writeOrRefuse(known); })
#include "attn/Dialect/Ascend/IR/Instructions.def"
      .Default(
          [](Operation *unknown) { return unknown->emitOpError("cannot be printed as HIVM"); });
}
