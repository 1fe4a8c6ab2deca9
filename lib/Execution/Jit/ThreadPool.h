// Threads that stay between launches.
#ifndef ATTN_EXECUTION_JIT_THREADPOOL_H
#define ATTN_EXECUTION_JIT_THREADPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace attn::jit {

/// Calls `work(0)` to `work(count - 1)`, each once, on up to `threads` threads of which the caller
/// is one. Returns when all are done. Launches by several callers take turns.
void runOnThreads(int64_t count, unsigned threads, llvm::function_ref<void(int64_t)> work);

} // namespace attn::jit

#endif // ATTN_EXECUTION_JIT_THREADPOOL_H
