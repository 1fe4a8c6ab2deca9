// What every entry point of the stand-in shares: it is counted, and it fails with a code and a
// text.
#ifndef ATTN_TEST_STANDIN_ENTRYPOINT_H
#define ATTN_TEST_STANDIN_ENTRYPOINT_H

#include "Acl.h"
#include <atomic>
#include <string>

namespace attn::standin {

/// The codes of the real runtime that the stand-in gives.
enum Code : aclError {
  Success = 0,
  OperatorNotFound = 100024,
  InvalidParameter = 107000,
  InvalidDevice = 107001,
  NoContext = 107002,
  InvalidHandle = 107017,
  StreamTimeout = 107020,
  OutOfMemory = 207001,
  CoreException = 507015,
};

/// How a piece of work ended; it may be handed from one thread to another.
struct Status {
  aclError code = Success;
  std::string message;
};

/// The count of calls of an entry point; tests read it with attn_standin_count.
std::atomic<uint64_t> &callCount(const char *entryPoint);

/// Makes the text the one that aclGetRecentErrMsg gives to this thread, and returns the code.
aclError fail(aclError code, std::string message);
aclError report(const Status &status);

} // namespace attn::standin

/// Opens the body of an entry point. It is exported, whatever the visibility of other functions is.
#define ATTN_ENTRY()                                                                               \
  static std::atomic<uint64_t> &callsOfThis = attn::standin::callCount(__func__);                  \
  ++callsOfThis

#define ATTN_EXPORT extern "C" __attribute__((visibility("default")))

#endif // ATTN_TEST_STANDIN_ENTRYPOINT_H
