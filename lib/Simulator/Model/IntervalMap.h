// A map from byte ranges to values, for the shadow state of the simulator's memories.
#ifndef ATTN_LIB_SIMULATOR_MODEL_INTERVALMAP_H
#define ATTN_LIB_SIMULATOR_MODEL_INTERVALMAP_H

#include <cstdint>
#include <map>

namespace attn::simulator {

/// Half-open ranges that do not overlap, each with a value. Ranges without an entry have none.
template <typename T> class IntervalMap {
public:
  struct Entry {
    int64_t end;
    T value;
  };

  bool empty() const { return entries.empty(); }

  /// Calls `visit(begin, end, value)` for the parts of entries inside [begin, end), in order; stops
  /// and returns false once a call does.
  template <typename Visit> bool visit(int64_t begin, int64_t end, Visit visit) const {
    if (begin >= end)
      return true;
    for (auto it = firstEndingAfter(begin); it != entries.end() && it->first < end; ++it)
      if (!visit(std::max(it->first, begin), std::min(it->second.end, end), it->second.value))
        return false;
    return true;
  }

  bool overlaps(int64_t begin, int64_t end) const {
    auto it = firstEndingAfter(begin);
    return begin < end && it != entries.end() && it->first < end;
  }

  /// Removes what is known of [begin, end).
  void erase(int64_t begin, int64_t end) {
    if (!overlaps(begin, end))
      return;
    splitAt(begin);
    splitAt(end);
    entries.erase(entries.lower_bound(begin), entries.lower_bound(end));
  }

  void assign(int64_t begin, int64_t end, T value) {
    if (begin >= end)
      return;
    erase(begin, end);
    entries.emplace(begin, Entry{end, std::move(value)});
  }

  /// Calls `update(begin, end, value)` for every part of [begin, end), after entries were cut at
  /// its ends and gaps were filled with default values.
  template <typename Update> void update(int64_t begin, int64_t end, Update update) {
    if (begin >= end)
      return;
    splitAt(begin);
    splitAt(end);
    auto it = entries.lower_bound(begin);
    for (int64_t at = begin; at < end; ++it) {
      int64_t next = it == entries.end() ? end : std::min(it->first, end);
      if (at < next)
        it = entries.emplace_hint(it, at, Entry{next, T()});
      update(it->first, it->second.end, it->second.value);
      at = it->second.end;
    }
  }

private:
  using Entries = std::map<int64_t, Entry>;

  typename Entries::const_iterator firstEndingAfter(int64_t at) const {
    auto it = entries.upper_bound(at);
    if (it != entries.begin() && std::prev(it)->second.end > at)
      --it;
    return it;
  }

  void splitAt(int64_t at) {
    auto it = entries.upper_bound(at);
    if (it == entries.begin())
      return;
    --it;
    if (it->first == at || it->second.end <= at)
      return;
    Entry tail = it->second;
    it->second.end = at;
    entries.emplace_hint(std::next(it), at, std::move(tail));
  }

  Entries entries;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_INTERVALMAP_H
