// torch_npu's task queue: launches take their place in it like any other operator.
#ifndef ATTN_PYTHON_LAUNCHER_TASKQUEUE_H
#define ATTN_PYTHON_LAUNCHER_TASKQUEUE_H

#include "Kernel.h"
#include <functional>

struct _object; // a Python object NOLINT(readability-identifier-naming)

namespace attn::launcher {

/// Finds the queue of the torch_npu in this process; std::runtime_error says why that fails.
void connectQueue();

/// Queues a launch. `kept` (taken over) lives until the launch was handed to the runtime. AclError
/// where this launch or an earlier one failed: torch_npu drops without a word what is queued after
/// a failure. The caller has the interpreter's lock.
void enqueue(Launch launch, _object *kept);

/// Queues a function: for tests of the order of work.
void enqueueFunction(const std::string &name, std::function<int()> function);

/// Lets go of what finished launches have kept. The caller has the interpreter's lock.
void dropFinished();

} // namespace attn::launcher

#endif // ATTN_PYTHON_LAUNCHER_TASKQUEUE_H
