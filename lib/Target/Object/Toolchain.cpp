// Finds the vendor's compiler and asks for its version.
#include "attn/Target/Object/Toolchain.h"
#include "Run.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

using namespace mlir;
using namespace attn;
using namespace attn::object;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// The first version whose compiler takes `-x asc`, and the first whose flags are known at all.
constexpr llvm::VersionTuple firstCurrent(8, 5), firstKnown(8, 0);

/// The compiler of a route, and where toolkits of different ages keep it.
struct Program {
  StringLiteral name;
  ArrayRef<StringLiteral> folders;
};
constexpr StringLiteral bishengFolders[] = {"bin", "compiler/ccec_compiler/bin"};
constexpr StringLiteral bishengirFolders[] = {"bin", "tools/bishengir/bin",
                                              "compiler/bishengir/bin"};
constexpr Program bisheng{"bisheng", bishengFolders};
constexpr Program hivmc{"hivmc", bishengirFolders};
constexpr Program bishengirOpt{"bishengir-opt", bishengirFolders};

/// "8.2.RC1" as 8.2.
llvm::VersionTuple parseVersion(StringRef text) {
  llvm::VersionTuple version;
  (void)version.tryParse(
      text.take_while([](char letter) { return llvm::isDigit(letter) || letter == '.'; })
          .rtrim('.'));
  return version;
}

/// The value after `key=` in a file of such lines, or empty.
std::string readValue(StringRef folder, StringRef file, StringRef key) {
  llvm::SmallString<128> name(folder);
  path::append(name, file);
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/true);
  if (!buffer)
    return "";
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef value = line.trim(); value.consume_front(key) && value.consume_front("="))
      return value.str();
  return "";
}

/// The version of the toolkit in a folder, or empty. Components have numbers of their own: 7.6 is
/// one of CANN 8.0, which is after the colon or as the folder's name.
std::string readCannVersion(StringRef folder) {
  std::string running = readValue(folder, "version.cfg", "compiler_running_version");
  StringRef after = StringRef(running).split(':').second.rtrim(']');
  if (!parseVersion(after).empty())
    return after.str();
  for (StringRef key : {"version_dir", "Version"}) {
    std::string version = readValue(folder, "compiler/version.info", key);
    if (parseVersion(version) >= firstKnown)
      return version;
  }
  return "";
}

/// The version of the toolkit that a program lies in.
std::string findCannVersion(StringRef program) {
  StringRef folder = path::parent_path(program);
  for (int level = 0; level < 4 && !folder.empty(); ++level, folder = path::parent_path(folder))
    if (std::string version = readCannVersion(folder); !version.empty())
      return version;
  return "";
}

/// The folder of the toolkit as the environment names it.
std::optional<std::string> getToolkitFolder() {
  for (StringRef name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name);
        value && !value->empty())
      return value;
  return std::nullopt;
}

/// A program below the toolkit or in PATH, or empty.
std::string findProgram(const Program &program, const std::optional<std::string> &toolkit) {
  SmallVector<std::string> folders;
  for (StringRef folder : program.folders) {
    llvm::SmallString<128> name(toolkit.value_or(""));
    path::append(name, folder);
    folders.push_back(name.str().str());
  }
  if (toolkit)
    if (auto found =
            llvm::sys::findProgramByName(program.name, llvm::to_vector_of<StringRef>(folders)))
      return *found;
  if (auto found = llvm::sys::findProgramByName(program.name))
    return *found;
  return "";
}

/// The path of a program, by what is chosen, then the toolkit, then PATH.
FailureOr<std::string> requireProgram(const Program &program, StringRef chosen,
                                      function_ref<InFlightDiagnostic()> emitError) {
  if (!chosen.empty()) {
    if (fs::can_execute(chosen) && !fs::is_directory(chosen))
      return chosen.str();
    return emitError() << "'" << chosen << "' is not a program that can be started";
  }
  std::optional<std::string> toolkit = getToolkitFolder();
  if (std::string found = findProgram(program, toolkit); !found.empty())
    return found;
  StringRef without = "source set_env.sh. Source emission, JIT and simulation work without it.";
  if (!toolkit)
    return emitError() << "CANN not found: ASCEND_HOME_PATH is not set; " << without;
  if (!fs::is_directory(*toolkit))
    return emitError() << "CANN not found: ASCEND_HOME_PATH is '" << *toolkit
                       << "', which is not a folder; " << without;
  return emitError() << "CANN found at " << *toolkit << " but no " << program.name
                     << " compiler: runtime-only installation?";
}

} // namespace

bool Toolchain::isLegacy() const {
  // Where no file says how old it is, it is taken for a current one.
  return !cannVersion.empty() && parseVersion(cannVersion) < firstCurrent;
}

FailureOr<Toolchain> object::findToolchain(sidecar::Route route, StringRef chosen,
                                           function_ref<InFlightDiagnostic()> emitError) {
  bool isHIVM = route == sidecar::Route::HIVM;
  FailureOr<std::string> compiler = requireProgram(isHIVM ? hivmc : bisheng, chosen, emitError);
  if (failed(compiler))
    return failure();
  Toolchain toolchain{route, *compiler, "", findCannVersion(*compiler), ""};
  if (isHIVM) {
    // Both usually lie in one folder.
    llvm::SmallString<128> beside(path::parent_path(*compiler));
    path::append(beside, bishengirOpt.name);
    FailureOr<std::string> lowering = requireProgram(
        bishengirOpt, fs::can_execute(beside) ? beside.str() : StringRef(), emitError);
    if (failed(lowering))
      return failure();
    toolchain.lowering = *lowering;
  }
  if (!toolchain.cannVersion.empty() && parseVersion(toolchain.cannVersion) < firstKnown)
    return emitError() << "CANN " << toolchain.cannVersion << " is older than "
                       << firstKnown.getAsString()
                       << ", the oldest whose compiler's flags are known";
  RunResult result = run({*compiler, {"--version"}});
  StringRef line = StringRef(result.text).split('\n').first.trim();
  if (!result.succeeded() || line.empty())
    return emitError() << "'" << *compiler << " --version' failed" << result.describeEnd();
  toolchain.description = line.str();
  return toolchain;
}
