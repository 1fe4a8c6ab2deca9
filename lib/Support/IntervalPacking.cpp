// First fit, largest first.
#include "attn/Support/IntervalPacking.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace attn;

Packing attn::packIntervals(llvm::ArrayRef<LiveInterval> intervals, int64_t alignment) {
  llvm::SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, intervals.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-intervals[a].bytes, a) < std::make_pair(-intervals[b].bytes, b);
  });

  Packing packing;
  packing.offsets.resize(intervals.size());
  llvm::SmallVector<size_t> placed; // sorted by offset
  for (size_t current : order) {
    const LiveInterval &interval = intervals[current];
    int64_t offset = 0;
    for (size_t other : placed) {
      bool meets = intervals[other].begin <= interval.end && interval.begin <= intervals[other].end;
      if (!meets)
        continue;
      if (offset + interval.bytes <= packing.offsets[other])
        break;
      int64_t after = packing.offsets[other] + intervals[other].bytes;
      offset = std::max<int64_t>(offset, llvm::alignTo(after, alignment));
    }
    packing.offsets[current] = offset;
    packing.bytes = std::max(packing.bytes, offset + interval.bytes);
    auto place = llvm::upper_bound(placed, offset, [&](int64_t value, size_t other) {
      return value < packing.offsets[other];
    });
    placed.insert(place, current);
  }
  return packing;
}
