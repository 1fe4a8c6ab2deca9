// Greedy colouring with neighbouring colours.
#include "EventColouring.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn::ascend;

void EventConflicts::raise(int32_t event, PipePair pair, llvm::function_ref<bool(int32_t)> isFree) {
  llvm::SmallVector<int32_t> &others = raised[pair];
  llvm::erase_if(others, [&](int32_t other) { return other == event || isFree(other); });
  for (int32_t other : others) {
    if (!known.insert(std::minmax(event, other)).second)
      continue;
    conflicts[event].push_back(other);
    conflicts[other].push_back(event);
  }
  others.push_back(event);
}

std::optional<llvm::SmallVector<int64_t>>
EventConflicts::colour(llvm::ArrayRef<int32_t> events,
                       llvm::function_ref<int64_t(int32_t)> getSlots, int64_t limit) const {
  auto order = llvm::to_vector(events);
  llvm::sort(order, [&](int32_t a, int32_t b) {
    return std::pair(-getSlots(a), a) < std::pair(-getSlots(b), b);
  });
  std::vector<int64_t> ids(conflicts.size(), -1);
  for (int32_t event : order) {
    std::vector<bool> taken(limit);
    for (int32_t other : conflicts[event])
      if (ids[other] >= 0)
        std::fill_n(taken.begin() + ids[other], getSlots(other), true);
    int64_t slots = getSlots(event), first = 0;
    while (first + slots <= limit &&
           llvm::any_of(llvm::seq(first, first + slots), [&](int64_t id) { return taken[id]; }))
      ++first;
    if (first + slots > limit)
      return std::nullopt;
    ids[event] = first;
  }
  return llvm::map_to_vector(events, [&](int32_t event) { return ids[event]; });
}
