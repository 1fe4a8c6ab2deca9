// The kinds of cores of a chip: their memories, their pipes and the flags between pipes, as tables.
#ifndef ATTN_MACHINE_CORES_H
#define ATTN_MACHINE_CORES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace attn {

/// A group of the chip is one cube core (AIC) and two vector cores (AIV). Cores share nothing but
/// GM and the flags between cores.
enum class CoreKind { Vector, Cube };
constexpr int coreKindCount = 2;

/// "vector" or "cube".
llvm::StringRef getCoreName(CoreKind core);

/// A local memory; GM is none.
enum class LocalMemory {
#define ATTN_MEMORY(member, key, core, bytes, usableBytes, alignment, source) member,
#include "attn/Machine/Memories.def"
};
#define ATTN_MEMORY(member, key, core, bytes, usableBytes, alignment, source) +1
constexpr int localMemoryCount = 0
#include "attn/Machine/Memories.def"
    ;

/// A row of Memories.def.
struct LocalMemoryFacts {
  LocalMemory memory;
  /// As the IR spells it: "ub".
  llvm::StringLiteral name;
  CoreKind core;
  int64_t bytes;
  /// Of a real chip; a module may declare another size (`Chip::getUsableBytes`).
  int64_t usableBytes;
  /// Addresses are multiples of this.
  int64_t alignment;
  llvm::StringLiteral source;
};
llvm::ArrayRef<LocalMemoryFacts> getLocalMemories();
const LocalMemoryFacts &getFacts(LocalMemory memory);

/// The instruction queues of a core; no kind of core has all of them.
enum class CorePipe { S, V, M, MTE1, MTE2, MTE3, FIX };
constexpr int corePipeCount = 7;

/// The pipes that a kind of core has, S first.
llvm::ArrayRef<CorePipe> getPipes(CoreKind core);
bool hasPipe(CoreKind core, CorePipe pipe);

/// Whether a pipe can set flags for another one. Where it cannot, a barrier of all pipes orders
/// them.
bool hasFlags(CoreKind core, CorePipe source, CorePipe target);

} // namespace attn

#endif // ATTN_MACHINE_CORES_H
