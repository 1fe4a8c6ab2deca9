// Compiles AscendC text for this machine: finds clang, runs it, shows what it says at the lines of
// the source.
#include "attn/Simulator/AscendC/Twin.h"
#include "attn/Support/CompilerOutput.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace attn;
using namespace attn::twin;
using simulator::SimulationResult;

namespace {

/// The headers that text is compiled against, by their paths; they are part of this program.
struct Header {
  StringLiteral path;
  StringLiteral text;
};
constexpr Header headers[] = {
#include "attn/Simulator/AscendC/DeviceHeaders.inc"
};

/// Seconds after which a compiler hangs; a kernel takes less than one.
constexpr unsigned patience = 120;

struct KernelHead {
  std::string kind;
  std::string name;
};

/// The kind of a kernel that names it as first statement, by the word of the newer form.
std::string getTaskType(StringRef body) {
  static const llvm::Regex statement("^[^{]*\\{[ \n]*KERNEL_TASK_TYPE_DEFAULT\\(([A-Z0-9_]+)\\)");
  SmallVector<StringRef> matches;
  if (!statement.match(body, &matches))
    return "__aicore__";
  return llvm::StringSwitch<std::string>(matches[1])
      .Case("KERNEL_TYPE_AIV_ONLY", "__vector__")
      .Case("KERNEL_TYPE_AIC_ONLY", "__cube__")
      .Case("KERNEL_TYPE_MIX_AIV_1_0", "__mix__(0, 1)")
      .Case("KERNEL_TYPE_MIX_AIC_1_2", "__mix__(1, 2)")
      .Default(matches[1].str());
}

/// The heads of the kernels: `extern "C" __global__ <kind> void <name>(`, but not in comments.
SmallVector<KernelHead> findKernels(StringRef text) {
  static const llvm::Regex head("^[^/]*__global__ +(__[a-z]+__(\\([0-9, ]*\\))?) +void +"
                                "([A-Za-z_][A-Za-z0-9_]*)\\(",
                                llvm::Regex::Newline);
  SmallVector<KernelHead> kernels;
  SmallVector<StringRef> matches;
  while (head.match(text, &matches)) {
    text = text.substr(matches[0].end() - text.begin());
    std::string kind = matches[1] == "__aicore__" ? getTaskType(text) : matches[1].str();
    kernels.push_back({kind, matches[3].str()});
  }
  return kernels;
}

/// A folder that goes away with everything in it.
class WorkFolder {
public:
  explicit WorkFolder(Location location) : location(location) {}
  ~WorkFolder() {
    // A run does not fail where something cannot be removed.
    if (!path.empty())
      (void)llvm::sys::fs::remove_directories(path);
  }

  LogicalResult make() {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("attn-twin", path))
      return emitError(location) << "cannot make a temporary folder: " << error.message();
    return success();
  }

  std::string in(StringRef name) const {
    SmallString<128> file = path;
    llvm::sys::path::append(file, name);
    return file.str().str();
  }

  LogicalResult write(StringRef name, StringRef content) const {
    std::error_code error =
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(in(name)));
    if (!error) {
      llvm::raw_fd_ostream file(in(name), error);
      file << content;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (error)
      return emitError(location) << "cannot write '" << in(name) << "': " << error.message();
    return success();
  }

private:
  Location location;
  SmallString<128> path;
};

/// Emits what the compiler said, at the lines that the text names. Columns are those of the text,
/// not of the source that a line stands for.
void emitErrors(StringRef output, MLIRContext *context) {
  constexpr StringLiteral prefix = "the text does not compile: ";
  auto locate = [&](StringRef file, unsigned line) -> Location {
    return FileLineColLoc::get(context, file, line, /*column=*/1);
  };
  if (emitCompilerOutput(output, prefix, locate) == 0)
    emitError(UnknownLoc::get(context)) << prefix << output.trim();
}

/// Compiling takes longer than running, so nothing is optimised. Scalar arithmetic computes as
/// written, and division by zero does not crash; each branch is counted, so that a kernel that
/// never ends is found.
constexpr StringLiteral compilerOptions[] = {
    "-std=c++17",
    "-O0",
    "-fPIC",
    "-shared",
    "-nostdlib++",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-fno-exceptions",
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow,shift",
    "-fsanitize-coverage=bb,no-prune,trace-pc"};

} // namespace

FailureOr<std::string> twin::findClang(StringRef wanted, Location location) {
  std::string asked = wanted.str();
  if (asked.empty())
    asked = llvm::sys::Process::GetEnv("ATTN_CLANG").value_or("");
  if (!asked.empty()) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(asked);
    if (!found)
      return emitError(location) << "no C++ compiler '" << asked
                                 << "' to compile the text with: " << found.getError().message();
    return *found;
  }
  for (StringRef name : {"clang++-22", "clang++"})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return emitError(location) << "no C++ compiler to compile the text with: neither clang++-22 nor "
                                "clang++ is in the PATH; set ATTN_CLANG";
}

LogicalResult twin::compileText(StringRef text, StringRef library, StringRef clang,
                                MLIRContext *context) {
  Location location = UnknownLoc::get(context);
  SmallVector<KernelHead> kernels = findKernels(text);
  if (kernels.empty())
    return emitError(location) << "the text has no kernel: 'extern \"C\" __global__ __vector__ "
                                  "void name(' is what one begins with";
  std::string entries;
  for (const KernelHead &kernel : kernels)
    entries += "ATTN_TWIN_KERNEL(" + kernel.name + ", \"" + kernel.kind + "\")\n";
  WorkFolder folder(location);
  if (failed(folder.make()) || failed(folder.write("text.cpp", text)) ||
      failed(folder.write("entries.cpp", entries)))
    return failure();
  for (const Header &header : headers)
    if (failed(folder.write(header.path, header.text)))
      return failure();
  std::string include = "-I" + folder.in(""), source = folder.in("text.cpp"),
              device = "-I" + folder.in("attn/Simulator/AscendC/Device"),
              main = folder.in("entries.cpp"), output = folder.in("output");
  std::string made = folder.in("made.so");
  SmallVector<StringRef> arguments = {clang};
  llvm::append_range(arguments, compilerOptions);
  llvm::append_range(arguments,
                     ArrayRef<StringRef>{include, device, "-include", source, main, "-o", made});
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(clang, arguments, std::nullopt,
                                       {StringRef(""), StringRef(output), StringRef(output)},
                                       patience, /*MemoryLimit=*/0, &problem);
  if (code != 0) {
    auto said = llvm::MemoryBuffer::getFile(output);
    if (code < 0 || !said || (*said)->getBufferSize() == 0)
      return emitError(location) << "cannot run '" << clang << "' (code " << code
                                 << "): " << problem;
    emitErrors((*said)->getBuffer(), context);
    return failure();
  }
  // The library appears whole or not at all.
  if (llvm::Error error = llvm::writeToOutput(library, [&](raw_ostream &stream) -> llvm::Error {
        auto content = llvm::MemoryBuffer::getFile(made);
        if (!content)
          return llvm::errorCodeToError(content.getError());
        stream << (*content)->getBuffer();
        return llvm::Error::success();
      }))
    return emitError(location) << "cannot write '" << library
                               << "': " << llvm::toString(std::move(error));
  return success();
}

/// The only kernel of a text, or the one that was asked for.
static FailureOr<std::string> chooseKernel(const TextRun &run) {
  if (!run.kernel.empty())
    return run.kernel.str();
  SmallVector<KernelHead> kernels = findKernels(run.text);
  if (kernels.size() != 1)
    return emitError(run.location)
           << "the text has " << kernels.size() << " kernels: name one with --kernel=";
  return kernels.front().name;
}

FailureOr<TextResult> twin::runText(const TextRun &run) {
  MLIRContext *context = run.location.getContext();
  FailureOr<Chip> chip = parseChip(run.soc, context);
  FailureOr<std::string> clang = findClang(run.clang, run.location);
  if (failed(chip) || failed(clang))
    return failure();
  if (!run.library.empty()) {
    if (failed(compileText(run.text, run.library, *clang, context)))
      return failure();
    return TextResult{*chip, std::nullopt};
  }
  FailureOr<std::string> kernel = chooseKernel(run);
  FailureOr<std::unique_ptr<Library>> library = Library::make(run.text, *clang, context);
  if (failed(kernel) || failed(library))
    return failure();
  FailureOr<SimulationResult> result =
      simulateText(*kernel, **library, *chip, run.arguments, run.options, run.location);
  if (failed(result))
    return failure();
  return TextResult{*chip, std::move(result)};
}
