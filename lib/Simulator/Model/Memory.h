// The memories of the chip: bytes, which of them are undefined, and who touched them last.
#ifndef ATTN_LIB_SIMULATOR_MODEL_MEMORY_H
#define ATTN_LIB_SIMULATOR_MODEL_MEMORY_H

#include "IntervalMap.h"
#include "attn/Simulator/Model/Session.h"
#include <map>

namespace attn::simulator {

/// Where an undefined value came from: the first instruction that read it, and from what; none
/// where the bytes were never written.
struct Origin {
  int32_t instruction = -1;
  Memory memory = Memory::UB;
  int32_t object = -1;
};

/// A run of undefined bytes.
struct UndefinedRange {
  int64_t begin;
  int64_t end;
  Origin origin;
};

/// An instruction that touched bytes.
struct Toucher {
  int32_t instruction = -1;
  /// Through which buffer or array; buffers may share memory.
  int32_t object = -1;
  int32_t block = -1;
  /// How often all blocks had met before.
  uint32_t meetings = 0;
  uint32_t sequence = 0;
  /// Its pipe among those of all cores of the block, as clocks count them.
  int queue = 0;
  /// As of the touch.
  bool isOrdered = false;
};

/// A range of bytes that an instruction touched through one of its operands.
struct Touch {
  int operand;
  bool isWrite;
  int64_t begin;
  int64_t end;
  /// Whether its pipe itself keeps it in order with others of the kind.
  bool isOrdered = false;
};

/// Two touches of the same bytes without an order between them.
struct Conflict {
  Toucher earlier;
  bool earlierWrites;
  int64_t begin;
  int64_t end;
};

/// Who touched which bytes of a memory last, for finding races by happens-before.
class AccessHistory {
public:
  /// Adds a touch by `toucher`, which knows of the cores of its own block what `known` says and of
  /// other blocks what they did before all met; calls `report` for each conflict.
  void add(const Touch &touch, const Toucher &toucher, const Clock &known,
           llvm::function_ref<void(const Conflict &)> report);

  /// Forgets all of them: what follows is ordered after them.
  void clear() { records = {}; }

private:
  struct Record {
    Toucher writer;
    llvm::SmallVector<Toucher, 3> readers;
  };
  IntervalMap<Record> records;
};

/// One memory: a local memory of a core, or an array in GM.
class ByteMemory {
public:
  /// `size` bytes of its own, undefined.
  explicit ByteMemory(int64_t size);
  /// The caller's bytes, [begin, end) counted from `data`.
  ByteMemory(uint8_t *data, int64_t begin, int64_t end, bool isDefined);

  uint8_t *at(int64_t offset) { return data + offset; }

  void define(int64_t begin, int64_t end) {
    forgetBits(begin, end);
    undefined.erase(begin, end);
  }
  void undefine(int64_t begin, int64_t end, Origin origin) {
    forgetBits(begin, end);
    undefined.assign(begin, end, origin);
  }
  bool isDefined(int64_t begin, int64_t end) const { return !undefined.overlaps(begin, end); }
  void collectUndefined(int64_t begin, int64_t end,
                        llvm::SmallVectorImpl<UndefinedRange> &ranges) const;

  /// Bits of a byte, undefined where `bits` says: comparisons make them one by one. Read as a
  /// byte, it is undefined.
  void undefineBits(int64_t at, uint8_t bits, Origin origin);
  uint8_t getUndefinedBits(int64_t at) const;

  AccessHistory history;

private:
  void forgetBits(int64_t begin, int64_t end) {
    if (!undefinedBits.empty())
      undefinedBits.erase(undefinedBits.lower_bound(begin), undefinedBits.lower_bound(end));
  }

  std::vector<uint8_t> owned;
  uint8_t *data;
  IntervalMap<Origin> undefined;
  /// Of the undefined bytes, those of which only some bits are.
  std::map<int64_t, uint8_t> undefinedBits;
};

/// The local memories of a core, of true size. What the block before left there is nothing to rely
/// on.
class LocalMemories {
public:
  void reset(CoreKind core, const Chip &chip);
  ByteMemory &get(Memory memory) { return *memories[getIndex(memory)]; }

private:
  static size_t getIndex(Memory memory) {
    return static_cast<size_t>(*ascend::getLocalMemory(memory));
  }
  std::array<std::optional<ByteMemory>, localMemoryCount> memories;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_MEMORY_H
