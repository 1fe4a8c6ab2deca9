// The flags of the vendor's compilers, in one table: build_and_launch.md §1.
#include "attn/Target/Object/Toolchain.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace attn;
using namespace attn::object;

namespace {

/// From CANN 8.5 on.
constexpr StringLiteral currentFlags[] = {
    "-x", "asc", "--npu-arch=dav-2201", "-O2", "-std=c++17", "--cce-auto-sync=off",
};
constexpr StringLiteral sharedFlags[] = {"-shared", "-fPIC"};

/// CANN 8.0 to 8.3, for vector cores; its language has no word `__vector__`. These, and the links
/// below, were read in other projects and not tried.
constexpr StringLiteral legacyFlags[] = {
    "-xcce",
    "-O3",
    "-std=c++17",
    "--cce-aicore-only",
    "--cce-aicore-arch=dav-c220-vec",
    "-mllvm",
    "-cce-aicore-stack-size=0x8000",
    "-mllvm",
    "-cce-aicore-function-stack-size=0x8000",
    "-mllvm",
    "-cce-aicore-record-overflow=true",
    "-mllvm",
    "-cce-aicore-addr-transform",
    "-mllvm",
    "-cce-aicore-dcci-insert-for-scalar=false",
    "-D__vector__=__aicore__",
};
constexpr StringLiteral legacyRelocatableLink[] = {"-m", "aicorelinux", "-r", "-Ttext=0"};
constexpr StringLiteral legacyFinalLink[] = {"-m", "aicorelinux", "-Ttext=0"};

/// `flags`, then `more`.
Command makeCommand(StringRef program, ArrayRef<StringLiteral> flags,
                    std::initializer_list<StringRef> more) {
  Command command{program.str(), {}};
  for (StringRef flag : flags)
    command.arguments.push_back(flag.str());
  for (StringRef argument : more)
    command.arguments.push_back(argument.str());
  return command;
}

std::vector<Command> makeCurrent(const Toolchain &toolchain, Form form, StringRef source,
                                 StringRef output) {
  if (form == Form::Object)
    return {makeCommand(toolchain.compiler, currentFlags, {source, "-c", "-o", output})};
  Command command = makeCommand(toolchain.compiler, currentFlags, {source});
  command.arguments.insert(command.arguments.end(), std::begin(sharedFlags), std::end(sharedFlags));
  command.arguments.insert(command.arguments.end(), {"-o", output.str()});
  return {command};
}

std::vector<Command> makeLegacy(const Toolchain &toolchain, StringRef source, StringRef output) {
  llvm::SmallString<128> linker(llvm::sys::path::parent_path(toolchain.compiler));
  llvm::sys::path::append(linker, "ld.lld");
  std::string compiled = (source + ".aiv.o").str(), linked = (source + ".link.o").str();
  return {makeCommand(toolchain.compiler, legacyFlags, {source, "-c", "-o", compiled}),
          makeCommand(linker, legacyRelocatableLink, {compiled, "-static", "-q", "-o", linked}),
          makeCommand(linker, legacyFinalLink, {linked, "-static", "-q", "-o", output})};
}

} // namespace

FailureOr<std::vector<Command>> object::makeCommands(const Toolchain &toolchain, Form form,
                                                     bool doBlocksMeet, StringRef source,
                                                     StringRef output,
                                                     function_ref<InFlightDiagnostic()> emitError) {
  if (!toolchain.isLegacy())
    return makeCurrent(toolchain, form, source, output);
  if (form == Form::Shared)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which a self-registering library needs; build an "
                          "object instead";
  if (doBlocksMeet)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which a kernel whose blocks meet needs; compile it "
                          "with phases=launches";
  return makeLegacy(toolchain, source, output);
}
