// Local memory cut into pieces such that each access touches whole ones.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_LOCALPIECES_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_LOCALPIECES_H

#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"
#include "llvm/ADT/DenseMap.h"

namespace attn::ascend {

/// Whether an access at a place that is not known is taken as one that covers all places it may be
/// at.
inline bool isWidened(const Access &access, const LocalPlace &place) {
  return place.begin != place.lastBegin && !access.toEnd && access.getExtentBytes() != 0;
}

/// The bytes that the same accesses touch are one piece, wherever they lie: what a strided
/// instruction touches is mostly a single one, however often it repeats. Pieces are cut when an
/// access comes to a place for the first time and are shared by all traces of a kernel, so that
/// what an access touches is mostly looked up.
class LocalPieces {
public:
  /// The number by which `getPieces` knows what an access at a place touches: where the place is
  /// not known, all that it may touch. `number` stands for the access.
  int32_t getFootprint(int32_t number, const LocalPlace &place, const Access &access);
  /// The pieces of a footprint; another footprint may cut them.
  llvm::ArrayRef<int32_t> getPieces(int32_t footprint) const { return footprints[footprint]; }
  /// For each piece the one, made earlier, that it was cut from, or -1 for bytes that nothing had
  /// touched before.
  llvm::ArrayRef<int32_t> getOrigins() const { return origins; }

private:
  struct Run {
    int64_t begin, end;
  };
  struct Interval {
    int64_t end;
    int32_t piece;
  };
  using Intervals = std::map<int64_t, Interval>;

  static void cut(Intervals &intervals, int64_t position);
  static llvm::SmallVector<Run> getRuns(const LocalPlace &place, const Access &access);
  int32_t makePiece(int32_t origin, int64_t bytes);
  void addFootprint(Intervals &intervals, llvm::ArrayRef<Run> runs);

  /// Where an access has been, and its footprint there.
  struct Known {
    int64_t begin, lastBegin, end;
    int32_t footprint;
  };
  std::vector<llvm::SmallVector<Known, 2>> known; // by access
  std::vector<llvm::SmallVector<int32_t, 4>> footprints;
  // By piece.
  std::vector<int32_t> origins;
  std::vector<int64_t> sizes;
  std::vector<llvm::SmallVector<int32_t, 4>> touching; // footprints
  /// Memories do not meet, so each has pieces of its own.
  std::array<Intervals, localMemoryCount> memories;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_LOCALPIECES_H
