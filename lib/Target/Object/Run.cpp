// Starts a program, waits for its end and reads its output.
#include "Run.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn::object;

std::string RunResult::describeEnd() const {
  if (!problem.empty())
    return ": " + problem;
  return exitCode == 0 ? "" : " with exit code " + std::to_string(exitCode);
}

RunResult attn::object::run(const Command &command) {
  RunResult result;
  llvm::SmallString<128> said;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("attn-said", "txt", said)) {
    result.problem = error.message();
    return result;
  }
  llvm::FileRemover remover(said);
  llvm::SmallVector<llvm::StringRef> arguments{command.program};
  arguments.append(command.arguments.begin(), command.arguments.end());
  std::optional<llvm::StringRef> redirects[] = {"", said.str(), said.str()};
  result.exitCode =
      llvm::sys::ExecuteAndWait(command.program, arguments, std::nullopt, redirects,
                                /*SecondsToWait=*/0, /*MemoryLimit=*/0, &result.problem);
  if (auto buffer = llvm::MemoryBuffer::getFile(said))
    result.text = (*buffer)->getBuffer().str();
  return result;
}

std::string attn::object::print(const Command &command) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::sys::printArg(stream, command.program, /*Quote=*/false);
  for (const std::string &argument : command.arguments) {
    stream << " ";
    llvm::sys::printArg(stream, argument, /*Quote=*/false);
  }
  return text;
}
