// The ops of HIVM text as instructions of the modelled chip: one reading per family.
#include "Program.h"
#include "attn/Machine/Architecture.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;
using namespace attn::simulator;
using ascend::BinaryKind;
using ascend::BitwiseKind;
using ascend::UnaryKind;

using architecture::blockBytes;
/// Elements from one row in GM to the next, at most: no memory is as large.
constexpr int64_t farthestRow = int64_t(1) << 48;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Program::getRows(Operation *op, const View &view, Rows &rows) {
  bool isLine = view.sizes.size() == 1;
  rows = {isLine ? 1 : view.sizes[0], view.sizes.back(), isLine ? view.sizes[0] : view.strides[0]};
  if (rows.cols > 1 && view.strides.back() != 1)
    return fail(op, HazardKind::Usage,
                "takes elements of a row that are " + Twine(view.strides.back()) + " apart");
  // What is larger leaves every buffer; what follows may then multiply without overflow.
  int64_t most = kernel.chip.getUsableBytes(isForCubes ? LocalMemory::L1 : LocalMemory::UB);
  if (rows.rows < 0 || rows.cols < 0 || rows.rows > most || rows.cols > most)
    return fail(op, HazardKind::OutOfBounds,
                "takes " + Twine(rows.rows) + " rows of " + Twine(rows.cols) +
                    " elements, more than the core holds or less than none");
  int64_t farthest = view.memory == Memory::GM ? farthestRow : most;
  if (rows.rows > 1 && (rows.pitch < 0 || rows.pitch > farthest))
    return fail(op, HazardKind::OutOfBounds,
                "takes rows that are " + Twine(rows.pitch) + " elements apart");
  return true;
}

bool Program::getPlace(Operation *op, const View &view, Place &place) {
  place = Place();
  place.memory = view.memory;
  if (place.isLocal()) {
    place.object = view.buffer;
    place.offset = view.address;
    place.begin = view.begin;
    place.end = view.end;
    return true;
  }
  const DeviceMemory *found = findMemory(kernel.memory, view.address);
  if (!found || found->array < 0)
    return fail(op, HazardKind::OutOfBounds,
                llvm::formatv("uses memory at address {0:x}, which is not an array of the launch",
                              static_cast<uint64_t>(view.address))
                    .str());
  place.object = found->array;
  place.offset = view.address - static_cast<int64_t>(found->address);
  place.end = found->bytes;
  return true;
}

/// The chip computes on f32 and, elementwise, on f16.
bool Program::checkArithmetic(Operation *op, ArrayRef<View> operands, bool takesHalf) {
  for (const View &view : operands)
    if (view.element != Element::F32 && !(takesHalf && view.element == Element::F16))
      return fail(op, HazardKind::Usage, "computes on elements that the vector unit does not");
  return true;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

const Instruction *Program::getInstruction(Operation *op, Instruction made,
                                           std::vector<int64_t> differing) {
  auto [known, isNew] = kernel.instructions.try_emplace({op, std::move(differing)},
                                                        kernel.listing.instructions.size());
  if (isNew) {
    made.location = op->getLoc();
    made.name = getSpelling(op).str();
    made.number = kernel.listing.instructions.size();
    kernel.listing.instructions.push_back(std::move(made));
  }
  return &kernel.listing.instructions[known->second];
}

bool Program::issue(Operation *op, const Instruction *instruction, ArrayRef<View> operands,
                    std::array<int64_t, 3> amounts, Scalar scalar) {
  if (!isMaskSet)
    return fail(op, HazardKind::Usage, "comes before set_mask_norm");
  Issued issued;
  issued.instruction = instruction;
  issued.amounts = amounts;
  issued.scalar = scalar;
  for (auto [index, view] : llvm::enumerate(operands))
    if (!getPlace(op, view, issued.places[index]))
      return false;
  arePipesDone = instruction->opcode == Opcode::Barrier && instruction->pipe == ascend::Pipe::ALL;
  pending.push_back(issued);
  return true;
}

/// An instruction of the vector unit on these operands, destination first.
static Instruction makeVector(Opcode opcode, int kind, ArrayRef<View> operands) {
  Instruction made;
  made.opcode = opcode;
  made.pipe = ascend::Pipe::V;
  made.kind = kind;
  for (const View &view : operands)
    made.elements.push_back(view.element);
  return made;
}

bool Program::issueTiles(Operation *op, Opcode opcode, int kind, ArrayRef<View> operands,
                         ArrayRef<int64_t> broadcast, Scalar scalar) {
  Rows dst;
  if (!getRows(op, operands[0], dst))
    return false;
  SmallVector<int64_t, 3> pitches;
  bool isWhole = true;
  for (const View &view : operands) {
    Rows rows;
    if (!getRows(op, view, rows))
      return false;
    bool isSpread = rows.rows == 1 && dst.rows > 1 && llvm::is_contained(broadcast, 0);
    if (rows.cols != dst.cols || (rows.rows != dst.rows && !isSpread))
      return fail(op, HazardKind::Usage,
                  llvm::formatv("computes {0} rows of {1} from {2} rows of {3}", dst.rows, dst.cols,
                                rows.rows, rows.cols)
                      .str());
    pitches.push_back(isSpread ? 0 : rows.pitch);
    isWhole &= pitches.back() == dst.cols || dst.rows == 1;
  }
  const Instruction *instruction = getInstruction(op, makeVector(opcode, kind, operands));
  if (isWhole)
    return issue(op, instruction, operands, {dst.rows * dst.cols, 0, 0}, scalar);
  SmallVector<View, 3> row(operands);
  for (int64_t index = 0; index < dst.rows; ++index) {
    if (!issue(op, instruction, row, {dst.cols, 0, 0}, scalar))
      return false;
    for (auto [view, pitch] : llvm::zip_equal(row, pitches))
      view.address += pitch * getBytes(view.element);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool Program::checkGlobal(Operation *op, const View &global, const Rows &rows) {
  // What wraps here is too far away for every array, and is found when the copy runs.
  uint64_t elements = static_cast<uint64_t>(rows.rows - 1) * rows.pitch + rows.cols;
  uint64_t end = global.address + elements * getBytes(global.element);
  return static_cast<int64_t>(end) <= global.end ||
         fail(op, HazardKind::OutOfBounds, "reaches beyond what its pointer_cast gives");
}

bool Program::copyRows(Operation *op, Opcode opcode, const View &local, const View &global) {
  Rows here, there;
  if (!getRows(op, local, here) || !getRows(op, global, there))
    return false;
  if (here.rows != there.rows || here.cols != there.cols)
    return fail(op, HazardKind::Usage,
                llvm::formatv("moves {0} rows of {1} in gm and {2} rows of {3} in ub", there.rows,
                              there.cols, here.rows, here.cols)
                    .str());
  if (here.rows == 0 || here.cols == 0)
    return true;
  if (!checkGlobal(op, global, there))
    return false;
  bool isLoad = opcode == Opcode::CopyIn;
  Instruction made;
  made.opcode = opcode;
  made.pipe = isLoad ? ascend::Pipe::MTE2 : ascend::Pipe::MTE3;
  made.elements.assign({local.element, global.element});
  made.pitch = here.pitch;
  // The template fills the data block that a row ends in.
  int64_t perBlock = blockBytes / getBytes(local.element);
  made.rightPad = isLoad ? llvm::alignTo(here.cols, perBlock) - here.cols : 0;
  const Instruction *instruction = getInstruction(op, made, {made.pitch, made.rightPad});
  std::array<int64_t, 3> amounts = {here.rows, here.cols, there.pitch};
  if (isLoad)
    return issue(op, instruction, {local, global}, amounts);
  return issue(op, instruction, {global, local}, amounts);
}

bool Program::move(LoadOp op) {
  return copyRows(op, Opcode::CopyIn, views[op.getDst()], views[op.getSrc()]);
}

bool Program::move(StoreOp op) {
  return copyRows(op, Opcode::CopyOut, views[op.getSrc()], views[op.getDst()]);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static std::optional<ascend::ScalarKind> getScalarKind(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return ascend::ScalarKind::Adds;
  case BinaryKind::Mul:
    return ascend::ScalarKind::Muls;
  case BinaryKind::Max:
    return ascend::ScalarKind::Maxs;
  case BinaryKind::Min:
    return ascend::ScalarKind::Mins;
  case BinaryKind::Sub:
  case BinaryKind::Div:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are listed");
}

bool Program::computeBinary(Operation *op, BinaryKind kind, ValueRange sources, Value dst,
                            Value scratch, ArrayRef<int64_t> broadcast) {
  SmallVector<View, 3> operands = {views[dst], views[sources[0]]};
  if (!isa<MemRefType>(sources[0].getType()))
    return fail(op, HazardKind::Usage, "has a scalar on the left, which the modelled chip cannot");
  bool hasScalar = !isa<MemRefType>(sources[1].getType());
  if (!hasScalar)
    operands.push_back(views[sources[1]]);
  if (!checkArithmetic(op, operands, /*takesHalf=*/true))
    return false;
  if (hasScalar) {
    std::optional<ascend::ScalarKind> scalar = getScalarKind(kind);
    if (!scalar)
      return fail(op, HazardKind::Usage, "takes no scalar on the modelled chip");
    return issueTiles(op, Opcode::Scalar, static_cast<int>(*scalar), operands, broadcast,
                      scalars.lookup(sources[1]));
  }
  if (llvm::is_contained(broadcast, 1))
    return computeRows(op, kind, operands, scratch);
  return issueTiles(op, Opcode::Binary, static_cast<int>(kind), operands, broadcast);
}

/// A column against every column of a tile.
bool Program::computeRows(Operation *op, BinaryKind kind, ArrayRef<View> operands, Value scratch) {
  Rows dst, src, column;
  if (!checkArithmetic(op, operands, /*takesHalf=*/false) || !getRows(op, operands[0], dst) ||
      !getRows(op, operands[1], src) || !getRows(op, operands[2], column))
    return false;
  if (!scratch)
    return fail(op, HazardKind::Usage, "spreads a column without a temp_buffer");
  bool isAlike = src.rows == dst.rows && src.cols == dst.cols && column.rows == dst.rows;
  bool isDense = dst.pitch == dst.cols && src.pitch == src.cols && column.pitch == 1;
  if (!isAlike || column.cols != 1 || (dst.rows > 1 && !isDense))
    return fail(op, HazardKind::Usage,
                llvm::formatv("computes {0} rows of {1}, {2} apart, from {3} rows of {4}, {5} "
                              "apart, and a column of {6} by {7}, {8} apart",
                              dst.rows, dst.cols, dst.pitch, src.rows, src.cols, src.pitch,
                              column.rows, column.cols, column.pitch)
                    .str());
  SmallVector<View, 4> all(operands);
  all.push_back(views[scratch]);
  Instruction made = makeVector(Opcode::RowBinary, static_cast<int>(kind), all);
  made.cols = made.pitch = dst.cols;
  made.takesAllScratch = true;
  return issue(op, getInstruction(op, made, {dst.cols}), all, {dst.rows, 0, 0});
}

bool Program::computeUnary(Operation *op, UnaryKind kind, Value src, Value dst) {
  View operands[] = {views[dst], views[src]};
  return checkArithmetic(op, operands, /*takesHalf=*/true) &&
         issueTiles(op, Opcode::Unary, static_cast<int>(kind), operands);
}

bool Program::computeBitwise(Operation *op, BitwiseKind kind, ValueRange sources, Value dst,
                             ArrayRef<int64_t> broadcast) {
  SmallVector<View, 3> operands = {views[dst]};
  for (Value source : sources) {
    if (!isa<MemRefType>(source.getType()))
      return fail(op, HazardKind::Usage, "has a scalar, which the modelled chip cannot");
    operands.push_back(views[source]);
  }
  for (const View &view : operands)
    if (view.element != Element::Int32)
      return fail(op, HazardKind::Usage, "takes something other than integers of 32 bits");
  return issueTiles(op, Opcode::Bitwise, static_cast<int>(kind), operands, broadcast);
}

static ascend::RoundMode toChip(hivm::RoundMode mode) {
  switch (mode) {
  case hivm::RoundMode::Rint:
    return ascend::RoundMode::Rint;
  case hivm::RoundMode::Round:
    return ascend::RoundMode::Round;
  case hivm::RoundMode::Floor:
    return ascend::RoundMode::Floor;
  case hivm::RoundMode::Ceil:
    return ascend::RoundMode::Ceil;
  case hivm::RoundMode::Trunc:
    return ascend::RoundMode::Trunc;
  }
  llvm_unreachable("all modes are listed");
}

bool Program::computeCast(VCastOp op) {
  View operands[] = {views[op.getDst()], views[op.getSrc()]};
  Element to = operands[0].element, from = operands[1].element;
  auto isNarrow = [](Element element) {
    return element == Element::F16 || element == Element::BF16;
  };
  bool isRounded = from == Element::F32 && (isNarrow(to) || to == Element::Int32);
  bool isToF32 = to == Element::F32 && (isNarrow(from) || from == Element::Int32);
  if (!isRounded && !isToF32)
    return fail(op, HazardKind::Usage, "casts between types that the modelled chip does not");
  return issueTiles(op, Opcode::Cast, static_cast<int>(toChip(op.getRoundMode())), operands);
}

bool Program::fill(VBrcOp op) {
  if (isa<MemRefType>(op.getSrc().getType()))
    return fail(op, HazardKind::Usage, "spreads memory, which the modelled chip does not");
  if (views[op.getDst()].memory == Memory::L1)
    return fillRun(op);
  return issueTiles(op, Opcode::Duplicate, 0, views[op.getDst()], {}, scalars.lookup(op.getSrc()));
}

/// The template turns over squares of 16, along the longer side at once. Where rows do not begin at
/// data blocks it goes element by element on the scalar unit, which the modelled chip does not.
bool Program::transpose(VTransposeOp op) {
  constexpr int64_t square = architecture::fractalRows;
  View operands[] = {views[op.getDst()], views[op.getSrc()]};
  Rows dst, src;
  if (!getRows(op, operands[0], dst) || !getRows(op, operands[1], src))
    return false;
  if (operands[0].element != Element::F16 && operands[0].element != Element::BF16)
    return fail(op, HazardKind::Usage, "turns something other than numbers of 16 bits over");
  int64_t perBlock = blockBytes / getBytes(operands[0].element);
  if (src.rows % square != 0 || src.cols % square != 0 || dst.pitch % perBlock != 0 ||
      src.pitch % perBlock != 0)
    return fail(op, HazardKind::Usage,
                llvm::formatv("turns {0} rows of {1}, {2} apart, over to rows {3} apart: the "
                              "modelled chip has squares of {4} in whole data blocks",
                              src.rows, src.cols, src.pitch, dst.pitch, square)
                    .str());
  int64_t dstRow = dst.pitch / perBlock, srcRow = src.pitch / perBlock;
  bool isAlongRow = src.rows <= src.cols;
  Instruction made = makeVector(Opcode::Transpose, 0, operands);
  if (isAlongRow)
    made.strides.assign({dstRow, srcRow, square * dstRow, 1});
  else
    made.strides.assign({dstRow, srcRow, 1, square * srcRow});
  const Instruction *instruction = getInstruction(op, made);
  int64_t strips = std::min(src.rows, src.cols) / square;
  int64_t repeats = std::max(src.rows, src.cols) / square;
  for (int64_t strip = 0; strip < strips; ++strip) {
    if (!issue(op, instruction, operands, {repeats, 0, 0}))
      return false;
    int64_t rowBytes = square * getBytes(operands[0].element);
    operands[0].address += isAlongRow ? rowBytes : square * dstRow * blockBytes;
    operands[1].address += isAlongRow ? square * srcRow * blockBytes : rowBytes;
  }
  return true;
}

static ascend::ReduceKind toChip(hivm::Reduce kind) {
  switch (kind) {
  case hivm::Reduce::Sum:
    return ascend::ReduceKind::Sum;
  case hivm::Reduce::Max:
    return ascend::ReduceKind::Max;
  case hivm::Reduce::Min:
    return ascend::ReduceKind::Min;
  }
  llvm_unreachable("all kinds are listed");
}

bool Program::reduce(VReduceOp op) {
  SmallVector<View, 3> operands = {views[op.getDst()], views[op.getSrc()]};
  if (op.getTempBuffer())
    operands.push_back(views[op.getTempBuffer()]);
  Rows dst, src;
  if (!checkArithmetic(op, operands, /*takesHalf=*/false) || !getRows(op, operands[0], dst) ||
      !getRows(op, operands[1], src))
    return false;
  if (dst.rows != src.rows || dst.cols != 1 || (dst.rows > 1 && dst.pitch != 1))
    return fail(op, HazardKind::Usage,
                llvm::formatv("reduces {0} rows to {1} by {2} values, {3} apart", src.rows,
                              dst.rows, dst.cols, dst.pitch)
                    .str());
  Instruction made =
      makeVector(Opcode::RowReduce, static_cast<int>(toChip(op.getArith())), operands);
  made.cols = src.cols;
  made.pitch = src.pitch;
  made.takesAllScratch = true;
  return issue(op, getInstruction(op, made, {src.cols, src.pitch}), operands, {src.rows, 0, 0});
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

bool Program::execute(Operation *op) {
  auto binary = [&](auto op, BinaryKind kind) {
    return computeBinary(op, kind, op.getSrc(), op.getDst(), op.getTempBuffer(),
                         op.getBroadcast().value_or(ArrayRef<int64_t>()));
  };
  auto bitwise = [&](auto op, BitwiseKind kind) {
    return computeBitwise(op, kind, op.getSrc(), op.getDst(),
                          op.getBroadcast().value_or(ArrayRef<int64_t>()));
  };
  auto unary = [&](auto op, UnaryKind kind) {
    return computeUnary(op, kind, op.getSrc()[0], op.getDst());
  };
  auto flag = [&](auto op, Opcode opcode) {
    int64_t event = op.getStaticEventId() ? static_cast<int64_t>(*op.getStaticEventId())
                                          : get(op.getDynamicEventId());
    return issueFlag(op, opcode, op.getSetPipe(), op.getWaitPipe(), event);
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](SetMaskNormOp) { return isMaskSet = true; })
      .Case([&](SetFftsBaseAddrOp op) {
        isFlagBaseSet = get(op.getBase()) == flagBase;
        return isFlagBaseSet ||
               fail(op, HazardKind::Usage, "takes something other than what the launcher gives");
      })
      .Case([&](GetBlockIdxOp op) {
        scalars[op] = {place.block, 0};
        return true;
      })
      .Case([&](GetSubBlockIdxOp op) {
        scalars[op] = {place.subBlock, 0};
        return true;
      })
      .Case([&](GetBlockNumOp op) {
        scalars[op] = {kernel.blocks, 0};
        return true;
      })
      .Case<LoadOp, StoreOp, Nd2NzOp, FixpipeOp>([&](auto op) { return move(op); })
      .Case([&](MmadL1Op op) { return computeProduct(op); })
      .Case([&](CopyOp op) {
        return issueTiles(op, Opcode::Copy, 0, {views[op.getDst()], views[op.getSrc()]});
      })
      .Case([&](VAddOp op) { return binary(op, BinaryKind::Add); })
      .Case([&](VSubOp op) { return binary(op, BinaryKind::Sub); })
      .Case([&](VMulOp op) { return binary(op, BinaryKind::Mul); })
      .Case([&](VDivOp op) { return binary(op, BinaryKind::Div); })
      .Case([&](VMaxOp op) { return binary(op, BinaryKind::Max); })
      .Case([&](VMinOp op) { return binary(op, BinaryKind::Min); })
      .Case([&](VAndOp op) { return bitwise(op, BitwiseKind::And); })
      .Case([&](VOrOp op) { return bitwise(op, BitwiseKind::Or); })
      .Case([&](VExpOp op) { return unary(op, UnaryKind::Exp); })
      .Case([&](VLnOp op) { return unary(op, UnaryKind::Ln); })
      .Case([&](VSqrtOp op) { return unary(op, UnaryKind::Sqrt); })
      .Case([&](VAbsOp op) { return unary(op, UnaryKind::Abs); })
      .Case([&](VReluOp op) { return unary(op, UnaryKind::Relu); })
      .Case([&](VCastOp op) { return computeCast(op); })
      .Case([&](VBrcOp op) { return fill(op); })
      .Case([&](VTransposeOp op) { return transpose(op); })
      .Case([&](VReduceOp op) { return reduce(op); })
      .Case([&](SetFlagOp op) { return flag(op, Opcode::SetFlag); })
      .Case([&](WaitFlagOp op) { return flag(op, Opcode::WaitFlag); })
      .Case([&](PipeBarrierOp op) { return issueBarrier(op); })
      .Case([&](SyncBlockSetOp op) { return isMixed ? setCross(op) : raiseMeetingFlag(op); })
      .Case([&](SyncBlockWaitOp op) { return isMixed ? waitCross(op) : meet(op); })
      .Default([&](Operation *op) {
        return fail(op, HazardKind::Usage, "is not known to the modelled chip");
      });
}
