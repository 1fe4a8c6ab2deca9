// Writes an object and its sidecar so that nothing sees half of them.
#include "OutputPair.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace attn;

std::string object::getSidecarName(StringRef object) {
  SmallString<128> name(object);
  sys::path::replace_extension(name, "json");
  return name.str().str();
}

/// Makes a file beside `name` with that content. Not sys::fs::TempFile: that one takes over the
/// signals of the process, which may be Python.
static Expected<std::string> writeBeside(StringRef name, StringRef content) {
  SmallString<128> beside;
  int descriptor;
  if (std::error_code error = sys::fs::createUniqueFile(name + ".%%%%%%%%.tmp", descriptor, beside))
    return createFileError(name, error);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << content;
  stream.close();
  if (std::error_code error = stream.error()) {
    stream.clear_error();
    (void)sys::fs::remove(beside);
    return createFileError(name, error);
  }
  return beside.str().str();
}

Error object::writePair(StringRef object, StringRef objectContent, StringRef sidecarContent) {
  std::string sidecar = getSidecarName(object);
  Expected<std::string> first = writeBeside(object, objectContent);
  if (!first)
    return first.takeError();
  FileRemover removeFirst(*first);
  Expected<std::string> second = writeBeside(sidecar, sidecarContent);
  if (!second)
    return second.takeError();
  FileRemover removeSecond(*second);
  if (std::error_code error = sys::fs::rename(*first, object))
    return createFileError(object, error);
  removeFirst.releaseFile();
  if (std::error_code error = sys::fs::rename(*second, sidecar)) {
    (void)sys::fs::remove(object);
    return createFileError(sidecar, error);
  }
  removeSecond.releaseFile();
  return Error::success();
}
