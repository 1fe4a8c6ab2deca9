// Threads that stay between launches.
#ifndef ATTN_CPU_RUNTIME_THREADPOOL_H
#define ATTN_CPU_RUNTIME_THREADPOOL_H

#include <cstdint>
#include <functional>

namespace attn::host {

using BlockFunction = std::function<void(int64_t)>;

/// Calls `work(0)` to `work(count - 1)`, each once, on up to `threads` threads of which the caller
/// is one. Returns when all are done. Launches by several callers take turns.
void runOnThreads(int64_t count, unsigned threads, const BlockFunction &work);

} // namespace attn::host

#endif // ATTN_CPU_RUNTIME_THREADPOOL_H
