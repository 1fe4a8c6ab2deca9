// A table of the pages of sequences, in memory.
#ifndef ATTN_PYTHON_PAGETABLE_H
#define ATTN_PYTHON_PAGETABLE_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attn::python {

/// Entries of 32 bits: the pages of each row, by its address and the distances of entries.
struct PageTable {
  uint64_t address;
  std::pair<int64_t, int64_t> strides;

  /// The first (row, column) of a page that does not exist, of `pages`, although the row has so
  /// many: one of `counts`.
  std::optional<std::pair<size_t, int64_t>> findWrong(const std::vector<int64_t> &counts,
                                                      int64_t pages) const {
    const auto *entries = reinterpret_cast<const int32_t *>(address);
    for (size_t row = 0; row < counts.size(); ++row)
      for (int64_t column = 0; column < counts[row]; ++column) {
        int64_t entry =
            entries[static_cast<int64_t>(row) * strides.first + column * strides.second];
        if (entry < 0 || entry >= pages)
          return std::pair(row, column);
      }
    return std::nullopt;
  }
};

} // namespace attn::python

#endif // ATTN_PYTHON_PAGETABLE_H
