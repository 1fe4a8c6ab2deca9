// Threads that stay between launches and take the blocks of a launch one by one: those of the
// OpenMP runtime that PyTorch has brought into the process, or else a pool of our own.
#include "ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace attn::host;

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

  void run(int64_t count, unsigned helpers, const BlockFunction &work) {
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
  const BlockFunction *current = nullptr;
  int64_t end = 0;
  std::atomic<int64_t> next{0};
  size_t helperCount = 0, running = 0;
  uint64_t generation = 0;
  bool isStopping = false;
};

/// How libgomp runs a function on a team of threads, the caller among them.
using RunOnTeam = void (*)(void (*function)(void *), void *data, unsigned threads, unsigned flags);

int findOpenMP(dl_phdr_info *library, size_t, void *found) {
  if (std::string_view(library->dlpi_name).find("libgomp") == std::string_view::npos)
    return 0;
  void *handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  *static_cast<void **>(found) = handle ? dlsym(handle, "GOMP_parallel") : nullptr;
  return *static_cast<void **>(found) != nullptr;
}

/// The OpenMP runtime that is loaded already, or null. Its threads spin for a while after each of
/// PyTorch's operations: a second pool would have to share the cores with them. A forked child must
/// not use its parent's team.
RunOnTeam getOpenMP() {
  static std::mutex mutex;
  static void *function = nullptr;
  static pid_t owner = 0;
  std::lock_guard<std::mutex> lock(mutex);
  if (!function) {
    dl_iterate_phdr(findOpenMP, static_cast<void *>(&function));
    owner = getpid();
  }
  return owner == getpid() ? reinterpret_cast<RunOnTeam>(function) : nullptr;
}

/// The blocks of a launch, for the threads of a team to take.
struct TeamLaunch {
  std::atomic<int64_t> next{0};
  int64_t end;
  const BlockFunction &work;

  static void takeBlocks(void *data) {
    auto &launch = *static_cast<TeamLaunch *>(data);
    for (int64_t block = launch.next++; block < launch.end; block = launch.next++)
      launch.work(block);
  }
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

void attn::host::runOnThreads(int64_t count, unsigned threads, const BlockFunction &work) {
  int64_t used = std::min<int64_t>(count, threads);
  if (used <= 1) {
    for (int64_t block = 0; block < count; ++block)
      work(block);
    return;
  }
  if (RunOnTeam runOnTeam = getOpenMP()) {
    TeamLaunch launch{{0}, count, work};
    return runOnTeam(TeamLaunch::takeBlocks, &launch, used, /*flags=*/0);
  }
  getPool().run(count, used - 1, work);
}
