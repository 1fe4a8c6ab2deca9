// Compiled text in this process.
#include "attn/Simulator/AscendC/Device/twin_interface.h"
#include "attn/Simulator/AscendC/Twin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <dlfcn.h>
#include <list>
#include <mutex>

using namespace mlir;
using namespace attn;
using namespace attn::twin;

// Not llvm::sys::DynamicLibrary: it never closes what it has opened, and tests open thousands.
std::unique_ptr<Library> Library::open(StringRef path, std::string &problem) {
  // Without a slash, the loader would look in its own folders.
  SmallString<256> absolute = path;
  if (std::error_code error = llvm::sys::fs::make_absolute(absolute)) {
    problem = "cannot open the compiled text: " + error.message();
    return nullptr;
  }
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    problem = std::string("cannot open the compiled text: ") + dlerror();
    return nullptr;
  }
  return std::unique_ptr<Library>(new Library(handle));
}

Library::~Library() { dlclose(handle); }

const attn_twin::Kernel *Library::find(StringRef name, std::string &problem) const {
  std::string symbol = ("attn_twin_kernel_" + name).str();
  auto *kernel = static_cast<const attn_twin::Kernel *>(dlsym(handle, symbol.c_str()));
  if (!kernel) {
    problem = "the compiled text has no kernel '" + name.str() + "'";
    return nullptr;
  }
  if (kernel->version != attn_twin::interfaceVersion) {
    problem = "the text was compiled against version " + std::to_string(kernel->version) +
              " of the twin's header; this is version " +
              std::to_string(attn_twin::interfaceVersion);
    return nullptr;
  }
  StringRef kind = kernel->kind;
  if (kind != "__vector__" && kind != "__mix__(0, 1)" && kind != "__cube__" &&
      kind != "__mix__(1, 2)") {
    problem = "kernel '" + name.str() + "' is of the kind " + kind.str() +
              "; the twin runs __vector__, __cube__, __mix__(0, 1) and __mix__(1, 2)";
    return nullptr;
  }
  return kernel;
}

FailureOr<std::unique_ptr<Library>> Library::make(StringRef text, StringRef clang,
                                                  MLIRContext *context) {
  Location location = UnknownLoc::get(context);
  SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("attn-twin", "so", path))
    return emitError(location) << "cannot make a temporary file: " << error.message();
  llvm::FileRemover remover(path);
  if (failed(compileText(text, path, clang, context)))
    return failure();
  std::string problem;
  std::unique_ptr<Library> library = open(path, problem);
  if (!library)
    return emitError(location) << problem;
  return library;
}

namespace {

/// The libraries that were used last. A kernel is run with many sets of arguments, and compiling
/// its text takes longer than most runs. What a library keeps between runs belongs to a thread.
class RecentLibraries {
public:
  std::shared_ptr<Library> find(StringRef key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = llvm::find_if(entries, [&](const Entry &entry) { return entry.first == key; });
    if (found == entries.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found);
    return found->second;
  }

  void add(std::string key, std::shared_ptr<Library> library) {
    std::lock_guard<std::mutex> lock(mutex);
    entries.emplace_front(std::move(key), std::move(library));
    if (entries.size() > mostEntries)
      entries.pop_back();
  }

private:
  using Entry = std::pair<std::string, std::shared_ptr<Library>>;
  static constexpr size_t mostEntries = 50;

  std::mutex mutex;
  std::list<Entry> entries;
};

} // namespace

FailureOr<std::shared_ptr<Library>> Library::obtain(StringRef text, StringRef clang,
                                                    MLIRContext *context) {
  static RecentLibraries recent;
  std::string key = (clang + "\n" + text).str();
  if (std::shared_ptr<Library> found = recent.find(key))
    return found;
  FailureOr<std::unique_ptr<Library>> made = make(text, clang, context);
  if (failed(made))
    return failure();
  std::shared_ptr<Library> library = std::move(*made);
  recent.add(std::move(key), library);
  return library;
}
