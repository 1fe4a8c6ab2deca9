// Calls torch_npu's OpCommand::RunOpApiV2, which is found by name, so that no header of PyTorch is
// needed. The function has kept its signature in torch_npu 2.7.1 to 2.14.
#include <Python.h>
// Before everything else, as it demands.
#include "TaskQueue.h"
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <pybind11/pybind11.h>

using namespace attn::launcher;

namespace {

constexpr const char *queueLibrary = "libtorch_npu.so";
constexpr const char *queueFunction =
    "_ZN6at_npu6native9OpCommand10RunOpApiV2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    "RKSt8functionIFivEEb";
using RunOpApi = void(const std::string &name, const std::function<int()> &handler, bool sync);
RunOpApi *runOpApi = nullptr;

// Objects of finished launches. The queue's thread must not wait for the interpreter's lock, which
// a busy interpreter gives away after milliseconds: it leaves them here, and asks the main thread
// to let go of them.
std::mutex finishedMutex;
std::vector<PyObject *> finished;
std::atomic<bool> isDropWanted = false;

int dropLater(void *) {
  isDropWanted = false;
  dropFinished();
  return 0;
}

void finish(PyObject *object) {
  {
    std::lock_guard lock(finishedMutex);
    finished.push_back(object);
  }
  if (!Py_IsInitialized()) // the process is ending
    return;
  if (!isDropWanted.exchange(true) && Py_AddPendingCall(dropLater, nullptr) != 0)
    isDropWanted = false; // no room; the next launch drops them
}

/// A Python object that is let go of when its launch has been made, or will never be.
class Kept {
public:
  explicit Kept(PyObject *object) : object(object) {}
  Kept(const Kept &) = delete;
  ~Kept() { release(); }
  void release() {
    if (PyObject *last = object.exchange(nullptr))
      finish(last);
  }

private:
  std::atomic<PyObject *> object;
};

// The first launch that failed. The queue's thread has no caller to tell, and the queue is dead
// from then on.
std::mutex failureMutex;
std::unique_ptr<AclError> failure;

void setFailure(const AclError &error) {
  std::lock_guard lock(failureMutex);
  if (!failure)
    failure = std::make_unique<AclError>(error);
}

void throwFailure(const std::string &more) {
  std::lock_guard lock(failureMutex);
  if (failure)
    throw AclError(failure->code, failure->what() + more);
}

/// Without a queue a failure has a caller, and the launches after it are as good as before.
void clearFailure() {
  std::lock_guard lock(failureMutex);
  failure = nullptr;
}

/// Runs on the queue's thread, or at once where there is no queue. The text of the runtime is left
/// for torch_npu to read; torch_npu prints ours.
int runLaunch(const Launch &launch) {
  aclError code = launch.run();
  if (code == 0)
    return 0;
  AclError error(code, launch.describeFailure(code));
  setFailure(error);
  throw error;
}

void run(const std::string &name, const std::function<int()> &handler) {
  // The queue may be full, and its thread may need the interpreter.
  pybind11::gil_scoped_release release;
  runOpApi(name, handler, /*sync=*/false);
}

} // namespace

void attn::launcher::connectQueue() {
  void *library = dlopen(queueLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (!library)
    throw std::runtime_error(std::string(queueLibrary) + " is not loaded");
  runOpApi = reinterpret_cast<RunOpApi *>(dlsym(library, queueFunction));
  if (!runOpApi)
    throw std::runtime_error(std::string(queueLibrary) + " has no OpCommand::RunOpApiV2");
}

void attn::launcher::enqueue(Launch launch, PyObject *object) {
  auto kept = std::make_shared<Kept>(object);
  throwFailure("\ntorch_npu drops all work after a failed launch: this process cannot use the "
               "device any more");
  std::string name = launch.kernel->name;
  // Shared, since the queue copies its functions.
  auto shared = std::make_shared<const Launch>(std::move(launch));
  auto handler = [shared, kept]() -> int {
    int code = runLaunch(*shared);
    kept->release();
    return code;
  };
  try {
    run(name, handler);
  } catch (const AclError &error) { // there is no queue
    clearFailure();
    throw AclError(error.code, error.what() + ("\n" + Acl::get().recentMessage()));
  } catch (const std::exception &error) {
    throwFailure("\n" + std::string(error.what()));
    throw;
  }
  dropFinished();
}

void attn::launcher::enqueueFunction(const std::string &name, std::function<int()> function) {
  run(name, function);
}

void attn::launcher::dropFinished() {
  std::vector<PyObject *> dropped;
  {
    std::lock_guard lock(finishedMutex);
    dropped.swap(finished);
  }
  for (PyObject *object : dropped)
    Py_DECREF(object);
}
