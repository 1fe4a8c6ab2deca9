// The execution of copies between GM and local memory (`DataCopyPad`, `DataCopy`).
#include "Execution.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

// Fields of the copy's parameters.
using architecture::maxCopyGapBytes;
using architecture::maxCopyRowBytes;
using architecture::maxCopyRows;

bool Execution::checkCopy(int64_t rows, int64_t length, int64_t pitch) {
  int64_t bytes = getElementBytes(0);
  if (rows < 0 || length < 0 || rows > maxCopyRows || length > maxCopyRowBytes / bytes)
    return report(
        HazardKind::Limit,
        llvm::formatv("moves {0} rows of {1} elements; at most {2} rows of {3} bytes are possible",
                      rows, length, maxCopyRows, maxCopyRowBytes)
            .str());
  // Only the copies of a vector core pad: the others move whole data blocks.
  if (localMemory != Memory::UB && (length * bytes % blockBytes != 0 || instruction.rightPad != 0))
    return report(HazardKind::Limit,
                  llvm::formatv("moves rows of {0} bytes and pads by {1} elements; only whole "
                                "blocks of {2} bytes go to {3}",
                                length * bytes, instruction.rightPad, blockBytes,
                                nameOf(localMemory))
                      .str());
  if (rows <= 1)
    return true;
  if (instruction.pitch > getLocalBytes())
    return report(HazardKind::OutOfBounds,
                  "has rows further apart than " + nameOf(localMemory) + " is large");
  int64_t gap = (pitch - length) * bytes;
  if (gap < 0 || gap > maxCopyGapBytes)
    return report(HazardKind::Limit,
                  llvm::formatv("has a gap of {0} bytes between rows in gm; 0 to {1} are possible",
                                gap, maxCopyGapBytes)
                      .str());
  int64_t localRowBytes = llvm::alignTo((length + instruction.rightPad) * bytes, blockBytes);
  if (instruction.pitch * bytes < localRowBytes)
    return report(HazardKind::Limit,
                  llvm::formatv("has rows of {0} bytes, with padding, at a pitch of {1} in {2}",
                                localRowBytes, instruction.pitch * bytes, nameOf(localMemory))
                      .str());
  return true;
}

bool Execution::checkArray(const Place &place, int64_t rows, int64_t length, int64_t pitch) {
  if (!place.hasIndices)
    return checkBytes(place, rows, length, pitch);
  const GlobalArray &global = launch.arrays[place.object];
  const Array &array = global.array;
  int last = array.shape.size() - 1;
  bool isInside = last >= 0;
  for (int axis = 0; axis <= last; ++axis)
    isInside &= place.indices[axis] >= 0 && place.indices[axis] < array.shape[axis];
  isInside = isInside && place.indices[last] + length <= array.shape[last];
  // Rows go along a dimension in steps of its stride.
  bool hasRows = rows == 1;
  for (int axis = 0; axis <= last && isInside; ++axis) {
    int64_t stride = array.strides[axis], extent = axis == last ? length : 1;
    if (stride > 0 && pitch % stride == 0)
      hasRows |= place.indices[axis] + (rows - 1) * (pitch / stride) + extent <= array.shape[axis];
  }
  if (isInside && hasRows)
    return true;
  std::string indices, shape;
  for (int axis = 0; axis <= last; ++axis) {
    indices += (axis ? ", " : "") + std::to_string(place.indices[axis]);
    shape += (axis ? "x" : "") + std::to_string(array.shape[axis]);
  }
  return report(
      HazardKind::OutOfBounds,
      llvm::formatv("moves {0} rows of {1} elements, {2} apart, at [{3}] of array \"{4}\" of "
                    "shape {5}",
                    rows, length, pitch, indices, global.name, shape)
          .str());
}

bool Execution::checkBytes(const Place &place, int64_t rows, int64_t length, int64_t pitch) {
  int64_t bytes = getElementBytes(0), begin = place.offset;
  int64_t end = begin + ((rows - 1) * pitch + length) * bytes;
  if (begin >= place.begin && end <= place.end)
    return true;
  return report(HazardKind::OutOfBounds,
                llvm::formatv("moves {0} rows of {1} elements, {2} apart, at bytes {3} to {4} of "
                              "{5}; the tensor has bytes {6} to {7}",
                              rows, length, pitch, begin, end - 1,
                              log.describe(place.memory, place.object), place.begin, place.end - 1)
                    .str());
}

void Execution::fillPadding(int64_t rowBegin, int64_t filledBytes, int64_t paddedBytes) {
  int64_t bytes = getElementBytes(0);
  // With padding asked for the filler is zero; without, a rest repeats the row's first element.
  for (int64_t at = filledBytes; at < paddedBytes; at += bytes) {
    if (instruction.rightPad > 0)
      std::memset(local.at(rowBegin + at), 0, bytes);
    else
      std::memcpy(local.at(rowBegin + at), local.at(rowBegin), bytes);
  }
  if (instruction.rightPad > 0)
    return local.define(rowBegin + filledBytes, rowBegin + paddedBytes);
  SmallVector<UndefinedRange> first;
  local.collectUndefined(rowBegin, rowBegin + bytes, first);
  if (!first.empty())
    local.undefine(rowBegin + filledBytes, rowBegin + paddedBytes, first.front().origin);
}

void Execution::runCopyIn() {
  auto [rows, length, pitch] = issued.amounts;
  if (!checkAlignment() || !checkCopy(rows, length, pitch) || rows == 0 || length == 0)
    return;
  int64_t bytes = getElementBytes(0), rowBytes = length * bytes;
  int64_t paddedBytes = llvm::alignTo(rowBytes + instruction.rightPad * bytes, blockBytes);
  if (!checkArray(issued.places[1], rows, length, pitch))
    return;
  SmallVector<Run> runs;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t dst = issued.places[0].offset + row * instruction.pitch * bytes;
    int64_t src = issued.places[1].offset + row * pitch * bytes;
    runs.push_back({{dst, src}, length, row});
    touch(1, /*isWrite=*/false, src, src + rowBytes);
    touch(0, /*isWrite=*/true, dst, dst + paddedBytes);
  }
  if (!checkBounds())
    return;
  propagate(runs, 1);
  for (const Run &run : runs) {
    std::memcpy(local.at(run.offsets[0]), getMemory(1).at(run.offsets[1]), rowBytes);
    fillPadding(run.offsets[0], rowBytes, paddedBytes);
  }
}

void Execution::runCopyOut() {
  auto [rows, length, pitch] = issued.amounts;
  if (!checkAlignment() || !checkCopy(rows, length, pitch) || rows == 0 || length == 0)
    return;
  int64_t bytes = getElementBytes(0), rowBytes = length * bytes;
  if (!checkArray(issued.places[0], rows, length, pitch))
    return;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t dst = issued.places[0].offset + row * pitch * bytes;
    int64_t src = issued.places[1].offset + row * instruction.pitch * bytes;
    touch(1, /*isWrite=*/false, src, src + rowBytes);
    touch(0, /*isWrite=*/true, dst, dst + rowBytes);
  }
  if (!checkBounds())
    return;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t dst = issued.places[0].offset + row * pitch * bytes;
    int64_t src = issued.places[1].offset + row * instruction.pitch * bytes;
    // What leaves the core becomes visible: here undefined values are a mistake.
    SmallVector<UndefinedRange> ranges;
    local.collectUndefined(src, src + rowBytes, ranges);
    if (!ranges.empty())
      log.reportUninitialised(instruction, issued.places[1], core, ranges.front());
    getMemory(0).define(dst, dst + rowBytes);
    std::memcpy(getMemory(0).at(dst), local.at(src), rowBytes);
  }
}
