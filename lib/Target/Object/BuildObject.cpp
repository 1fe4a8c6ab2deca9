// From a planned module to an object: text, the vendor's compiler, and the sidecar.
#include "attn/Target/Object/BuildObject.h"
#include "LineTable.h"
#include "OutputPair.h"
#include "Run.h"
#include "attn/Support/CompilerOutput.h"
#include "attn/Target/AscendC/EmitAscendC.h"
#include "attn/Target/AscendC/EmitLauncher.h"
#include "attn/Target/HIVM/EmitHIVM.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;
using namespace attn::object;
using llvm::json::Object;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

class ObjectBuilder {
public:
  ObjectBuilder(ModuleOp module, const BuildOptions &options) : module(module), options(options) {}

  LogicalResult build() {
    FailureOr<Object> made = sidecar::makeSidecar(module);
    if (failed(made))
      return failure();
    description = std::move(*made);
    name = description.getString("name")->str();
    if (isHIVM() && description.getArray("launches")->size() > 1)
      return mlir::emitError(module.lookupSymbol(name)->getLoc())
             << "the vendor's compiler takes one kernel per HIVM text, and '" << name
             << "' has one for each of its launches: compile it with phases=barrier, or "
                "--via=ascendc";
    FailureOr<Toolchain> toolchain =
        findToolchain(options.route, options.compiler, [&] { return emitError(); });
    if (failed(toolchain) || failed(makeFolder()))
      return failure();
    llvm::scope_exit remover([&] { removeFolder(); });
    if (failed(writeSources(*toolchain)) || failed(compile(*toolchain)))
      return failure();
    return writeOutputs(*toolchain);
  }

private:
  /// What is wrong with this machine has no place in the source.
  InFlightDiagnostic emitError() { return mlir::emitError(UnknownLoc::get(module.getContext())); }

  std::string getFile(const Twine &file) const {
    llvm::SmallString<128> full(folder);
    path::append(full, file);
    return full.str().str();
  }

  bool isHIVM() const { return options.route == sidecar::Route::HIVM; }

  std::string getSource() const {
    StringRef ending = isHIVM()                       ? ".hivm.mlir"
                       : options.form == Form::Shared ? "_launch.asc"
                                                      : ".asc";
    return getFile(name + ending);
  }
  std::string getBinary() const { return getFile(name + ".out"); }

  LogicalResult makeFolder() {
    if (std::error_code error = fs::createUniqueDirectory("attn-" + name, folder))
      return emitError() << "no folder for temporary files can be made: " << error.message();
    return success();
  }

  /// Removes everything but what the user should look at.
  void removeFolder() {
    if (!isKept)
      (void)fs::remove_directories(folder);
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; isKept && !error && file != end;
         file.increment(error))
      if (path::extension(file->path()) != path::extension(getSource()))
        (void)fs::remove(file->path());
  }

  LogicalResult writeFile(const std::string &file,
                          function_ref<LogicalResult(raw_ostream &)> write) {
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    if (error)
      return emitError() << "'" << file << "' cannot be written: " << error.message();
    if (failed(write(stream)))
      return failure();
    stream.close();
    if (!stream.has_error())
      return success();
    error = stream.error();
    stream.clear_error();
    return emitError() << "'" << file << "' cannot be written: " << error.message();
  }

  LogicalResult writeSources(const Toolchain &toolchain) {
    if (isHIVM())
      return writeFile(getSource(), [&](raw_ostream &os) { return hivm::emitHIVM(module, os); });
    std::string kernels = name + ".asc";
    ascendc::AscendCOptions text;
    if (toolchain.isLegacy())
      text.kernelForm = ascendc::KernelForm::TaskType;
    text.waitsForCores = options.form == Form::Shared;
    if (failed(writeFile(getFile(kernels),
                         [&](raw_ostream &os) { return ascendc::emitAscendC(module, os, text); })))
      return failure();
    if (options.form == Form::Object)
      return success();
    return writeFile(getSource(),
                     [&](raw_ostream &os) { return ascendc::emitLauncher(module, kernels, os); });
  }

  bool isAnyLaunch(function_ref<bool(const Object &)> condition) const {
    return llvm::any_of(*description.getArray("launches"), [&](const llvm::json::Value &launch) {
      return condition(*launch.getAsObject());
    });
  }

  LogicalResult compile(const Toolchain &toolchain) {
    Job job{options.form,
            getSource(),
            getBinary(),
            description.getObject("target")->getString("soc")->str(),
            *description.getObject("grid")->getBoolean("all_at_once"),
            *description.getObject("grid")->getBoolean("groups"),
            isAnyLaunch([](const Object &launch) { return launch.getString("kind") == "cube"; }),
            isAnyLaunch([](const Object &launch) { return launch.getString("kind") != "cube"; }),
            isAnyLaunch([](const Object &launch) {
              return *launch.getObject("memory")->getBoolean("takes_library_ub");
            })};
    FailureOr<std::vector<Command>> commands =
        makeCommands(toolchain, job, [&] { return emitError(); });
    if (failed(commands))
      return failure();
    for (const Command &command : *commands) {
      RunResult result = run(command);
      StringRef program = path::filename(command.program);
      LineTable lines(module);
      unsigned errors =
          emitCompilerOutput(result.text, (program + ": ").str(),
                             [&](StringRef file, unsigned line) { return lines.find(file, line); });
      if (!result.succeeded())
        return reportFailure(command, result, errors > 0);
      addCommand(command);
    }
    return success();
  }

  LogicalResult reportFailure(const Command &command, const RunResult &result, bool isExplained) {
    isKept = true;
    InFlightDiagnostic diagnostic = mlir::emitError(module.lookupSymbol(name)->getLoc())
                                    << path::filename(command.program) << " failed"
                                    << result.describeEnd() << "; the source is kept as "
                                    << getSource();
    diagnostic.attachNote() << "the command was: " << print(command);
    if (!isExplained && !result.text.empty())
      diagnostic.attachNote() << "it said: " << StringRef(result.text).rtrim();
    return diagnostic;
  }

  /// Commands are in the sidecar with names instead of paths: those of temporary files mean
  /// nothing to anyone.
  void addCommand(const Command &command) {
    if (!this->command.empty())
      this->command.push_back("&&");
    this->command.push_back(path::filename(command.program).str());
    for (StringRef argument : command.arguments) {
      bool isBinary = argument == getBinary();
      this->command.push_back((isBinary                       ? path::filename(options.output)
                               : argument.starts_with(folder) ? path::filename(argument)
                                                              : argument)
                                  .str());
    }
  }

  LogicalResult writeOutputs(const Toolchain &toolchain) {
    auto binary = llvm::MemoryBuffer::getFile(getBinary());
    if (!binary)
      return emitError() << path::filename(toolchain.compiler)
                         << " ended well but wrote no output: " << binary.getError().message();
    StringRef content = (*binary)->getBuffer();
    std::array<uint8_t, 32> hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(content));
    std::string version =
        toolchain.cannVersion.empty() ? "" : "CANN " + toolchain.cannVersion + ", ";
    description["call"] = options.call;
    description["object"] = Object{
        {"file", path::filename(options.output).str()},
        {"hash", "sha256:" + llvm::toHex(hash, /*LowerCase=*/true)},
        {"form", options.form == Form::Shared ? "shared" : "object"},
        {"route", sidecar::spellRoute(options.route)},
        {"toolchain", version + toolchain.description},
        {"command", std::move(command)},
    };
    std::string text = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(description))).str();
    if (llvm::Error error = writePair(options.output, content, text))
      return emitError() << "cannot write: " << llvm::toString(std::move(error));
    return success();
  }

  ModuleOp module;
  const BuildOptions &options;
  Object description;
  std::string name;
  llvm::SmallString<128> folder;
  bool isKept = false;
  llvm::json::Array command;
};

} // namespace

LogicalResult object::buildObject(ModuleOp module, const BuildOptions &options) {
  return ObjectBuilder(module, options).build();
}
