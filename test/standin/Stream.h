// Streams and events: ordered queues of work, each with a thread of its own.
#ifndef ATTN_TEST_STANDIN_STREAM_H
#define ATTN_TEST_STANDIN_STREAM_H

#include "EntryPoint.h"
#include "Handles.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>

namespace attn::standin {

/// A queue of tasks that run one after the other. Its thread starts with the first task: a process
/// makes dozens of streams and uses few. An error stays with the stream; the tasks after it still
/// run.
class Stream : public std::enable_shared_from_this<Stream> {
public:
  using Task = std::function<Status()>;

  Stream(int device, int number) : device(device), number(number) {}

  /// A signal (the record of an event, a wait for one) is given even where an error has stopped the
  /// stream.
  void submit(Task task, bool isSignal = false);
  void stopOnError(bool stops);
  /// Waits until nothing is queued, for ever or so many milliseconds, and gives the stream's error.
  Status synchronize(std::optional<int> milliseconds = {});
  bool isIdle();

  const int device;
  const int number;

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Task, bool>> tasks;
  bool hasWorker = false;
  bool isBusy = false;
  bool stops = false;
  Status error;
};

/// Counts its records. A wait waits for those that were made before it, and for no later one.
class Event {
public:
  using Clock = std::chrono::steady_clock;

  uint64_t beginRecord();
  void finishRecord(uint64_t number);
  uint64_t recordCount();
  void waitFor(uint64_t number);
  bool isReached();
  /// When the last finished record was made.
  std::optional<Clock::time_point> time();

private:
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t begun = 0;
  uint64_t finished = 0;
  Clock::time_point finishedAt;
};

Handles<Stream> &streams();
Handles<Event> &events();

/// The device of the calling thread, or -1 where none was set.
int currentDevice();

/// The groups of one cube core and two vector cores that a device has.
int64_t countGroups();
/// The stream of a handle; null stands for the default stream of the thread's device.
std::shared_ptr<Stream> findStream(aclrtStream handle);
/// Puts a task into the stream of a handle, which must be of the thread's device.
aclError submit(aclrtStream handle, Stream::Task task, bool isSignal = false);

} // namespace attn::standin

#endif // ATTN_TEST_STANDIN_STREAM_H
