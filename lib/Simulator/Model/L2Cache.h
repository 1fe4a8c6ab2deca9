// What L2 holds: lines of GM, found and replaced by sectors, least recently used first.
#ifndef ATTN_LIB_SIMULATOR_MODEL_L2CACHE_H
#define ATTN_LIB_SIMULATOR_MODEL_L2CACHE_H

#include <cstdint>
#include <vector>

namespace attn::simulator {

/// Rows of GM that a transfer reads or writes.
struct GlobalRows {
  int64_t address = 0;
  int64_t rows = 0;
  int64_t rowBytes = 0;
  int64_t pitchBytes = 0;
  bool isWrite = false;
  bool bypassesL2 = false;
};

/// Which core touches them, and from when to when as far as the core goes.
struct TouchTime {
  int core = 0;
  double begin = 0;
  double cycles = 0;
};

/// What a transfer found, in lines.
struct L2Outcome {
  int64_t lines = 0;
  /// Read from HBM.
  int64_t missed = 0;
  /// Written to HBM: lines that had to make room, and those that bypass L2.
  int64_t writtenBack = 0;
  /// Lines that another core began to touch while this one would.
  int64_t contended = 0;
};

/// L2 of the chip, write-back and write-allocate. It knows every line, but keeps the order of use
/// by sectors: those of one row are used together, and a map of sectors is small enough for large
/// arrays. A line that is written is not read before, and what is left in it at the end of a launch
/// costs nothing.
class L2Cache {
public:
  /// `bytes` large, for addresses below `end`.
  L2Cache(int64_t bytes, int64_t end);

  L2Outcome touch(const GlobalRows &rows, const TouchTime &time);

private:
  /// A bit per line.
  using LineMask = uint8_t;

  struct Sector {
    /// In the order of use; -1 at the ends.
    int32_t older = -1;
    int32_t newer = -1;
    float lastTouch = -1;
    int16_t lastCore = -1;
    LineMask valid = 0;
    LineMask dirty = 0;
  };

  void touchSector(int32_t index, LineMask lines, const GlobalRows &rows, const TouchTime &time,
                   L2Outcome &outcome);
  void bypass(Sector &sector, LineMask lines, bool isWrite, L2Outcome &outcome);
  void makeNewest(int32_t index);
  void unlink(Sector &sector);
  /// Drops the oldest sectors until the lines fit.
  void makeRoom(L2Outcome &outcome);

  /// Sectors are made in chunks, when the first of them is touched: arrays may be large and touched
  /// in a few places.
  Sector &getSector(int32_t index);

  int64_t capacity;
  int64_t used = 0;
  int64_t lineCount;
  std::vector<std::vector<Sector>> chunks;
  int32_t oldest = -1;
  int32_t newest = -1;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_L2CACHE_H
