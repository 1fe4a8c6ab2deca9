// What the accesses of instructions are put together from.
#include "AccessBuilding.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

std::optional<int64_t> ascend::getMostOf(Value amount, const IndexRanges &ranges) {
  constexpr int64_t limit = int64_t(1) << 40;
  std::optional<int64_t> bound = ranges.getUpperBound(amount);
  if (!bound || *bound > limit)
    return std::nullopt;
  return std::max<int64_t>(*bound, 0);
}

void ascend::addToEnd(Accesses &accesses, Value memory, bool isWrite) {
  accesses.push_back({memory, isWrite, /*toEnd=*/true});
}

void ascend::addRows(Accesses &accesses, Value memory, bool isWrite, std::optional<int64_t> rows,
                     int64_t rowBytes, int64_t pitchBytes) {
  if (!rows)
    return addToEnd(accesses, memory, isWrite);
  accesses.push_back({memory, isWrite, /*toEnd=*/false, rowBytes, {{*rows, pitchBytes}}});
}

void ascend::addCount(Accesses &accesses, Value memory, bool isWrite,
                      std::optional<int64_t> count) {
  if (!count)
    return addToEnd(accesses, memory, isWrite);
  accesses.push_back({memory, isWrite, /*toEnd=*/false, *count * getElementBytes(memory)});
}

void ascend::addGlobalRows(Accesses &accesses, Value global, bool isWrite, Value rows, Value length,
                           Value pitch) {
  addToEnd(accesses, global, isWrite);
  accesses.back().range = GlobalRange{length, {{rows, pitch}}};
}
