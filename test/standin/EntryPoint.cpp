// Counts, error texts and log of the stand-in, and the symbols of its own that tests and
// attn.runtime read.
#include "EntryPoint.h"
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>

using namespace attn::standin;

namespace {

// Never destroyed: torch_npu calls the runtime while the process is ending.
std::map<std::string, std::atomic<uint64_t>> &allCounts() {
  static auto *counts = new std::map<std::string, std::atomic<uint64_t>>;
  return *counts;
}

std::mutex countsMutex;
thread_local std::string recentMessage;
thread_local std::string shownMessage;
std::atomic<bool> logIsPrinted = false;

} // namespace

std::atomic<uint64_t> &attn::standin::callCount(const char *entryPoint) {
  std::lock_guard lock(countsMutex);
  return allCounts()[entryPoint];
}

aclError attn::standin::fail(aclError code, std::string message) {
  recentMessage = "attn stand-in: " + message;
  return code;
}

aclError attn::standin::report(const Status &status) {
  return status.code == Success ? Success : fail(status.code, status.message);
}

// The marker: a runtime that has this symbol is not CANN.
ATTN_EXPORT const char *attn_standin_description() {
  return "attn's stand-in for the CANN runtime; launches go to the modelled chip";
}

ATTN_EXPORT uint64_t attn_standin_count(const char *entryPoint) {
  std::lock_guard lock(countsMutex);
  auto found = allCounts().find(entryPoint);
  return found == allCounts().end() ? 0 : found->second.load();
}

ATTN_EXPORT void attn_standin_print_log(int enabled) { logIsPrinted = enabled != 0; }

// As the real one, it gives a text once.
ATTN_EXPORT const char *aclGetRecentErrMsg() {
  ATTN_ENTRY();
  shownMessage = std::move(recentMessage);
  recentMessage.clear();
  return shownMessage.empty() ? nullptr : shownMessage.c_str();
}

ATTN_EXPORT void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
                           const char *fmt, ...) {
  ATTN_ENTRY();
  if (!logIsPrinted)
    return;
  va_list arguments;
  va_start(arguments, fmt);
  std::fprintf(stderr, "attn stand-in log: %s:%u %s: ", file, line, func);
  std::vfprintf(stderr, fmt, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
}
