// Threads that stay between launches and take the blocks of a launch one by one.
#include "ThreadPool.h"
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace attn::jit;

namespace {

class ThreadPool {
public:
  ~ThreadPool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isStopping = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  void run(int64_t count, unsigned helpers, llvm::function_ref<void(int64_t)> work) {
    std::lock_guard<std::mutex> turn(launch);
    while (threads.size() < helpers)
      threads.emplace_back([this, number = threads.size()] { help(number); });
    {
      std::lock_guard<std::mutex> lock(mutex);
      current = &work;
      end = count;
      next = 0;
      helperCount = helpers;
      running = helpers;
      ++generation;
    }
    wake.notify_all();
    takeBlocks();
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [&] { return running == 0; });
  }

private:
  void takeBlocks() {
    for (int64_t block = next++; block < end; block = next++)
      (*current)(block);
  }

  void help(size_t number) {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return isStopping || (generation != seen && number < helperCount); });
      if (isStopping)
        return;
      seen = generation;
      lock.unlock();
      takeBlocks();
      lock.lock();
      if (--running == 0)
        done.notify_one();
    }
  }

  std::mutex launch; // held for a whole launch
  std::mutex mutex;  // guards what is below, but not `next`
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  llvm::function_ref<void(int64_t)> *current = nullptr;
  int64_t end = 0;
  std::atomic<int64_t> next{0};
  size_t helperCount = 0, running = 0;
  uint64_t generation = 0;
  bool isStopping = false;
};

/// The pool of this process. A forked child has none of its parent's threads and starts its own;
/// the parent's pool is left alone there, as its threads cannot be joined.
ThreadPool &getPool() {
  static std::mutex mutex;
  static std::unique_ptr<ThreadPool> pool;
  static pid_t owner = 0;
  std::lock_guard<std::mutex> lock(mutex);
  if (owner != getpid()) {
    (void)pool.release();
    pool = std::make_unique<ThreadPool>();
    owner = getpid();
  }
  return *pool;
}

} // namespace

void attn::jit::runOnThreads(int64_t count, unsigned threads,
                             llvm::function_ref<void(int64_t)> work) {
  int64_t used = std::min<int64_t>(count, threads);
  if (used <= 1) {
    for (int64_t block = 0; block < count; ++block)
      work(block);
    return;
  }
  getPool().run(count, used - 1, work);
}
