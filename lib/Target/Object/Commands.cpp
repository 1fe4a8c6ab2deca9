// The flags of the vendor's compilers, in one table: build_and_launch.md §1, bishengir.md §2.
#include "attn/Target/Object/Toolchain.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
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
/// Without it, an object is one for the host, with the device's code inside, which no loader takes.
constexpr StringLiteral deviceFlags[] = {"--aicore-only"};
constexpr StringLiteral libraryUBFlag = "--cce-disable-asc-reserved-ubuf";
constexpr StringLiteral link[] = {"-m", "aicorelinux", "-Ttext=0"};

/// CANN 8.0 to 8.3, for one kind of cores; kernels have the older form. These, and the links below,
/// were read in other projects and not tried.
constexpr StringLiteral legacyFlags[] = {"-xcce", "-O3", "-std=c++17", "--cce-aicore-only"};
constexpr StringLiteral legacyVectorFlag = "--cce-aicore-arch=dav-c220-vec";
constexpr StringLiteral legacyCubeFlag = "--cce-aicore-arch=dav-c220-cube";
constexpr StringLiteral legacyCodeFlags[] = {
    "-mllvm", "-cce-aicore-stack-size=0x8000",
    "-mllvm", "-cce-aicore-function-stack-size=0x8000",
    "-mllvm", "-cce-aicore-record-overflow=true",
    "-mllvm", "-cce-aicore-addr-transform",
    "-mllvm", "-cce-aicore-dcci-insert-for-scalar=false",
};
constexpr StringLiteral legacyRelocatableLink[] = {"-m", "aicorelinux", "-r", "-Ttext=0"};

/// What bishengir-compile 1.2.0 passes to hivmc, as a script in its place has seen it.
constexpr StringLiteral hivmcFlags[] = {
    "--enable-debug-info=false",    "--enable-static-bare-ptr=true",
    "--enable-bin-relocation=true", "--enable-hivm-inject-barrier-all-sync=false",
    "--enable-sanitizer=false",
};

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

/// The linker beside the compiler, or where the compiler is a link, beside what it leads to.
std::string getLinker(const Toolchain &toolchain) {
  auto getBeside = [](StringRef program) {
    llvm::SmallString<128> linker(llvm::sys::path::parent_path(program));
    llvm::sys::path::append(linker, "ld.lld");
    return linker.str().str();
  };
  std::string beside = getBeside(toolchain.compiler);
  llvm::SmallString<128> real;
  if (!llvm::sys::fs::exists(beside) && !llvm::sys::fs::real_path(toolchain.compiler, real))
    return getBeside(real);
  return beside;
}

std::vector<Command> makeCurrent(const Toolchain &toolchain, const Job &job) {
  Command command = makeCommand(toolchain.compiler, currentFlags, {});
  std::vector<std::string> &arguments = command.arguments;
  if (job.takesLibraryUB)
    arguments.push_back(libraryUBFlag.str());
  if (job.form == Form::Shared) {
    arguments.insert(arguments.end(), std::begin(sharedFlags), std::end(sharedFlags));
    arguments.insert(arguments.end(), {job.source, "-o", job.output});
    return {command};
  }
  std::string compiled = job.source + ".dev.o";
  arguments.insert(arguments.end(), std::begin(deviceFlags), std::end(deviceFlags));
  arguments.insert(arguments.end(), {job.source, "-c", "-o", compiled});
  return {command,
          makeCommand(getLinker(toolchain), link, {compiled, "-static", "-o", job.output})};
}

std::vector<Command> makeLegacy(const Toolchain &toolchain, const Job &job) {
  std::string linker = getLinker(toolchain);
  std::string compiled = job.source + (job.hasCubeKernels ? ".aic.o" : ".aiv.o");
  std::string linked = job.source + ".link.o";
  Command compile = makeCommand(toolchain.compiler, legacyFlags,
                                {job.hasCubeKernels ? legacyCubeFlag : legacyVectorFlag});
  std::vector<std::string> &arguments = compile.arguments;
  arguments.insert(arguments.end(), std::begin(legacyCodeFlags), std::end(legacyCodeFlags));
  arguments.insert(arguments.end(), {job.source, "-c", "-o", compiled});
  return {compile,
          makeCommand(linker, legacyRelocatableLink, {compiled, "-static", "-q", "-o", linked}),
          makeCommand(linker, link, {linked, "-static", "-q", "-o", job.output})};
}

/// The vendor's own last pass, then the part of its compiler that is not published.
std::vector<Command> makeHIVM(const Toolchain &toolchain, const Job &job) {
  std::string lowered = job.source + ".std.mlir";
  std::string device = "--hacc-append-device-spec=target=" + job.soc;
  Command compile = makeCommand(toolchain.compiler, {}, {lowered});
  compile.arguments.insert(compile.arguments.end(), std::begin(hivmcFlags), std::end(hivmcFlags));
  compile.arguments.insert(compile.arguments.end(), {"-o", job.output});
  return {makeCommand(toolchain.lowering, {},
                      {job.source, device, "--convert-hivm-to-std", "-o", lowered}),
          compile};
}

} // namespace

FailureOr<std::vector<Command>> object::makeCommands(const Toolchain &toolchain, const Job &job,
                                                     function_ref<InFlightDiagnostic()> emitError) {
  if (toolchain.route == sidecar::Route::HIVM) {
    if (job.form == Form::Shared)
      return emitError() << "a self-registering library is built by AscendC only: --via=ascendc";
    return makeHIVM(toolchain, job);
  }
  if (!toolchain.isLegacy())
    return makeCurrent(toolchain, job);
  if (job.form == Form::Shared)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which a self-registering library needs; build an "
                          "object instead";
  if (job.hasGroups)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which a kernel of cube and vector cores together "
                          "needs";
  if (job.doBlocksMeet)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which a kernel whose blocks meet needs; compile it "
                          "with phases=launches";
  if (job.hasCubeKernels && job.hasVectorKernels)
    return emitError() << "CANN " << toolchain.cannVersion
                       << " is older than 8.5, which an object with kernels of cube cores and of "
                          "vector cores needs";
  return makeLegacy(toolchain, job);
}
