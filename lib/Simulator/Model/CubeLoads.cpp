// The execution of what brings matrices into the memories of a cube core, and of what lies there.
#include "Execution.h"
#include "Fractals.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using architecture::fractalBytes;
using architecture::fractalRows;

UndefinedElements::UndefinedElements(const ByteMemory &memory, int64_t begin, int64_t count,
                                     int64_t elementBytes) {
  memory.collectUndefined(begin, begin + count * elementBytes, ranges);
  if (ranges.empty())
    return;
  ids.assign(count, -1);
  for (auto [id, range] : llvm::enumerate(ranges))
    std::fill(ids.begin() + (range.begin - begin) / elementBytes,
              ids.begin() + llvm::divideCeil(range.end - begin, elementBytes), id);
}

//===----------------------------------------------------------------------===//
// Checks and touches
//===----------------------------------------------------------------------===//

bool Execution::checkExtent(int64_t amount, StringRef what, int64_t most) {
  if (amount >= 0 && amount <= most)
    return true;
  return report(HazardKind::Limit,
                llvm::formatv("has {0} {1}; 0 to {2} are possible", amount, what, most).str());
}

bool Execution::checkRoom(int64_t rows, int64_t blocks, int64_t room) {
  // A single column block may go on as far as its buffer.
  if (blocks <= 1 || rows <= room)
    return true;
  return report(
      HazardKind::Overlap,
      llvm::formatv("has {0} rows in column blocks that have room for {1}", rows, room).str());
}

int64_t Execution::getElementsPerBlock(int operand) const {
  return architecture::getElementsPerBlock(getElementBytes(operand));
}

void Execution::touchColumnBlocks(int operand, bool isWrite, int64_t rows, int64_t blocks,
                                  int64_t room, int64_t rowBytes) {
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t begin = issued.places[operand].offset + block * room * rowBytes;
    touch(operand, isWrite, begin, begin + rows * rowBytes);
  }
}

void Execution::defineDestination() {
  for (const Touch &touch : touches)
    if (touch.operand == 0 && touch.isWrite)
      getMemory(0).define(touch.begin, touch.end);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void Execution::moveRuns(ArrayRef<Run> runs) {
  propagate(runs, 1);
  for (const Run &run : runs)
    std::memcpy(getMemory(0).at(run.offsets[0]), getMemory(1).at(run.offsets[1]),
                run.lanes * getElementBytes(0));
}

/// dst[to.at(row, col)] = src[from.at(row, col)].
template <typename Word>
static void moveWords(uint8_t *dst, const Layout &to, const uint8_t *src, const Layout &from,
                      int64_t rows, int64_t cols) {
  for (int64_t col = 0; col < cols; ++col)
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(dst + to.at(row, col) * sizeof(Word), src + from.at(row, col) * sizeof(Word),
                  sizeof(Word));
}

void Execution::moveElements(int64_t dst, const Layout &to, int64_t src, const Layout &from,
                             int64_t rows, int64_t cols) {
  int64_t bytes = getElementBytes(0);
  ByteMemory &destination = getMemory(0), &source = getMemory(1);
  switch (bytes) {
  case 1:
    moveWords<uint8_t>(destination.at(dst), to, source.at(src), from, rows, cols);
    break;
  case 2:
    moveWords<uint16_t>(destination.at(dst), to, source.at(src), from, rows, cols);
    break;
  default:
    moveWords<uint32_t>(destination.at(dst), to, source.at(src), from, rows, cols);
  }
  UndefinedElements undefined(source, src, from.at(rows - 1, cols - 1) + 1, bytes);
  if (undefined.empty())
    return;
  for (int64_t col = 0; col < cols; ++col)
    for (int64_t row = 0; row < rows; ++row)
      if (const UndefinedRange *range = undefined.find(from.at(row, col))) {
        int64_t begin = dst + to.at(row, col) * bytes;
        destination.undefine(begin, begin + bytes, follow(range->origin, 1));
      }
}

//===----------------------------------------------------------------------===//
// Into L1
//===----------------------------------------------------------------------===//

void Execution::runNdToNz() {
  auto [rows, cols, pitch] = issued.amounts;
  if (!checkAlignment() || !checkExtent(rows, "rows", architecture::maxNdRows) ||
      !checkExtent(cols, "columns", architecture::maxNdCols) || rows == 0 || cols == 0)
    return;
  if (rows > 1 && (pitch < 1 || pitch > architecture::maxNdPitch)) {
    report(HazardKind::Limit,
           llvm::formatv("has rows {0} elements apart in gm; 1 to {1} are possible", pitch,
                         architecture::maxNdPitch)
               .str());
    return;
  }
  int64_t perBlock = getElementsPerBlock(0), blocks = llvm::divideCeil(cols, perBlock);
  if (!checkRoom(rows, blocks, instruction.pitch) ||
      !checkArray(issued.places[1], rows, cols, pitch))
    return;
  int64_t bytes = getElementBytes(0), dst = issued.places[0].offset, src = issued.places[1].offset;
  for (int64_t row = 0; row < rows; ++row)
    touch(1, /*isWrite=*/false, src + row * pitch * bytes, src + (row * pitch + cols) * bytes);
  touchColumnBlocks(0, /*isWrite=*/true, rows, blocks, instruction.pitch, blockBytes);
  if (!checkBounds())
    return;
  SmallVector<Run> runs;
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t row = 0; row < rows; ++row)
      runs.push_back({{dst + (block * instruction.pitch + row) * blockBytes,
                       src + (row * pitch + block * perBlock) * bytes},
                      std::min(perBlock, cols - block * perBlock),
                      row});
  // The last column block is filled up with zeros.
  if (cols % perBlock != 0)
    for (const Run &run : ArrayRef(runs).take_back(rows))
      std::memset(getMemory(0).at(run.offsets[0]), 0, blockBytes);
  moveRuns(runs);
}

void Execution::runFill() {
  auto [repeats, blocks, unused] = issued.amounts;
  if (!checkAlignment() || !checkExtent(repeats, "times", architecture::maxFillExtent) ||
      !checkExtent(blocks, "blocks", architecture::maxFillExtent) || repeats == 0 || blocks == 0)
    return;
  int64_t gap = instruction.pitch - blocks;
  if (repeats > 1 && (gap < 0 || gap > architecture::maxFillExtent)) {
    report(HazardKind::Limit,
           llvm::formatv("leaves a gap of {0} blocks from one time to the next; 0 to {1} are "
                         "possible",
                         gap, architecture::maxFillExtent)
               .str());
    return;
  }
  touchColumnBlocks(0, /*isWrite=*/true, blocks, repeats, instruction.pitch, blockBytes);
  if (!checkBounds())
    return;
  defineDestination();
  for (const Touch &touch : touches)
    for (int64_t at = touch.begin; at < touch.end; at += getElementBytes(0))
      storeElement(instruction.elements[0], getMemory(0).at(at), issued.scalar);
}

//===----------------------------------------------------------------------===//
// Into L0 and the bias table
//===----------------------------------------------------------------------===//

void Execution::runLoadFractals() {
  int64_t repeats = issued.amounts[0];
  if (!checkAlignment() || !checkRepeats(repeats) || repeats == 0)
    return;
  SmallVector<Run> runs;
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    Run run = {{}, fractalBytes / getElementBytes(0), repeat};
    for (int operand = 0; operand < instruction.getOperandCount(); ++operand)
      run.offsets[operand] =
          issued.places[operand].offset + repeat * instruction.strides[operand] * fractalBytes;
    runs.push_back(run);
  }
  touchRuns(runs);
  if (!checkBounds())
    return;
  if (!instruction.transposes)
    return moveRuns(runs);
  defineDestination();
  int64_t perBlock = getElementsPerBlock(0);
  Layout fractal = getRowMajor(perBlock);
  for (const Run &run : runs)
    moveElements(run.offsets[0], fractal.turn(), run.offsets[1], fractal, fractalRows, perBlock);
}

void Execution::runLoadTile() {
  auto [rows, cols, unused] = issued.amounts;
  bool isRight = issued.places[0].memory == Memory::L0B;
  bool turns = instruction.transposes || isRight;
  int64_t perBlock = getElementsPerBlock(0), bytes = getElementBytes(0);
  // What is turned over comes in squares.
  int64_t side = std::max(fractalRows, perBlock);
  int64_t rowUnit = turns ? side : fractalRows, colUnit = turns ? side : perBlock;
  if (!checkAlignment() || !checkAmount(rows, "number of rows") ||
      !checkAmount(cols, "number of columns"))
    return;
  if (rows % rowUnit != 0 || cols % colUnit != 0) {
    report(HazardKind::Limit, llvm::formatv("takes {0} rows of {1} elements; only multiples of "
                                            "{2} and {3} are possible",
                                            rows, cols, rowUnit, colUnit)
                                  .str());
    return;
  }
  int64_t blocks = cols / perBlock;
  if (rows == 0 || cols == 0 || !checkRoom(rows, blocks, instruction.pitch))
    return;
  int64_t dst = issued.places[0].offset, src = issued.places[1].offset;
  touchColumnBlocks(1, /*isWrite=*/false, rows, blocks, instruction.pitch, blockBytes);
  touch(0, /*isWrite=*/true, dst, dst + rows * cols * bytes);
  if (!checkBounds())
    return;
  Layout from = getNZ(instruction.pitch, perBlock);
  if (turns) {
    defineDestination();
    Layout to = isRight ? getZN(cols, perBlock) : getZZ(rows, perBlock).turn();
    return moveElements(dst, to, src, from, rows, cols);
  }
  Layout to = getZZ(cols, perBlock);
  SmallVector<Run> runs;
  for (int64_t row = 0; row < rows; row += fractalRows)
    for (int64_t col = 0; col < cols; col += perBlock)
      runs.push_back({{dst + to.at(row, col) * bytes, src + from.at(row, col) * bytes},
                      fractalRows * perBlock,
                      0});
  moveRuns(runs);
}

void Execution::runLoadSquares() {
  int64_t repeats = issued.amounts[0];
  if (!checkAlignment() || !checkRepeats(repeats) || repeats == 0)
    return;
  int64_t perBlock = getElementsPerBlock(0), side = std::max(fractalRows, perBlock);
  int64_t fractals = side * side * getElementBytes(0) / fractalBytes;
  auto getBegin = [&](int operand, int64_t repeat) {
    return issued.places[operand].offset +
           repeat * instruction.strides[operand] * fractalBytes * (operand == 1 ? fractals : 1);
  };
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t dst = getBegin(0, repeat), src = getBegin(1, repeat);
    touch(1, /*isWrite=*/false, src, src + fractals * fractalBytes);
    // Not joined with fractals of another square, which may be neighbours by chance.
    for (int64_t fractal = 0; fractal < fractals; ++fractal) {
      int64_t begin = dst + fractal * instruction.strides[2] * fractalBytes;
      touches.push_back({0, /*isWrite=*/true, begin, begin + fractalBytes});
    }
  }
  if (!checkBounds())
    return;
  defineDestination();
  int64_t fractalElements = fractalRows * perBlock;
  Layout from = getSquare(fractalElements, perBlock);
  Layout to = getSquare(instruction.strides[2] * fractalElements, perBlock).turn();
  for (int64_t repeat = 0; repeat < repeats; ++repeat)
    moveElements(getBegin(0, repeat), to, getBegin(1, repeat), from, side, side);
}

void Execution::runLoadBias() {
  int64_t count = issued.amounts[0], bytes = getElementBytes(0);
  if (!checkAlignment() || !checkAmount(count, "count") || count == 0)
    return;
  if (count * bytes % architecture::biasBlockBytes != 0) {
    report(HazardKind::Limit,
           llvm::formatv("moves {0} bytes; only whole blocks of {1} go to {2}", count * bytes,
                         architecture::biasBlockBytes, nameOf(issued.places[0].memory))
               .str());
    return;
  }
  Run run = {{issued.places[0].offset, issued.places[1].offset}, count, 0};
  touchRuns(run);
  if (checkBounds())
    moveRuns(run);
}
