// A queue whose elements stay where they are until they are taken, in memory that is used again.
#ifndef ATTN_LIB_SIMULATOR_MODEL_RING_H
#define ATTN_LIB_SIMULATOR_MODEL_RING_H

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace attn::simulator {

/// First in, first out. A `std::deque` of large elements allocates for each of them.
template <typename T> class Ring {
public:
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  T &front() { return slots[first]; }
  const T &front() const { return slots[first]; }
  T &back() { return slots[getSlot(count - 1)]; }
  const T &back() const { return slots[getSlot(count - 1)]; }

  /// What `front` and `back` gave before may have moved.
  T &push_back(const T &element) {
    if (count == slots.size())
      grow();
    T &slot = slots[getSlot(count++)];
    slot = element;
    return slot;
  }
  void pop_front() {
    assert(count > 0 && "nothing to take");
    first = getSlot(1);
    --count;
  }

private:
  size_t getSlot(size_t position) const {
    size_t slot = first + position;
    return slot < slots.size() ? slot : slot - slots.size();
  }

  void grow() {
    std::vector<T> larger(slots.empty() ? 1 : 2 * slots.size());
    for (size_t position = 0; position < count; ++position)
      larger[position] = std::move(slots[getSlot(position)]);
    slots = std::move(larger);
    first = 0;
  }

  std::vector<T> slots;
  size_t first = 0;
  size_t count = 0;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_RING_H
