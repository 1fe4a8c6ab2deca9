// What will happen on the cores of the chip, in the order of time.
#ifndef ATTN_LIB_SIMULATOR_MODEL_EVENTQUEUE_H
#define ATTN_LIB_SIMULATOR_MODEL_EVENTQUEUE_H

#include "Core.h"

namespace attn::simulator {

struct Event {
  double time;
  /// Events of one time come in the order they were made.
  uint64_t order;
  EventKind kind;
  int core;
  int index;

  bool isBefore(const Event &other) const {
    return time < other.time || (time == other.time && order < other.order);
  }
};

/// A heap whose first place stays free while what was taken is handled: mostly that makes one
/// event, which then sinks from there, and the heap is gone through once instead of twice.
class EventQueue {
public:
  bool empty() const { return heap.size() == static_cast<size_t>(isTaken); }

  /// The earliest event, which must be there.
  const Event &top() {
    close();
    return heap.front();
  }

  Event take() {
    close();
    isTaken = true;
    return heap.front();
  }

  void push(const Event &event) {
    if (std::exchange(isTaken, false))
      return sink(event);
    size_t at = heap.size();
    heap.push_back(event);
    for (; at > 0 && event.isBefore(heap[(at - 1) / arity]); at = (at - 1) / arity)
      heap[at] = heap[(at - 1) / arity];
    heap[at] = event;
  }

private:
  /// Events below each: fewer levels than a binary heap, and those beside each other in memory.
  static constexpr size_t arity = 4;

  /// Fills the first place again if nothing was pushed since the last event was taken.
  void close() {
    if (!std::exchange(isTaken, false))
      return;
    Event last = heap.back();
    heap.pop_back();
    if (!heap.empty())
      sink(last);
  }

  /// Puts an event into the first place, and from there to where it belongs.
  void sink(const Event &event) {
    size_t at = 0, count = heap.size();
    for (size_t below = 1; below < count; below = arity * at + 1) {
      size_t earliest = below, end = std::min(below + arity, count);
      for (size_t other = below + 1; other < end; ++other)
        if (heap[other].isBefore(heap[earliest]))
          earliest = other;
      if (!heap[earliest].isBefore(event))
        break;
      heap[at] = heap[earliest];
      at = earliest;
    }
    heap[at] = event;
  }

  std::vector<Event> heap;
  bool isTaken = false;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_EVENTQUEUE_H
