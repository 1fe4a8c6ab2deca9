// What AscendC accepts: one function per family of calls. Sections are those of the reference of
// the AscendC subset, hardware/ascendc.md, and of machine.md.
#include "VerifyEmission.h"
#include "Multiples.h"
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Launch/Convention/Names.h"
#include "attn/Launch/Convention/Signature.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Chip.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascendc;
using namespace attn::launch;

namespace {

using architecture::blockBytes;
using architecture::maxCopyRowBytes;
using architecture::maxCopyRows;

Type getElementType(Value memory) { return cast<MemRefType>(memory.getType()).getElementType(); }

int64_t getElementBytes(Value memory) { return getElementType(memory).getIntOrFloatBitWidth() / 8; }

/// The largest number of a field of 16 bits.
constexpr int64_t maxField = std::numeric_limits<uint16_t>::max();

class EmissionVerifier {
public:
  EmissionVerifier(func::FuncOp kernel, const IndexRanges &ranges)
      : kernel(kernel), core(ascend::getCoreKind(kernel)), ranges(ranges) {}

  LogicalResult verify() {
    if (failed(verifyForm()) || failed(findChip()) || failed(verifyMeetings()) ||
        failed(verifyLaunch()))
      return failure();
    return failure(
        kernel.walk([&](Operation *op) { return WalkResult(verifyOp(op)); }).wasInterrupted());
  }

private:
  //===--------------------------------------------------------------------===//
  // The kernel (§2)
  //===--------------------------------------------------------------------===//

  LogicalResult verifyForm() {
    if (failed(verifyKernelName(kernel)))
      return failure();
    if (kernel.isExternal() || !kernel.getBody().hasOneBlock())
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' must have a body of one block to be printed as AscendC";
    // The text ends as the IR does: the barrier that waits for everything is part of the sync.
    Block &body = kernel.getBody().front();
    auto last = body.getOperations().size() < 2
                    ? ascend::BarrierOp()
                    : dyn_cast<ascend::BarrierOp>(body.getTerminator()->getPrevNode());
    if (!last || last.getPipe() != ascend::Pipe::ALL)
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' does not end with 'ascend.barrier all': "
                                   "ascend-insert-sync must run first";
    return success();
  }

  LogicalResult findChip() {
    auto module = kernel->getParentOfType<ModuleOp>();
    if (!module || !module->hasAttr("machine.target"))
      return success();
    FailureOr<Chip> target = getTargetChip(module);
    if (failed(target))
      return failure();
    chip = *target;
    return success();
  }

  /// Blocks that wait for each other must all run at once.
  LogicalResult verifyMeetings() {
    auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName);
    WalkResult result = kernel.walk([&](ascend::SyncAllOp op) {
      if (op->getParentOp() != kernel)
        return WalkResult(
            op.emitOpError("is inside a loop or branch, which not all blocks may reach"));
      if (!doBlocksMeet(kernel))
        return WalkResult(op.emitOpError()
                          << "lets blocks meet, but '" << ascend::kindName << "' of its kernel is "
                          << ascend::stringifyKernelKind(ascend::getKernelKind(kernel)));
      if (!limit)
        return WalkResult(op.emitOpError()
                          << "needs '" << launch::limitName
                          << "' on its kernel: blocks can only meet while all run");
      if (chip && limit.getInt() > chip->vectorCores)
        return WalkResult(op.emitOpError()
                          << "meets up to " << limit.getInt() << " blocks, but " << chip->name
                          << " runs " << chip->vectorCores << " at once");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Groups have no other cores to wait for.
  LogicalResult verifyLaunch() {
    auto limit = kernel->getAttrOfType<IntegerAttr>(launch::limitName);
    if (ascend::getKernelKind(kernel) != ascend::KernelKind::Mixed || !limit || !chip ||
        limit.getInt() <= chip->cubeCores)
      return success();
    return kernel.emitError() << "kernel '" << kernel.getName() << "' may start " << limit.getInt()
                              << " groups of cores, but " << chip->name << " has "
                              << chip->cubeCores;
  }

  //===--------------------------------------------------------------------===//
  // Calls
  //===--------------------------------------------------------------------===//

  LogicalResult verifyOp(Operation *op) {
    if (failed(verifyPipe(op)))
      return failure();
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](ascend::AllocOp known) { return verifyCall(known); })
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  .Case([&](ascend::name##Op known) { return verifyCall(known); })
#define ATTN_SYNCHRONISATION(name, call)                                                           \
  .Case([&](ascend::name##Op known) { return verifyCall(known); })
#include "attn/Dialect/Ascend/IR/Instructions.def"
        .Default([](Operation *) { return success(); });
  }

  /// Instructions run on pipes that the cores of the kernel have.
  LogicalResult verifyPipe(Operation *op) {
    auto instruction = dyn_cast<ascend::InstructionOpInterface>(op);
    return instruction ? verifyPipe(op, instruction.getPipe()) : success();
  }
  LogicalResult verifyPipe(Operation *op, ascend::Pipe pipe) {
    if (pipe == ascend::Pipe::ALL || hasPipe(core, ascend::getCorePipe(pipe)))
      return success();
    return op->emitOpError() << "needs the pipe " << ascend::stringifyPipe(pipe) << ", which "
                             << getCoreName(core) << " cores do not have";
  }

  /// What has no rule of its own: the amount must fit.
  template <typename Op> LogicalResult verifyCall(Op op) {
    constexpr ascend::Opcode opcode = ascend::opcodeOf<Op>;
    if constexpr (ascend::isComposite(opcode))
      return op.emitOpError("is a composite, which must be lowered first by "
                            "ascend-expand-composites");
    else if constexpr (ascend::getGroup(opcode) == ascend::InstructionGroup::Elementwise)
      return verifyForm(op);
    else if constexpr (ascend::isSynchronisation(opcode))
      return success();
    else
      return verifyRepeats(op, op.getRepeat());
  }

  /// LocalTensor(TPosition, uint32_t address, uint32_t elements).
  LogicalResult verifyCall(ascend::AllocOp op) {
    if (!op.getAddress())
      return op.emitOpError("has no address: ascend-plan-memory must run first");
    const LocalMemoryFacts &memory = getFacts(op.getMemory());
    if (memory.core != core || op.getMemory() == LocalMemory::FP)
      return op.emitOpError() << "lies in " << memory.name << ", where texts of "
                              << getCoreName(core) << " cores have no tensors";
    int64_t address = *op.getAddress();
    int64_t capacity =
        chip ? chip->getUsableBytes(op.getMemory()) : std::numeric_limits<uint32_t>::max();
    if (op.getByteSize() > capacity - address)
      return op.emitOpError() << "ends at byte " << address + op.getByteSize() << " of "
                              << capacity;
    return success();
  }

  /// Amounts become uint8_t and uint16_t in the text: what is too large would wrap around.
  LogicalResult verifyAtMost(Operation *op, Value amount, int64_t most, StringRef what) {
    std::optional<int64_t> bound = ranges.getUpperBound(amount);
    // No buffer holds what 31 bits do not count; narrower fields are filled only by what fits.
    if (!bound && most < std::numeric_limits<int32_t>::max())
      return op->emitOpError() << "has a number of " << what << " without a known bound; at most "
                               << most << " are possible";
    if (!bound || *bound <= most)
      return success();
    return op->emitOpError() << "may have " << *bound << " " << what << "; at most " << most
                             << " are possible";
  }

  LogicalResult verifyRepeats(Operation *op, Value repeats) {
    return verifyAtMost(op, repeats, architecture::maxRepeats, "repeats");
  }

  /// The end of an elementwise call: a count, or mask, repeats and strides.
  template <typename Op> LogicalResult verifyForm(Op op) {
    return op.getMask()
               ? verifyRepeats(op, op.getAmount())
               : verifyAtMost(op, op.getAmount(), std::numeric_limits<int32_t>::max(), "elements");
  }

  /// DataCopyPad with DataCopyExtParams: counts in fields of 16 and 32 bits (§3).
  LogicalResult verifyCopy(Operation *op, Value local, Value rows, Value length, Value globalPitch,
                           int64_t localPitch, int64_t rightPad) {
    int64_t bytes = getElementBytes(local);
    std::optional<int64_t> knownRows = getConstantIntValue(rows),
                           knownLength = getConstantIntValue(length);
    if (knownRows && (*knownRows < 0 || *knownRows > maxCopyRows))
      return op->emitOpError() << "copies " << *knownRows << " rows; 0 to " << maxCopyRows
                               << " are possible";
    if (knownLength && (*knownLength < 0 || *knownLength > maxCopyRowBytes / bytes))
      return op->emitOpError() << "copies rows of " << *knownLength << " elements; 0 to "
                               << maxCopyRowBytes / bytes << " are possible";
    if (failed(verifyAtMost(op, rows, maxCopyRows, "rows")) ||
        failed(verifyAtMost(op, length, maxCopyRowBytes / bytes, "elements in a row")))
      return failure();
    if (ranges.getUpperBound(rows).value_or(2) <= 1)
      return success(); // Gaps are between rows.
    bool holdsLocal =
        !knownLength || llvm::alignTo((*knownLength + rightPad) * bytes, blockBytes) <=
                            static_cast<uint64_t>(localPitch * bytes);
    std::optional<int64_t> pitch = getConstantIntValue(globalPitch);
    int64_t gap = pitch && knownLength ? (*pitch - *knownLength) * bytes : 0;
    if (!holdsLocal || gap < 0 || gap > std::numeric_limits<uint32_t>::max())
      return op->emitOpError("has a pitch that does not hold its rows, or too large a one");
    return success();
  }
  LogicalResult verifyCall(ascend::CopyInOp op) {
    return verifyCopy(op, op.getDst(), op.getRows(), op.getLength(), op.getSrcPitch(),
                      op.getDstPitch(), op.getRightPad());
  }
  LogicalResult verifyCall(ascend::CopyOutOp op) {
    return verifyCopy(op, op.getSrc(), op.getRows(), op.getLength(), op.getDstPitch(),
                      op.getSrcPitch(), /*rightPad=*/0);
  }

  /// Adds, Muls, Maxs, Mins: the scalar has the tensor's type, and text has f32 only (§7).
  LogicalResult verifyCall(ascend::ScalarOp op) {
    if (!op.getScalar().getType().isF32())
      return op.emitOpError() << "takes a scalar of type " << op.getScalar().getType()
                              << ", which AscendC text does not compute with";
    return verifyForm(op);
  }

  /// Duplicate takes b16 and b32 (§7); 16-bit constants are written by their bits.
  LogicalResult verifyCall(ascend::DuplicateOp op) {
    Type type = op.getScalar().getType();
    bool isBits = (type.isF16() || type.isBF16()) &&
                  op.getScalar().getDefiningOp<arith::ConstantOp>() != nullptr;
    if (!type.isF32() && !type.isSignlessInteger(32) && !isBits)
      return op.emitOpError() << "cannot be printed as AscendC for " << type;
    return verifyForm(op);
  }

  /// DataCopy rounds a count down to whole data blocks (§3).
  LogicalResult verifyCall(ascend::CopyOp op) {
    std::optional<int64_t> count = getConstantIntValue(op.getAmount());
    if (count && *count * getElementBytes(op.getDst()) % blockBytes != 0)
      return op.emitOpError() << "copies " << *count * getElementBytes(op.getDst())
                              << " bytes, of which DataCopy leaves out all beyond whole "
                              << blockBytes << "-byte blocks";
    return verifyAtMost(op, op.getAmount(), std::numeric_limits<uint32_t>::max(), "elements");
  }

  /// Compare leaves out all beyond whole repeats, which is a rule of the op (§9).
  LogicalResult verifyCall(ascend::CompareOp op) { return verifyElements(op); }
  LogicalResult verifyCall(ascend::SelectOp op) { return verifyElements(op); }
  template <typename Op> LogicalResult verifyElements(Op op) {
    return verifyAtMost(op, op.getAmount(), std::numeric_limits<uint32_t>::max(), "elements");
  }

  /// Brcb takes b16 and b32, and not in place (§7).
  LogicalResult verifyCall(ascend::BrcbOp op) {
    int64_t bytes = getElementBytes(op.getDst());
    if (bytes != 2 && bytes != 4)
      return op.emitOpError() << "broadcasts numbers of 2 or 4 bytes, not "
                              << getElementType(op.getDst());
    if (op.getDst() == op.getSrc())
      return op.emitOpError("fills the place it reads from");
    return verifyRepeats(op, op.getRepeat());
  }

  /// TransDataTo5HD adds the strides of its repeats to a single one as well (its documentation), so
  /// that the text must know whether there is one.
  LogicalResult verifyCall(ascend::TransposeOp op) {
    if (!getConstantIntValue(op.getRepeat()))
      return op.emitOpError("needs a number of repeats that is known");
    return verifyRepeats(op, op.getRepeat());
  }

  //===--------------------------------------------------------------------===//
  // Cube instructions (§3 to §6)
  //===--------------------------------------------------------------------===//

  /// DataCopy with Nd2NzParams: fields of 16 bits.
  LogicalResult verifyCall(ascend::NdToNzOp op) {
    if (failed(verifyAtMost(op, op.getRows(), architecture::maxNdRows, "rows")) ||
        failed(verifyAtMost(op, op.getCols(), architecture::maxNdCols, "columns")))
      return failure();
    if (ranges.getUpperBound(op.getRows()).value_or(2) <= 1)
      return success(); // Pitches are between rows.
    return verifyAtMost(op, op.getSrcPitch(), architecture::maxNdPitch, "elements from row to row");
  }

  /// InitConstValueParams: fields of 15 bits; 16-bit constants are written by their bits.
  LogicalResult verifyCall(ascend::FillOp op) {
    Type type = op.getScalar().getType();
    bool isBits = (type.isF16() || type.isBF16() || type.isInteger(8)) &&
                  op.getScalar().getDefiningOp<arith::ConstantOp>() != nullptr;
    if (!type.isF32() && !type.isSignlessInteger(32) && !isBits)
      return op.emitOpError() << "cannot be printed as AscendC for " << type;
    if (failed(verifyAtMost(op, op.getRepeat(), architecture::maxFillExtent, "times")))
      return failure();
    // The field has the gap between the end of one time and the next.
    bool isOnce = ranges.getUpperBound(op.getRepeat()).value_or(2) <= 1;
    return verifyAtMost(op, op.getBlocks(), isOnce ? architecture::maxFillExtent : op.getPitch(),
                        "blocks");
  }

  LogicalResult verifyCall(ascend::LoadFractalsOp op) { return verifyRepeats(op, op.getRepeat()); }
  LogicalResult verifyCall(ascend::LoadSquaresOp op) { return verifyRepeats(op, op.getRepeat()); }

  /// LoadData3DParamsV2: fields of 16 bits, and no more rows than there are.
  LogicalResult verifyCall(ascend::LoadTileOp op) {
    return failure(failed(verifyAtMost(op, op.getRows(), op.getSrcRows(), "rows")) ||
                   failed(verifyAtMost(op, op.getCols(), maxField, "columns")));
  }

  /// DataCopy to C2 rounds a count down to whole blocks of 64 bytes (§3).
  LogicalResult verifyCall(ascend::LoadBiasOp op) {
    int64_t unit = getFacts(LocalMemory::BT).alignment;
    std::optional<int64_t> count = getConstantIntValue(op.getAmount());
    if (count && *count * getElementBytes(op.getDst()) % unit != 0)
      return op.emitOpError() << "copies " << *count * getElementBytes(op.getDst())
                              << " bytes, of which DataCopy leaves out all beyond whole " << unit
                              << "-byte blocks";
    return verifyAtMost(op, op.getAmount(), std::numeric_limits<uint32_t>::max(), "elements");
  }

  /// One row is another instruction, with another layout (§5).
  LogicalResult verifyCall(ascend::MmadOp op) {
    for (auto [extent, what] : {std::pair<Value, StringRef>(op.getM(), "rows"),
                                {op.getN(), "columns"},
                                {op.getK(), "elements in a sum"}})
      if (failed(verifyAtMost(op, extent, architecture::maxMmadExtent, what)))
        return failure();
    if (ranges.getLowerBound(op.getM()).value_or(0) < 2 && !isMultipleOf(op.getM(), 2))
      return op.emitOpError("may have one row, for which the chip takes another layout; pad m to "
                            "an even number or to 2");
    return success();
  }

  /// FixpipeParamsV220 (§6).
  LogicalResult verifyCall(ascend::FixOutOp op) {
    int64_t maxRows = op.getNz() ? architecture::maxFixRowsNZ : architecture::maxFixRows;
    if (failed(verifyAtMost(op, op.getRows(), maxRows, "rows")) ||
        failed(verifyAtMost(op, op.getCols(), architecture::maxFixCols, "columns")) ||
        failed(verifyAtMost(op, op.getDstPitch(), std::numeric_limits<uint32_t>::max(),
                            "elements from row to row")))
      return failure();
    if (op.getNz() && !isMultipleOf(op.getCols(), architecture::fractalRows))
      return op.emitOpError() << "makes fractals of columns that are not known to be a multiple of "
                              << architecture::fractalRows;
    if (op.getScale() && !op.getScale()->isNormal())
      return op.emitOpError("has a scale that is not a normal number");
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Synchronisation (§11, machine.md §6)
  //===--------------------------------------------------------------------===//

  template <typename Op> LogicalResult verifyFlag(Op op) {
    int64_t eventIds = chip ? chip->eventIds : architecture::eventIds;
    if (op.getVirtualEvent() || op.getEvent() > eventIds - op.getSlots())
      return op.emitOpError("has no event id of the chip: ascend-assign-events must run first");
    if (failed(verifyPipe(op, op.getSource())) || failed(verifyPipe(op, op.getTarget())))
      return failure();
    if (!hasFlags(core, ascend::getCorePipe(op.getSource()), ascend::getCorePipe(op.getTarget())))
      return op.emitOpError() << "is between two pipes that have no flags on " << getCoreName(core)
                              << " cores";
    return success();
  }
  LogicalResult verifyCall(ascend::SetFlagOp op) { return verifyFlag(op); }
  LogicalResult verifyCall(ascend::WaitFlagOp op) { return verifyFlag(op); }

  LogicalResult verifyCall(ascend::BarrierOp op) { return verifyPipe(op, op.getPipe()); }

  /// Flags between cores: kernels of one kind of core do not start what passes them on (§11).
  LogicalResult verifyGroup(Operation *op) {
    ascend::KernelKind kind = ascend::getKernelKind(kernel);
    if (kind == ascend::KernelKind::Mixed)
      return success();
    return op->emitOpError() << "is a flag between the cores of a group, but '" << ascend::kindName
                             << "' of its kernel is " << ascend::stringifyKernelKind(kind);
  }
  LogicalResult verifyCall(ascend::CrossSetOp op) {
    return failed(verifyGroup(op)) ? failure() : verifyPipe(op, op.getPipe());
  }
  LogicalResult verifyCall(ascend::CrossWaitOp op) { return verifyGroup(op); }

  func::FuncOp kernel;
  /// Of the kind that runs the kernel.
  CoreKind core;
  const IndexRanges &ranges;
  /// The module's target, where it has one.
  std::optional<Chip> chip;
};

} // namespace

LogicalResult ascendc::verifyEmission(func::FuncOp kernel, const IndexRanges &ranges) {
  return EmissionVerifier(kernel, ranges).verify();
}
