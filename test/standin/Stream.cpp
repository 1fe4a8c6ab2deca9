// The queues of streams, the counts of events, and their entry points.
#include "Stream.h"
#include <algorithm>
#include <map>
#include <thread>

using namespace attn::standin;

namespace {

std::atomic<int> streamCount = 0;

std::shared_ptr<Stream> makeStream(int device) {
  return std::make_shared<Stream>(device, streamCount++);
}

aclError unknownStream() { return fail(InvalidHandle, "this is not a stream"); }
aclError unknownEvent() { return fail(InvalidHandle, "this is not an event"); }
aclError noDevice() { return fail(NoContext, "the thread has set no device"); }

template <typename Table> Table &leaked() {
  static auto *table = new Table; // used while the process is ending
  return *table;
}

aclError synchronize(aclrtStream stream, std::optional<int> milliseconds) {
  std::shared_ptr<Stream> found = findStream(stream);
  return found ? report(found->synchronize(milliseconds)) : unknownStream();
}

aclError synchronizeDevice(std::optional<int> milliseconds) {
  if (currentDevice() < 0)
    return noDevice();
  Status first;
  for (const std::shared_ptr<Stream> &stream : streams().all())
    if (stream->device == currentDevice())
      if (Status status = stream->synchronize(milliseconds); first.code == Success)
        first = status;
  return report(first);
}

// A time-out that is negative means none.
std::optional<int> timeout(int32_t milliseconds) {
  return milliseconds < 0 ? std::nullopt : std::optional<int>(milliseconds);
}

aclError createStream(aclrtStream *stream) {
  if (currentDevice() < 0)
    return noDevice();
  *stream = streams().add(makeStream(currentDevice()));
  return Success;
}

aclError createEvent(aclrtEvent *event) {
  *event = events().add(std::make_shared<Event>());
  return Success;
}

} // namespace

// Streams

void Stream::submit(Task task, bool isSignal) {
  std::lock_guard lock(mutex);
  tasks.emplace_back(std::move(task), isSignal);
  if (!hasWorker) {
    hasWorker = true;
    // The thread keeps the stream alive and sleeps until the process ends.
    std::thread([self = shared_from_this()] { self->work(); }).detach();
  }
  changed.notify_all();
}

void Stream::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return !tasks.empty(); });
    auto [task, isSignal] = std::move(tasks.front());
    tasks.pop_front();
    isBusy = true;
    bool runs = isSignal || !stops || error.code == Success;
    lock.unlock();
    Status status = runs ? task() : Status();
    task = nullptr; // what it kept alive goes before anyone hears that it is done
    lock.lock();
    isBusy = false;
    if (error.code == Success)
      error = std::move(status);
    changed.notify_all();
  }
}

void Stream::stopOnError(bool wanted) {
  std::lock_guard lock(mutex);
  stops = wanted;
}

Status Stream::synchronize(std::optional<int> milliseconds) {
  std::unique_lock lock(mutex);
  auto isDone = [&] { return tasks.empty() && !isBusy; };
  if (!milliseconds)
    changed.wait(lock, isDone);
  else if (!changed.wait_for(lock, std::chrono::milliseconds(*milliseconds), isDone))
    return {StreamTimeout, "the stream was not done in time"};
  return error;
}

bool Stream::isIdle() {
  std::lock_guard lock(mutex);
  return tasks.empty() && !isBusy;
}

Handles<Stream> &attn::standin::streams() { return leaked<Handles<Stream>>(); }
Handles<Event> &attn::standin::events() { return leaked<Handles<Event>>(); }

std::shared_ptr<Stream> attn::standin::findStream(aclrtStream handle) {
  if (handle)
    return streams().find(handle);
  if (currentDevice() < 0)
    return nullptr;
  static auto *defaults = new std::map<int, std::shared_ptr<Stream>>;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::shared_ptr<Stream> &stream = (*defaults)[currentDevice()];
  if (!stream) {
    stream = makeStream(currentDevice());
    streams().add(stream);
  }
  return stream;
}

/// What a captured graph has: work that is kept instead of run, and runs as often as it is
/// replayed.
struct Recording {
  std::mutex mutex;
  bool isOn = false;
  std::vector<Stream::Task> tasks;
};

static Recording &recording() {
  static auto *kept = new Recording;
  return *kept;
}

aclError attn::standin::submit(aclrtStream handle, Stream::Task task, bool isSignal) {
  std::shared_ptr<Stream> stream = findStream(handle);
  if (!stream)
    return unknownStream();
  if (stream->device != currentDevice())
    return fail(NoContext, "the stream belongs to another device than the thread's");
  if (!isSignal) {
    std::lock_guard lock(recording().mutex);
    if (recording().isOn) {
      recording().tasks.push_back(std::move(task));
      return Success;
    }
  }
  stream->submit(std::move(task), isSignal);
  return Success;
}

/// For tests: from here on work is recorded, after what was recorded before is forgotten.
ATTN_EXPORT void attn_standin_record() {
  std::lock_guard lock(recording().mutex);
  recording().tasks.clear();
  recording().isOn = true;
}

/// Ends a recording, and tells how many tasks it has.
ATTN_EXPORT size_t attn_standin_end_record() {
  std::lock_guard lock(recording().mutex);
  recording().isOn = false;
  return recording().tasks.size();
}

ATTN_EXPORT aclError attn_standin_replay(aclrtStream handle) {
  std::vector<Stream::Task> tasks;
  {
    std::lock_guard lock(recording().mutex);
    tasks = recording().tasks;
  }
  for (Stream::Task &task : tasks)
    if (aclError error = submit(handle, std::move(task)))
      return error;
  return Success;
}

ATTN_EXPORT aclError aclrtCreateStream(aclrtStream *stream) {
  ATTN_ENTRY();
  return createStream(stream);
}

ATTN_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                                 uint32_t flag) {
  ATTN_ENTRY();
  return createStream(stream);
}

ATTN_EXPORT aclError aclrtDestroyStream(aclrtStream stream) {
  ATTN_ENTRY();
  std::shared_ptr<Stream> found = streams().remove(stream);
  return found ? report(found->synchronize()) : unknownStream();
}

ATTN_EXPORT aclError aclrtDestroyStreamForce(aclrtStream stream) {
  ATTN_ENTRY();
  return streams().remove(stream) ? aclError(Success) : unknownStream();
}

ATTN_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream) {
  ATTN_ENTRY();
  return synchronize(stream, {});
}

ATTN_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t milliseconds) {
  ATTN_ENTRY();
  return synchronize(stream, timeout(milliseconds));
}

ATTN_EXPORT aclError aclrtSynchronizeDevice() {
  ATTN_ENTRY();
  return synchronizeDevice({});
}

ATTN_EXPORT aclError aclrtSynchronizeDeviceWithTimeout(int32_t milliseconds) {
  ATTN_ENTRY();
  return synchronizeDevice(timeout(milliseconds));
}

ATTN_EXPORT aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status) {
  ATTN_ENTRY();
  std::shared_ptr<Stream> found = findStream(stream);
  if (!found)
    return unknownStream();
  *status = found->isIdle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return Success;
}

ATTN_EXPORT aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId) {
  ATTN_ENTRY();
  std::shared_ptr<Stream> found = findStream(stream);
  if (!found)
    return unknownStream();
  *streamId = found->number;
  return Success;
}

ATTN_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  ATTN_ENTRY();
  std::shared_ptr<Stream> found = findStream(stream);
  if (!found)
    return unknownStream();
  if (mode > 1)
    return fail(InvalidParameter, "a stream goes on after an error (0) or stops (1)");
  found->stopOnError(mode == 1);
  return Success;
}

ATTN_EXPORT aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args) {
  ATTN_ENTRY();
  return submit(stream, [fn, args]() -> Status {
    fn(args);
    return {};
  });
}

// Events

uint64_t Event::beginRecord() {
  std::lock_guard lock(mutex);
  return ++begun;
}

void Event::finishRecord(uint64_t number) {
  std::lock_guard lock(mutex);
  finished = std::max(finished, number);
  finishedAt = Clock::now();
  changed.notify_all();
}

uint64_t Event::recordCount() {
  std::lock_guard lock(mutex);
  return begun;
}

void Event::waitFor(uint64_t number) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return finished >= number; });
}

bool Event::isReached() {
  std::lock_guard lock(mutex);
  return finished == begun;
}

std::optional<Event::Clock::time_point> Event::time() {
  std::lock_guard lock(mutex);
  return finished ? std::optional(finishedAt) : std::nullopt;
}

ATTN_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
  ATTN_ENTRY();
  return createEvent(event);
}

ATTN_EXPORT aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) {
  ATTN_ENTRY();
  return createEvent(event);
}

ATTN_EXPORT aclError aclrtDestroyEvent(aclrtEvent event) {
  ATTN_ENTRY();
  return events().remove(event) ? aclError(Success) : unknownEvent();
}

ATTN_EXPORT aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  ATTN_ENTRY();
  std::shared_ptr<Event> found = events().find(event);
  if (!found)
    return unknownEvent();
  uint64_t number = found->beginRecord();
  Stream::Task finish = [found, number]() -> Status {
    found->finishRecord(number);
    return {};
  };
  aclError error = submit(stream, finish, /*isSignal=*/true);
  if (error != Success) // nothing may wait for it
    found->finishRecord(number);
  return error;
}

ATTN_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  ATTN_ENTRY();
  std::shared_ptr<Event> found = events().find(event);
  if (!found)
    return unknownEvent();
  Stream::Task wait = [found, number = found->recordCount()]() -> Status {
    found->waitFor(number);
    return {};
  };
  return submit(stream, wait, /*isSignal=*/true);
}

ATTN_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event) {
  ATTN_ENTRY();
  std::shared_ptr<Event> found = events().find(event);
  if (!found)
    return unknownEvent();
  found->waitFor(found->recordCount());
  return Success;
}

ATTN_EXPORT aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  ATTN_ENTRY();
  std::shared_ptr<Event> found = events().find(event);
  if (!found)
    return unknownEvent();
  *status =
      found->isReached() ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return Success;
}

ATTN_EXPORT aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  ATTN_ENTRY();
  std::shared_ptr<Event> start = events().find(startEvent), end = events().find(endEvent);
  if (!start || !end)
    return unknownEvent();
  if (!start->time() || !end->time())
    return fail(InvalidParameter, "an event was not recorded");
  *ms = std::chrono::duration<float, std::milli>(*end->time() - *start->time()).count();
  return Success;
}
