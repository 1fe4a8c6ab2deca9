// Greedy colouring with neighbouring colours.
#include "EventColouring.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <vector>

using namespace attn::ascend;

std::optional<llvm::SmallVector<int64_t>>
attn::ascend::colourEvents(llvm::ArrayRef<int64_t> slots,
                           llvm::function_ref<bool(size_t, size_t)> haveConflict, int64_t limit) {
  llvm::SmallVector<int64_t> ids(slots.size(), -1);
  llvm::SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, slots.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-slots[a], a) < std::make_pair(-slots[b], b);
  });
  for (size_t event : order) {
    std::vector<bool> taken(limit);
    for (size_t other : order)
      if (ids[other] >= 0 && haveConflict(event, other))
        for (int64_t slot = 0; slot < slots[other]; ++slot)
          taken[ids[other] + slot] = true;
    for (int64_t first = 0; first + slots[event] <= limit && ids[event] < 0; ++first)
      if (llvm::none_of(llvm::seq(first, first + slots[event]),
                        [&](int64_t id) { return taken[id]; }))
        ids[event] = first;
    if (ids[event] < 0)
      return std::nullopt;
  }
  return ids;
}
