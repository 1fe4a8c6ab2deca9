// The execution of vector instructions that broadcast, copy or reduce within UB.
#include "Execution.h"
#include "llvm/Support/MathExtras.h"

#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::ReduceKind;

void Execution::runCopy() {
  if (!checkAlignment() || !checkAmount(issued.amounts[0], "count"))
    return;
  // The copy moves whole data blocks: what is left of a count is not copied.
  int64_t bytes = llvm::alignDown(issued.amounts[0] * getElementBytes(0), blockBytes);
  Run run = {{issued.places[0].offset, issued.places[1].offset}, bytes / getElementBytes(0), 0};
  if (bytes == 0)
    return;
  touchRuns(run);
  if (!checkBounds() || !checkOwnOverlap(run))
    return;
  propagate(run, 1);
  std::memmove(local.at(run.offsets[0]), local.at(run.offsets[1]), bytes);
}

void Execution::runBrcb() {
  int64_t repeats = issued.amounts[0];
  if (!checkAlignment() || !checkRepeats(repeats))
    return;
  int64_t bytes = getElementBytes(0);
  int64_t dst = issued.places[0].offset, src = issued.places[1].offset;
  auto getBlock = [&](int64_t value) {
    return dst + blockBytes * (value / blocksPerRepeat * instruction.strides[1] +
                               value % blocksPerRepeat * instruction.strides[0]);
  };
  int64_t values = repeats * blocksPerRepeat;
  touch(1, /*isWrite=*/false, src, src + values * bytes);
  for (int64_t value = 0; value < values; ++value)
    touch(0, /*isWrite=*/true, getBlock(value), getBlock(value) + blockBytes);
  if (!checkBounds())
    return;
  for (const Touch &touch : touches)
    if (touch.isWrite && touch.begin < src + values * bytes && src < touch.end)
      return void(report(HazardKind::Overlap, "fills the place it reads from"));
  for (int64_t value = 0; value < values; ++value) {
    Run source = {{src + value * bytes}, 1, 0};
    propagateAny(getBlock(value), getBlock(value) + blockBytes, 1, source);
    for (int64_t at = 0; at < blockBytes; at += bytes)
      std::memcpy(local.at(getBlock(value) + at), local.at(src + value * bytes), bytes);
  }
}

void Execution::runTranspose() {
  int64_t repeats = issued.amounts[0];
  if (!checkAlignment() || !checkRepeats(repeats))
    return;
  constexpr int64_t rows = architecture::fractalRows;
  int64_t bytes = getElementBytes(0);
  // Strides are those of rows, then of repeats; the destination comes first.
  auto getRow = [&](int operand, int64_t square, int64_t row) {
    return issued.places[operand].offset + blockBytes * (row * instruction.strides[operand] +
                                                         square * instruction.strides[2 + operand]);
  };
  for (int operand : {0, 1})
    for (int64_t row = 0; row < repeats * rows; ++row) {
      int64_t begin = getRow(operand, row / rows, row % rows);
      touch(operand, /*isWrite=*/operand == 0, begin, begin + blockBytes);
    }
  if (!checkBounds())
    return;
  for (const Touch &read : touches)
    for (const Touch &write : touches)
      if (write.isWrite && !read.isWrite && write.begin < read.end && read.begin < write.end)
        return void(report(HazardKind::Overlap, "writes to the place it reads from"));
  for (int64_t square = 0; square < repeats; ++square)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < rows; ++col) {
        int64_t to = getRow(0, square, col) + row * bytes;
        int64_t from = getRow(1, square, row) + col * bytes;
        propagateAny(to, to + bytes, 1, Run{{from}, 1, 0});
        std::memcpy(local.at(to), local.at(from), bytes);
      }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static float combine(ReduceKind kind, float a, float b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Max:
    return maximum(a, b);
  case ReduceKind::Min:
    return minimum(a, b);
  }
  llvm_unreachable("all kinds are listed");
}

float Execution::reduceTree(MutableArrayRef<float> values) {
  auto kind = static_cast<ReduceKind>(instruction.kind);
  bool isHalf = instruction.elements[0] == Element::F16;
  while (values.size() > 1) {
    for (size_t pair = 0; pair < values.size() / 2; ++pair) {
      float value = combine(kind, values[2 * pair], values[2 * pair + 1]);
      values[pair] = isHalf ? widenF16(narrowF16(value, RoundMode::Rint)) : value;
    }
    if (values.size() % 2 == 1)
      values[values.size() / 2] = values.back();
    values = values.take_front((values.size() + 1) / 2);
  }
  return values.front();
}

/// The values of the lanes in `runs`, in order.
static SmallVector<float, 128> gather(ByteMemory &local, Element element, ArrayRef<Run> runs) {
  SmallVector<float, 128> values;
  for (const Run &run : runs)
    for (int64_t lane = 0; lane < run.lanes; ++lane)
      values.push_back(loadElement(element, local.at(run.offsets[0] + lane * getBytes(element))));
  return values;
}

void Execution::runWholeReduce() {
  int64_t repeats = issued.amounts[0], bytes = getElementBytes(0);
  if (!checkAlignment(/*exempt=*/0) || !checkRepeats(repeats))
    return;
  int64_t dst = issued.places[0].offset, dstStride = instruction.strides[0] * bytes;
  Walk walk = {issued.places[1].offset, bytes, instruction.strides[1] * blockBytes, 0};
  std::vector<SmallVector<Run, 8>> sources(repeats);
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    collectRuns(walk, 1, *instruction.mask, sources[repeat]);
    for (const Run &run : sources[repeat])
      touch(1, /*isWrite=*/false, run.offsets[0], run.offsets[0] + run.lanes * bytes);
    touch(0, /*isWrite=*/true, dst + repeat * dstStride, dst + repeat * dstStride + bytes);
    walk.address += instruction.strides[2] * blockBytes;
  }
  if (!checkBounds())
    return;
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t at = dst + repeat * dstStride;
    SmallVector<float, 128> values = gather(local, instruction.elements[1], sources[repeat]);
    propagateAny(at, at + bytes, 1, sources[repeat]);
    storeElement(instruction.elements[0], local.at(at), {0, reduceTree(values)});
  }
}

void Execution::runBlockReduce() {
  int64_t repeats = issued.amounts[0], bytes = getElementBytes(0);
  if (!checkAlignment() || !checkRepeats(repeats))
    return;
  int64_t lanesPerBlock = blockBytes / bytes;
  SmallVector<std::pair<int64_t, Run>> blocks;
  for (int64_t repeat = 0; repeat < repeats; ++repeat)
    for (int64_t block = 0; block * lanesPerBlock < *instruction.mask; ++block) {
      int64_t lanes = std::min(lanesPerBlock, *instruction.mask - block * lanesPerBlock);
      int64_t src = issued.places[1].offset +
                    blockBytes * (repeat * instruction.strides[2] + block * instruction.strides[1]);
      int64_t dst = issued.places[0].offset +
                    bytes * (repeat * instruction.strides[0] * blocksPerRepeat + block);
      blocks.push_back({dst, Run{{src}, lanes, repeat}});
      touch(1, /*isWrite=*/false, src, src + lanes * bytes);
      touch(0, /*isWrite=*/true, dst, dst + bytes);
    }
  if (!checkBounds())
    return;
  for (const auto &[dst, run] : blocks) {
    SmallVector<float, 128> values = gather(local, instruction.elements[1], run);
    propagateAny(dst, dst + bytes, 1, run);
    storeElement(instruction.elements[0], local.at(dst), {0, reduceTree(values)});
  }
}
