// The modelled chip as a C interface: `libattn_chip.so`.
#include "attn/Simulator/AscendC/Device/twin_interface.h"
#include "attn/Simulator/AscendC/Twin.h"
#include "attn/Simulator/AscendC/attn_chip.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

/// A kernel is the compiled text's own description of it.
static const attn_twin::Kernel *toTwin(const attn_chip_kernel *kernel) {
  return reinterpret_cast<const attn_twin::Kernel *>(kernel);
}
static twin::Library *toTwin(const attn_chip_library *library) {
  return reinterpret_cast<twin::Library *>(const_cast<attn_chip_library *>(library));
}

static void setMessage(char **message, StringRef text) {
  if (!message)
    return;
  *message = static_cast<char *>(std::malloc(text.size() + 1));
  if (!*message)
    return;
  std::memcpy(*message, text.data(), text.size());
  (*message)[text.size()] = '\0';
}

/// What a context says while it lives, one line each: `file:line: severity: text`.
namespace {
class MessageCollector {
public:
  explicit MessageCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          add(diagnostic, "error");
          for (Diagnostic &note : diagnostic.getNotes())
            add(note, "note");
          return success();
        }) {}

  const std::string &get() const { return text; }

private:
  void add(Diagnostic &diagnostic, StringRef severity) {
    SourcePlace place = getSourcePlace(diagnostic.getLocation());
    if (!text.empty())
      text += "\n";
    if (!place.file.empty())
      text += llvm::formatv("{0}:{1}: ", place.file, place.line).str();
    text += severity.str() + ": " + diagnostic.str();
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

static FailureOr<SimulationResult> run(const attn_twin::Kernel &kernel,
                                       const attn_chip_launch &launch, MLIRContext *context) {
  Location location = UnknownLoc::get(context);
  FailureOr<Chip> chip = twin::parseChip(launch.soc ? launch.soc : "", context);
  if (failed(chip))
    return failure();
  std::vector<twin::Region> regions;
  for (const attn_chip_region &region : llvm::ArrayRef(launch.regions, launch.region_count))
    regions.push_back({region.address, region.bytes, static_cast<uint8_t *>(region.data),
                       llvm::formatv("memory at {0:x}", region.address)});
  llvm::ArrayRef<uint8_t> arguments(static_cast<const uint8_t *>(launch.arguments),
                                    launch.argument_bytes);
  return twin::launch(kernel, *chip, launch.blocks, arguments, regions, SimulationOptions(),
                      location);
}

extern "C" {

__attribute__((visibility("default"))) attn_chip_library *attn_chip_open(const char *path,
                                                                         char **message) {
  std::string problem;
  std::unique_ptr<twin::Library> library = twin::Library::open(path, problem);
  if (!library)
    setMessage(message, problem);
  return reinterpret_cast<attn_chip_library *>(library.release());
}

__attribute__((visibility("default"))) void attn_chip_close(attn_chip_library *library) {
  delete toTwin(library);
}

__attribute__((visibility("default"))) const attn_chip_kernel *
attn_chip_find(const attn_chip_library *library, const char *name, char **message) {
  std::string problem;
  const attn_twin::Kernel *kernel = toTwin(library)->find(name, problem);
  if (!kernel)
    setMessage(message, problem);
  return reinterpret_cast<const attn_chip_kernel *>(kernel);
}

__attribute__((visibility("default"))) size_t
attn_chip_argument_bytes(const attn_chip_kernel *kernel) {
  return toTwin(kernel)->argumentBytes;
}

__attribute__((visibility("default"))) const char *
attn_chip_kernel_kind(const attn_chip_kernel *kernel) {
  return toTwin(kernel)->kind;
}

__attribute__((visibility("default"))) attn_chip_status
attn_chip_run(const attn_chip_kernel *kernel, const attn_chip_launch *launch, double *microseconds,
              char **message) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  MessageCollector messages(&context);
  FailureOr<SimulationResult> result = run(*toTwin(kernel), *launch, &context);
  if (succeeded(result)) {
    emitHazards(*result);
    if (microseconds)
      *microseconds = result->microseconds;
  }
  if (messages.get().empty())
    return ATTN_CHIP_OK;
  setMessage(message, messages.get());
  return failed(result) ? ATTN_CHIP_INVALID : ATTN_CHIP_HAZARD;
}

__attribute__((visibility("default"))) void attn_chip_free(char *message) { std::free(message); }

} // extern "C"
