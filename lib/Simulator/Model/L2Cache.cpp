// What L2 holds, and what of a transfer it has.
#include "L2Cache.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace attn;
using namespace attn::simulator;
using architecture::l2LineBytes;

/// Lines per sector: as many as a mask has bits.
static constexpr int64_t linesPerSector = 8;
static constexpr int64_t sectorsPerChunk = 1000;

L2Cache::L2Cache(int64_t bytes, int64_t end)
    : capacity(bytes / l2LineBytes),
      lineCount(std::min<int64_t>(llvm::divideCeil(std::max<int64_t>(0, end), l2LineBytes),
                                  linesPerSector * std::numeric_limits<int32_t>::max())),
      chunks(llvm::divideCeil(lineCount, linesPerSector * sectorsPerChunk)) {}

L2Cache::Sector &L2Cache::getSector(int32_t index) {
  std::vector<Sector> &chunk = chunks[index / sectorsPerChunk];
  if (chunk.empty())
    chunk.resize(sectorsPerChunk);
  return chunk[index % sectorsPerChunk];
}

L2Outcome L2Cache::touch(const GlobalRows &rows, const TouchTime &time) {
  L2Outcome outcome;
  if (rows.rowBytes <= 0)
    return outcome;
  // What a wrong kernel touches beyond its arrays is a hazard, and no place of L2.
  int64_t count = std::min(rows.rows, architecture::maxNdRows);
  // Rows without a gap are one.
  bool isDense = rows.pitchBytes == rows.rowBytes;
  int64_t rowBytes = isDense ? rows.rowBytes * count : rows.rowBytes;
  for (int64_t row = 0; row < (isDense ? 1 : count); ++row) {
    int64_t begin = rows.address + row * rows.pitchBytes;
    int64_t line = std::max<int64_t>(0, begin / l2LineBytes);
    int64_t end = std::min(lineCount, llvm::divideCeilSigned(begin + rowBytes, l2LineBytes));
    while (line < end) {
      int64_t first = line % linesPerSector;
      int64_t lines = std::min(linesPerSector - first, end - line);
      touchSector(line / linesPerSector, llvm::maskTrailingOnes<LineMask>(lines) << first, rows,
                  time, outcome);
      line += lines;
    }
  }
  return outcome;
}

void L2Cache::touchSector(int32_t index, LineMask lines, const GlobalRows &rows,
                          const TouchTime &time, L2Outcome &outcome) {
  Sector &sector = getSector(index);
  int64_t count = llvm::popcount(lines);
  outcome.lines += count;
  double sinceLast = time.begin - sector.lastTouch;
  if (sector.lastCore >= 0 && sector.lastCore != time.core && sinceLast < time.cycles)
    outcome.contended += count;
  sector.lastCore = time.core;
  sector.lastTouch = time.begin;
  if (rows.bypassesL2)
    return bypass(sector, lines, rows.isWrite, outcome);
  LineMask missing = lines & ~sector.valid;
  bool wasEmpty = sector.valid == 0;
  if (!rows.isWrite)
    outcome.missed += llvm::popcount(missing);
  sector.valid |= lines;
  if (rows.isWrite)
    sector.dirty |= lines;
  if (!wasEmpty && newest != index)
    unlink(sector);
  if (newest != index)
    makeNewest(index);
  if (missing) {
    used += llvm::popcount(missing);
    makeRoom(outcome);
  }
}

void L2Cache::bypass(Sector &sector, LineMask lines, bool isWrite, L2Outcome &outcome) {
  if (!isWrite) {
    outcome.missed += llvm::popcount(static_cast<LineMask>(lines & ~sector.valid));
    return;
  }
  // What L2 has of them is overwritten there and in HBM.
  outcome.writtenBack += llvm::popcount(lines);
  sector.dirty &= ~lines;
}

void L2Cache::makeNewest(int32_t index) {
  Sector &sector = getSector(index);
  sector.older = newest;
  sector.newer = -1;
  (newest >= 0 ? getSector(newest).newer : oldest) = index;
  newest = index;
}

void L2Cache::unlink(Sector &sector) {
  (sector.older >= 0 ? getSector(sector.older).newer : oldest) = sector.newer;
  (sector.newer >= 0 ? getSector(sector.newer).older : newest) = sector.older;
}

void L2Cache::makeRoom(L2Outcome &outcome) {
  while (used > capacity && oldest != newest) {
    Sector &sector = getSector(oldest);
    used -= llvm::popcount(sector.valid);
    outcome.writtenBack += llvm::popcount(sector.dirty);
    unlink(sector);
    sector.valid = sector.dirty = 0;
  }
}
