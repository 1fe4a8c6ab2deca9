// The execution of one instruction: touched bytes, checks and definedness, shared by all families.
#include "Execution.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

void Execution::run() {
  switch (instruction.opcode) {
  case Opcode::CopyIn:
    return runCopyIn();
  case Opcode::CopyOut:
    return runCopyOut();
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::MulAdd:
  case Opcode::Scalar:
  case Opcode::Bitwise:
  case Opcode::Cast:
  case Opcode::Duplicate:
    return runElementwise();
  case Opcode::Compare:
    return runCompare();
  case Opcode::Select:
    return runSelect();
  case Opcode::Copy:
    return runCopy();
  case Opcode::Brcb:
    return runBrcb();
  case Opcode::Transpose:
    return runTranspose();
  case Opcode::WholeReduce:
    return runWholeReduce();
  case Opcode::BlockReduce:
    return runBlockReduce();
  case Opcode::RowReduce:
    return runRowReduce();
  case Opcode::RowBinary:
  case Opcode::RowMulAdd:
    return runRowArithmetic();
  case Opcode::ColBinary:
    return runColBinary();
  case Opcode::NdToNz:
    return runNdToNz();
  case Opcode::Fill:
    return runFill();
  case Opcode::LoadFractals:
    return runLoadFractals();
  case Opcode::LoadTile:
    return runLoadTile();
  case Opcode::LoadSquares:
    return runLoadSquares();
  case Opcode::LoadBias:
    return runLoadBias();
  case Opcode::Mmad:
    return runMmad();
  case Opcode::FixOut:
    return runFixOut();
  case Opcode::Matmul:
    return runMatmul();
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::Barrier:
  case Opcode::SyncAll:
  case Opcode::CrossSet:
  case Opcode::CrossWait:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void simulator::collectRuns(ArrayRef<Walk> walks, int64_t repeats, int64_t mask,
                            SmallVectorImpl<Run> &runs) {
  if (repeats <= 0 || mask <= 0)
    return;
  int64_t widest = 1;
  bool isPlainRepeat = true, isPlain = true;
  for (const Walk &walk : walks) {
    widest = std::max(widest, walk.elementBytes);
    bool oneBlock = mask * walk.elementBytes <= blockBytes;
    isPlainRepeat &= oneBlock || walk.blockStride == blockBytes;
    isPlain &= walk.repeatStride == mask * walk.elementBytes;
  }
  // Where data blocks follow each other a whole repeat is one run, where repeats do all of them
  // are.
  int64_t lanesPerRun = isPlainRepeat ? mask : blockBytes / widest;
  bool joinRepeats = isPlainRepeat && isPlain;
  for (int64_t repeat = 0; repeat < (joinRepeats ? 1 : repeats); ++repeat)
    for (int64_t lane = 0; lane < mask; lane += lanesPerRun) {
      Run run = {{}, std::min(lanesPerRun, mask - lane), repeat};
      for (auto [index, walk] : llvm::enumerate(walks)) {
        int64_t lanesPerBlock = blockBytes / walk.elementBytes;
        run.offsets[index] = walk.address + repeat * walk.repeatStride +
                             lane / lanesPerBlock * walk.blockStride +
                             lane % lanesPerBlock * walk.elementBytes;
      }
      runs.push_back(run);
    }
  if (joinRepeats)
    runs.back().lanes = repeats * mask;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool Execution::report(HazardKind kind, const Twine &message) {
  log.report(kind, instruction, core, message);
  return false;
}

int64_t Execution::getAlignment(int operand) const {
  if (instruction.opcode == Opcode::FixOut && issued.places[operand].memory == Memory::L0C)
    return architecture::fixSourceAlignment;
  return getFacts(*ascend::getLocalMemory(issued.places[operand].memory)).alignment;
}

bool Execution::checkAlignment(int exempt) {
  for (int operand = 0; operand < instruction.getOperandCount(); ++operand) {
    const Place &place = issued.places[operand];
    if (!place.isLocal())
      continue;
    int64_t alignment = operand == exempt ? getElementBytes(operand) : getAlignment(operand);
    if (place.offset % alignment != 0)
      return report(HazardKind::Misaligned,
                    llvm::formatv("uses {0} at address {1} (byte {2} of it), not a multiple of {3}",
                                  log.describe(place.memory, place.object), place.offset,
                                  place.offset - log.getBase(place), alignment)
                        .str());
  }
  return true;
}

bool Execution::checkAmount(int64_t amount, StringRef what) {
  if (amount < 0)
    return report(HazardKind::Limit, "has a negative " + what + ", " + Twine(amount));
  // Anything larger leaves every buffer; what follows may then multiply without overflow.
  if (amount > getLocalBytes() || instruction.pitch > getLocalBytes())
    return report(HazardKind::OutOfBounds, "has a " + what + " of " + Twine(amount) +
                                               " at a pitch of " + Twine(instruction.pitch) +
                                               ", more than " + nameOf(localMemory) + " holds");
  return true;
}

bool Execution::checkRepeats(int64_t repeats) {
  constexpr int64_t maxStride = architecture::maxWideStride;
  if (repeats > chip.maxRepeats)
    return report(HazardKind::Limit, "has " + Twine(repeats) + " repeats; at most " +
                                         Twine(chip.maxRepeats) + " are possible");
  for (int64_t stride : instruction.strides)
    if (stride > maxStride)
      return report(HazardKind::Limit, "has the stride " + Twine(stride) + "; at most " +
                                           Twine(maxStride) + " is possible");
  return checkAmount(repeats, "repeat");
}

bool Execution::checkBounds() {
  for (const Touch &touch : touches) {
    const Place &place = issued.places[touch.operand];
    if (!place.isLocal() || (touch.begin >= place.begin && touch.end <= place.end))
      continue;
    int64_t begin = place.begin;
    std::string message = llvm::formatv(
        "{0} bytes {1} to {2} of {3}, which has {4}", touch.isWrite ? "writes" : "reads",
        touch.begin - begin, touch.end - 1 - begin, log.describe(place.memory, place.object),
        place.end - begin);
    touches.clear();
    return report(HazardKind::OutOfBounds, message);
  }
  return true;
}

bool Execution::checkOwnOverlap(ArrayRef<Run> runs) {
  for (int source = 1, count = instruction.getOperandCount(); source < count; ++source) {
    // Adding up into one place by repeat stride 0 is the one allowed form.
    bool accumulates = instruction.opcode == Opcode::Binary && source == 2 && instruction.mask &&
                       instruction.kind != static_cast<int>(ascend::BinaryKind::Div) &&
                       instruction.strides[3] == 0 && instruction.strides[5] == 0;
    bool inPlace =
        llvm::all_of(runs, [&](const Run &run) { return run.offsets[0] == run.offsets[source]; });
    if (inPlace && (accumulates || !instruction.mask || instruction.strides[count] != 0))
      continue;
    if (readsOwnResult(runs, source))
      return report(HazardKind::Overlap,
                    "reads in a later repeat what an earlier one of its own wrote, in " +
                        log.describe(localMemory, issued.places[source].object));
  }
  return true;
}

bool Execution::readsOwnResult(ArrayRef<Run> runs, int source) {
  IntervalMap<char> written;
  size_t added = 0;
  for (const Run &run : runs) {
    for (; runs[added].repeat < run.repeat; ++added)
      written.assign(runs[added].offsets[0],
                     runs[added].offsets[0] + runs[added].lanes * getElementBytes(0), 0);
    int64_t dst = run.offsets[0], src = run.offsets[source];
    int64_t srcEnd = src + run.lanes * getElementBytes(source);
    // Inside a run of several repeats the destination must not run ahead of the source.
    bool runsAhead = src < dst && dst < srcEnd && srcEnd - src > repeatBytes;
    if (runsAhead || written.overlaps(src, srcEnd))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void Execution::touch(int operand, bool isWrite, int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  // Neighbours become one.
  int &last = lastTouches[operand][isWrite];
  if (last >= 0 && begin >= touches[last].begin && begin <= touches[last].end) {
    touches[last].end = std::max(touches[last].end, end);
    return;
  }
  last = touches.size();
  touches.push_back({operand, isWrite, begin, end});
}

void Execution::touchRuns(ArrayRef<Run> runs) {
  for (const Run &run : runs)
    for (int operand = 0; operand < instruction.getOperandCount(); ++operand) {
      int64_t begin = run.offsets[operand], end = begin + run.lanes * getElementBytes(operand);
      touch(operand, /*isWrite=*/operand == 0, begin, end);
      if (operand == 0 && instruction.opcode == Opcode::MulAdd)
        touch(operand, /*isWrite=*/false, begin, end);
    }
}

ByteMemory &Execution::getMemory(int operand) {
  const Place &place = issued.places[operand];
  return place.isLocal() ? memories.get(place.memory) : arrays[place.object];
}

Memory Execution::findLocalMemory() const {
  auto places = ArrayRef(issued.places).take_front(instruction.getOperandCount());
  const Place *found = llvm::find_if(places, [](const Place &place) { return place.isLocal(); });
  assert(found != places.end() && "no path leads from GM to GM");
  return found->memory;
}

Origin Execution::follow(Origin origin, int operand) const {
  if (origin.instruction >= 0)
    return origin;
  const Place &place = issued.places[operand];
  return {instruction.number, place.memory, place.object};
}

void Execution::propagate(ArrayRef<Run> runs, ArrayRef<int> sources) {
  // Collected first: the destination may be one of the sources.
  SmallVector<UndefinedRange> spoiled, ranges;
  for (int source : sources) {
    for (const Run &run : runs) {
      int64_t bytes = getElementBytes(source), begin = run.offsets[source];
      ranges.clear();
      getMemory(source).collectUndefined(begin, begin + run.lanes * bytes, ranges);
      for (const UndefinedRange &range : ranges) {
        int64_t firstLane = (range.begin - begin) / bytes;
        int64_t endLane = llvm::divideCeil(range.end - begin, bytes);
        spoiled.push_back({run.offsets[0] + firstLane * getElementBytes(0),
                           run.offsets[0] + endLane * getElementBytes(0),
                           follow(range.origin, source)});
      }
    }
  }
  ByteMemory &destination = getMemory(0);
  for (const Touch &touch : touches)
    if (touch.operand == 0 && touch.isWrite)
      destination.define(touch.begin, touch.end);
  for (const UndefinedRange &range : spoiled)
    destination.undefine(range.begin, range.end, range.origin);
}

void Execution::propagateAny(int64_t begin, int64_t end, int source, ArrayRef<Run> sourceRuns) {
  SmallVector<UndefinedRange> ranges;
  for (const Run &run : sourceRuns)
    getMemory(source).collectUndefined(
        run.offsets[0], run.offsets[0] + run.lanes * getElementBytes(source), ranges);
  if (ranges.empty())
    return getMemory(0).define(begin, end);
  getMemory(0).undefine(begin, end, follow(ranges.front().origin, source));
}
