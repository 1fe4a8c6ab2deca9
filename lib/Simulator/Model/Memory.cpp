// The memories of the chip: definedness of bytes and races between those who touch them.
#include "Memory.h"

using namespace attn;
using namespace attn::simulator;

void AccessHistory::add(const Touch &touch, const Toucher &toucher, const Clock &known,
                        llvm::function_ref<void(const Conflict &)> report) {
  auto isBefore = [&](const Toucher &earlier) {
    if (earlier.block != toucher.block)
      return earlier.meetings < toucher.meetings;
    if (earlier.sequence <= known[earlier.queue])
      return true;
    bool isOrdered = earlier.isOrdered && toucher.isOrdered;
    return earlier.queue == toucher.queue && (earlier.sequence == toucher.sequence || isOrdered);
  };
  records.update(touch.begin, touch.end, [&](int64_t begin, int64_t end, Record &record) {
    if (record.writer.instruction >= 0 && !isBefore(record.writer))
      report({record.writer, /*earlierWrites=*/true, begin, end});
    if (touch.isWrite) {
      for (const Toucher &reader : record.readers)
        if (!isBefore(reader))
          report({reader, /*earlierWrites=*/false, begin, end});
      record.writer = toucher;
      record.readers.clear();
      return;
    }
    for (Toucher &reader : record.readers)
      if (reader.block == toucher.block && reader.queue == toucher.queue) {
        reader = toucher;
        return;
      }
    record.readers.push_back(toucher);
  });
}

ByteMemory::ByteMemory(int64_t size) : owned(size, 0xff), data(owned.data()) {
  undefine(0, size, Origin());
}

ByteMemory::ByteMemory(uint8_t *data, int64_t begin, int64_t end, bool isDefined) : data(data) {
  if (!isDefined)
    undefine(begin, end, Origin());
}

void ByteMemory::collectUndefined(int64_t begin, int64_t end,
                                  llvm::SmallVectorImpl<UndefinedRange> &ranges) const {
  undefined.visit(begin, end, [&](int64_t from, int64_t to, const Origin &origin) {
    ranges.push_back({from, to, origin});
    return true;
  });
}

void ByteMemory::undefineBits(int64_t at, uint8_t bits, Origin origin) {
  define(at, at + 1);
  if (bits == 0)
    return;
  undefine(at, at + 1, origin);
  undefinedBits[at] = bits;
}

uint8_t ByteMemory::getUndefinedBits(int64_t at) const {
  if (isDefined(at, at + 1))
    return 0;
  auto found = undefinedBits.find(at);
  return found == undefinedBits.end() ? 0xff : found->second;
}

void LocalMemories::reset(CoreKind core, const Chip &chip) {
  for (const LocalMemoryFacts &facts : getLocalMemories())
    if (facts.core == core)
      memories[static_cast<size_t>(facts.memory)].emplace(chip.getUsableBytes(facts.memory));
}
