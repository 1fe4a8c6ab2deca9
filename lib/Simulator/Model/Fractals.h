// Where the elements of a matrix lie in memory: row by row, or in the fractals of cube cores.
#ifndef ATTN_LIB_SIMULATOR_MODEL_FRACTALS_H
#define ATTN_LIB_SIMULATOR_MODEL_FRACTALS_H

#include "Memory.h"
#include "attn/Machine/Architecture.h"

namespace attn::simulator {

/// How far index `i` of a row or column leads, in elements: groups of `size` indices lie `pitch`
/// apart, and in a group neighbours lie `step` apart.
struct Axis {
  int64_t size;
  int64_t pitch;
  int64_t step;

  int64_t at(int64_t i) const { return i / size * pitch + i % size * step; }
};

/// A layout in which row and column lead to an element on their own: all of the chip's do.
struct Layout {
  Axis rows;
  Axis cols;

  int64_t at(int64_t row, int64_t col) const { return rows.at(row) + cols.at(col); }
  /// Of the transpose in the same memory.
  Layout turn() const { return {cols, rows}; }
};

/// Rows one after the other.
inline Layout getRowMajor(int64_t pitch) { return {{1, pitch, 0}, {1, 1, 0}}; }

/// NZ, whose column blocks are `perBlock` columns wide and have room for `room` rows.
inline Layout getNZ(int64_t room, int64_t perBlock) {
  return {{1, perBlock, 0}, {perBlock, room * perBlock, 1}};
}

/// ZZ of a matrix with `cols` columns.
inline Layout getZZ(int64_t cols, int64_t perBlock) {
  int64_t fractal = architecture::fractalRows * perBlock;
  int64_t fractals = (cols + perBlock - 1) / perBlock;
  return {{architecture::fractalRows, fractals * fractal, perBlock}, {perBlock, fractal, 1}};
}

/// ZN of a matrix with `cols` columns, sums going along its rows.
inline Layout getZN(int64_t cols, int64_t perBlock) {
  int64_t fractal = architecture::fractalRows * perBlock;
  int64_t fractals = (cols + architecture::fractalRows - 1) / architecture::fractalRows;
  return {{perBlock, fractals * fractal, 1}, {architecture::fractalRows, fractal, perBlock}};
}

/// One fractal, or the two of a square, `pitch` elements apart.
inline Layout getSquare(int64_t pitch, int64_t perBlock) {
  return {{architecture::fractalRows, pitch, perBlock}, {perBlock, pitch, 1}};
}

/// Which of the elements in a part of a memory hold no value.
class UndefinedElements {
public:
  /// Of `count` elements from byte `begin` on.
  UndefinedElements(const ByteMemory &memory, int64_t begin, int64_t count, int64_t elementBytes);

  bool empty() const { return ranges.empty(); }
  /// The bytes that leave an element without a value; null where it has one.
  const UndefinedRange *find(int64_t element) const {
    return ranges.empty() || ids[element] < 0 ? nullptr : &ranges[ids[element]];
  }

private:
  llvm::SmallVector<UndefinedRange> ranges;
  /// Per element the range it lies in, or -1; not filled without any range.
  std::vector<int32_t> ids;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_FRACTALS_H
