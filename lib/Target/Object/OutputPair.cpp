// Writes an object and its sidecar so that nobody sees half of them.
#include "OutputPair.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace attn;

std::string object::getSidecarName(StringRef object) {
  SmallString<128> name(object);
  sys::path::replace_extension(name, "json");
  return name.str().str();
}

/// A file beside `name` with that content, to be kept under the name or discarded.
static Expected<sys::fs::TempFile> writeBeside(StringRef name, StringRef content) {
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(name + ".%%%%%%%%.tmp");
  if (!file)
    return createFileError(name, file.takeError());
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << content;
  stream.flush();
  if (std::error_code error = stream.error()) {
    stream.clear_error();
    consumeError(file->discard());
    return createFileError(name, error);
  }
  return std::move(*file);
}

Error object::writePair(StringRef object, StringRef objectContent, StringRef sidecarContent) {
  std::string sidecar = getSidecarName(object);
  Expected<sys::fs::TempFile> first = writeBeside(object, objectContent);
  if (!first)
    return first.takeError();
  Expected<sys::fs::TempFile> second = writeBeside(sidecar, sidecarContent);
  if (!second)
    return joinErrors(second.takeError(), first->discard());
  if (Error error = first->keep(object))
    return joinErrors(createFileError(object, std::move(error)), second->discard());
  if (Error error = second->keep(sidecar)) {
    sys::fs::remove(object);
    return createFileError(sidecar, std::move(error));
  }
  return Error::success();
}
