// Work whose caller has gone, and how a process exits meanwhile; part of attn._core.
#include "Interruption.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace attn::python;

static std::atomic<int> abandoned = 0;

/// Runs before the destructors of libraries, which are loaded before; Python has ended by then.
static void leave(int status, void *) {
  if (abandoned == 0)
    return;
  std::fflush(nullptr);
  _exit(status);
}

void AbandonedWork::add() {
  static const int registered = on_exit(leave, nullptr);
  (void)registered;
  ++abandoned;
}

void AbandonedWork::remove() { --abandoned; }
