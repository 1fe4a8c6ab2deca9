// The execution of the way out of L0C: conversion, and the layout of the result.
#include "Execution.h"
#include "Fractals.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#pragma STDC FP_CONTRACT OFF

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using architecture::fractalRows;

/// The pipe holds a scale with fewer bits than a float has.
static float cutScale(float scale) {
  constexpr int dropped =
      std::numeric_limits<float>::digits - 1 - architecture::fixScaleFractionBits;
  return fromBits(toBits(scale) >> dropped << dropped);
}

/// Nearest, ties to even; what is too large or small becomes the last number there is, NaN zero.
static int8_t saturate(float value) {
  if (std::isnan(value))
    return 0;
  using Limits = std::numeric_limits<int8_t>;
  return static_cast<int8_t>(
      std::clamp<float>(std::nearbyint(value), Limits::min(), Limits::max()));
}

void Execution::storeConverted(uint8_t *dst, const uint8_t *src) const {
  Element to = instruction.elements[0];
  if (to == Element::Int32) {
    int32_t sum;
    std::memcpy(&sum, src, sizeof(sum));
    sum = instruction.isRelu ? std::max(sum, 0) : sum;
    std::memcpy(dst, &sum, sizeof(sum));
    return;
  }
  float value = AccessF32::load(src);
  if (instruction.elements[1] == Element::Int32) {
    int32_t sum;
    std::memcpy(&sum, src, sizeof(sum));
    value = static_cast<float>(sum);
  }
  if (instruction.isRelu)
    value = maximum(value, 0);
  if (instruction.scale)
    value *= cutScale(*instruction.scale);
  if (to == Element::Int8)
    *dst = static_cast<uint8_t>(saturate(value));
  else
    storeElement(to, dst, {0, value});
}

bool Execution::checkFixOut() {
  auto [rows, cols, pitch] = issued.amounts;
  int64_t mostRows = instruction.isFractal ? architecture::maxFixRowsNZ : architecture::maxFixRows;
  if (!checkAlignment() || !checkExtent(rows, "rows", mostRows) ||
      !checkExtent(cols, "columns", architecture::maxFixCols) ||
      !checkExtent(pitch, instruction.isFractal ? "rows of pitch" : "elements of pitch",
                   architecture::maxFixPitch) ||
      !checkRoom(rows, llvm::divideCeil(cols, fractalRows), issued.getRoom()))
    return false;
  if (instruction.isFractal && cols % fractalRows != 0)
    return report(HazardKind::Limit,
                  llvm::formatv("makes fractals of {0} columns; only multiples of {1} are possible",
                                cols, fractalRows)
                      .str());
  // Rows of the result, or its column blocks.
  bool overlaps =
      instruction.isFractal ? cols > fractalRows && pitch < rows : rows > 1 && pitch < cols;
  return !overlaps || report(HazardKind::Overlap,
                             llvm::formatv("makes {0} of {1} {2} at a pitch of {3}",
                                           instruction.isFractal ? "column blocks" : "rows",
                                           instruction.isFractal ? rows : cols,
                                           instruction.isFractal ? "rows" : "elements", pitch)
                                 .str());
}

void Execution::runFixOut() {
  auto [rows, cols, pitch] = issued.amounts;
  if (!checkFixOut() || rows == 0 || cols == 0)
    return;
  int64_t blocks = llvm::divideCeil(cols, fractalRows);
  // The result as runs of elements: rows, or the rows of a column block.
  int64_t runs = instruction.isFractal ? blocks : rows;
  int64_t runElements = instruction.isFractal ? rows * fractalRows : cols;
  int64_t runPitch = instruction.isFractal ? pitch * fractalRows : pitch;
  if (!issued.places[0].isLocal() && !checkArray(issued.places[0], runs, runElements, runPitch))
    return;
  int64_t bytes = getElementBytes(0), sumBytes = getElementBytes(1);
  int64_t dst = issued.places[0].offset, src = issued.places[1].offset;
  touchColumnBlocks(1, /*isWrite=*/false, rows, blocks, issued.getRoom(), fractalRows * sumBytes);
  for (int64_t run = 0; run < runs; ++run)
    touch(0, /*isWrite=*/true, dst + run * runPitch * bytes,
          dst + (run * runPitch + runElements) * bytes);
  if (!checkBounds())
    return;
  Layout from = getNZ(issued.getRoom(), fractalRows);
  Layout to = instruction.isFractal ? getNZ(pitch, fractalRows) : getRowMajor(pitch);
  ByteMemory &destination = getMemory(0), &source = getMemory(1);
  defineDestination();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      storeConverted(destination.at(dst + to.at(row, col) * bytes),
                     source.at(src + from.at(row, col) * sumBytes));
  UndefinedElements undefined(source, src, from.at(rows - 1, cols - 1) + 1, sumBytes);
  for (int64_t row = 0; row < rows && !undefined.empty(); ++row)
    for (int64_t col = 0; col < cols; ++col) {
      const UndefinedRange *range = undefined.find(from.at(row, col));
      if (!range)
        continue;
      int64_t begin = dst + to.at(row, col) * bytes;
      // What leaves the core becomes visible: there undefined values are a mistake.
      if (issued.places[0].isLocal())
        destination.undefine(begin, begin + bytes, follow(range->origin, 1));
      else
        return log.reportUninitialised(instruction, issued.places[1], core, *range);
    }
}
