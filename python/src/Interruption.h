// Long work that Ctrl-C ends; part of attn._core.
#ifndef ATTN_PYTHON_INTERRUPTION_H
#define ATTN_PYTHON_INTERRUPTION_H

#include "llvm/Support/thread.h"
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <pybind11/pybind11.h>

namespace attn::python {

/// Counts work that runs although its caller has gone. A process that exits meanwhile does so
/// without taking down the libraries that the work still uses.
class AbandonedWork {
public:
  static void add();
  static void remove();
};

/// What `work` returns. Python runs signal handlers in its main thread and not in native code: so
/// the work, which must not touch Python, has a thread of its own, and this one waits and looks for
/// signals. What a handler raises, KeyboardInterrupt as a rule, is thrown at once; the work, told
/// by `cancel`, ends when it can. Call it without the interpreter lock.
template <typename Work, typename Cancel> auto runInterruptibly(Work work, Cancel cancel) {
  constexpr std::chrono::milliseconds betweenLooks(20);
  constexpr unsigned stackBytes = 64
                                  << 20; // Threads may have a small one where the main one has not.
  struct Shared {
    std::mutex mutex;
    std::condition_variable finished;
    std::optional<decltype(work())> result;
    bool isAbandoned = false;
  };
  auto shared = std::make_shared<Shared>();
  llvm::thread(std::optional<unsigned>(stackBytes), [shared, work = std::move(work)]() mutable {
    auto result = work();
    std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    if (shared->isAbandoned)
      AbandonedWork::remove();
    shared->finished.notify_one();
  }).detach();
  std::unique_lock lock(shared->mutex);
  while (!shared->finished.wait_for(lock, betweenLooks, [&] { return !!shared->result; })) {
    lock.unlock();
    {
      pybind11::gil_scoped_acquire interpreter;
      if (PyErr_CheckSignals() != 0) {
        std::lock_guard again(shared->mutex);
        if (!shared->result) {
          shared->isAbandoned = true;
          AbandonedWork::add();
          cancel();
        }
        throw pybind11::error_already_set();
      }
    }
    lock.lock();
  }
  return std::move(*shared->result);
}

} // namespace attn::python

#endif // ATTN_PYTHON_INTERRUPTION_H
