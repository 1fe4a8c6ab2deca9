// Packs buffers with lifetimes into one memory: used to estimate a plan (fit-tiles) and to make it
// (plan-memory), so that both count the same bytes.
#ifndef ATTN_SUPPORT_INTERVALPACKING_H
#define ATTN_SUPPORT_INTERVALPACKING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace attn {

/// A buffer that is alive from position `begin` to position `end`, both included.
struct LiveInterval {
  int64_t bytes;
  int64_t begin;
  int64_t end;
};

struct Packing {
  /// The first byte of each interval, in the order given.
  llvm::SmallVector<int64_t> offsets;
  /// One past the highest byte used.
  int64_t bytes = 0;
};

/// Gives each interval an offset that is a multiple of `alignment`, so that intervals alive at the
/// same time do not overlap. Largest first, each at the lowest place that is free over its whole
/// life.
Packing packIntervals(llvm::ArrayRef<LiveInterval> intervals, int64_t alignment);

} // namespace attn

#endif // ATTN_SUPPORT_INTERVALPACKING_H
