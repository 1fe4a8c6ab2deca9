// Runs one program of the toolchain, without a shell, and keeps what it says.
#ifndef ATTN_TARGET_OBJECT_RUN_H
#define ATTN_TARGET_OBJECT_RUN_H

#include "attn/Target/Object/Toolchain.h"

namespace attn::object {

struct RunResult {
  int exitCode = -1;
  /// Both output streams.
  std::string text;
  /// Why it could not be started, or what ended it.
  std::string problem;

  bool succeeded() const { return exitCode == 0; }
  /// " with exit code 1", or ": No such file or directory".
  std::string describeEnd() const;
};

RunResult run(const Command &command);

/// The command as a shell would take it, for messages.
std::string print(const Command &command);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_RUN_H
