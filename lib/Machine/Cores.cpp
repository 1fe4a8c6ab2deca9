// Lookups in the tables of memories and pipes.
#include "attn/Machine/Cores.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn;

namespace {

struct FlagPair {
  CoreKind core;
  CorePipe source, target;
};

constexpr LocalMemoryFacts memories[] = {
#define ATTN_MEMORY(member, key, core, bytes, usableBytes, alignment, source)                      \
  {LocalMemory::member, key, CoreKind::core, bytes, usableBytes, alignment, source},
#include "attn/Machine/Memories.def"
};

constexpr FlagPair flagPairs[] = {
#define ATTN_FLAG_PAIR(core, source, target) {CoreKind::core, CorePipe::source, CorePipe::target},
#include "attn/Machine/Pipes.def"
};

llvm::SmallVector<CorePipe> listPipes(CoreKind core) {
  llvm::SmallVector<CorePipe> pipes;
#define ATTN_PIPE(kind, pipe)                                                                      \
  if (core == CoreKind::kind)                                                                      \
    pipes.push_back(CorePipe::pipe);
#include "attn/Machine/Pipes.def"
  return pipes;
}

} // namespace

llvm::StringRef attn::getCoreName(CoreKind core) {
  return core == CoreKind::Cube ? "cube" : "vector";
}

llvm::ArrayRef<LocalMemoryFacts> attn::getLocalMemories() { return memories; }

const LocalMemoryFacts &attn::getFacts(LocalMemory memory) {
  return memories[static_cast<size_t>(memory)];
}

llvm::ArrayRef<CorePipe> attn::getPipes(CoreKind core) {
  static const llvm::SmallVector<CorePipe> vector = listPipes(CoreKind::Vector),
                                           cube = listPipes(CoreKind::Cube);
  return core == CoreKind::Cube ? cube : vector;
}

bool attn::hasPipe(CoreKind core, CorePipe pipe) {
  return llvm::is_contained(getPipes(core), pipe);
}

bool attn::hasFlags(CoreKind core, CorePipe source, CorePipe target) {
  return llvm::any_of(flagPairs, [&](const FlagPair &pair) {
    return pair.core == core && pair.source == source && pair.target == target;
  });
}
