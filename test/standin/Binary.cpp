// Opening objects and running their kernels on the modelled chip: the only file that knows the
// chip.
#include "Binary.h"
#include "Memory.h"
#include "Stream.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace attn::standin;

namespace {

/// Takes over a text that the chip's library has made.
std::string takeMessage(char *message) {
  std::string text = message ? message : "";
  attn_chip_free(message);
  return text;
}

/// A file without a name that holds the object's bytes; -1 where there is none.
int makeFile(const void *data, size_t bytes) {
  int file = memfd_create("attn-object", MFD_CLOEXEC);
  const char *next = static_cast<const char *>(data);
  while (file >= 0 && bytes > 0) {
    ssize_t written = write(file, next, bytes);
    if (written <= 0) {
      close(file);
      return -1;
    }
    next += written;
    bytes -= written;
  }
  return file;
}

} // namespace

Status Binary::load(int device, uint32_t magic, const void *data, size_t bytes,
                    std::shared_ptr<Binary> &binary) {
  std::string text(static_cast<const char *>(data), bytes);
  if (isHivmText(text)) {
    binary = std::make_shared<Binary>(device, magic, std::move(text));
    return {};
  }
  int file = makeFile(data, bytes);
  if (file < 0)
    return {OutOfMemory, "no memory for an object of " + std::to_string(bytes) + " bytes"};
  // The file stays open: its number makes the path, and paths that were opened before mean the same
  // library.
  std::string path = "/proc/self/fd/" + std::to_string(file);
  char *message = nullptr;
  attn_chip_library *library = attn_chip_open(path.c_str(), &message);
  if (!library)
    return {InvalidParameter, "the object cannot be loaded: " + takeMessage(message)};
  binary = std::make_shared<Binary>(device, magic, library);
  return {};
}

Status attn::standin::findFunction(std::shared_ptr<Binary> binary, const char *name,
                                   std::shared_ptr<Function> &function) {
  if (!binary->library) {
    HivmArguments arguments;
    Status status = readHivmArguments(binary->hivm, name, arguments);
    if (status.code == Success)
      function = std::make_shared<Function>(
          Function{std::move(binary), name, nullptr, arguments.bytes, arguments.syncBase});
    return status;
  }
  char *message = nullptr;
  const attn_chip_kernel *kernel = attn_chip_find(binary->library, name, &message);
  if (!kernel)
    return {InvalidParameter,
            "the binary has no kernel " + std::string(name) + ": " + takeMessage(message)};
  std::string kind = attn_chip_kernel_kind(kernel);
  bool isOther = (kind != "__vector__" && binary->magic == vectorCoreMagic) ||
                 (kind != "__cube__" && binary->magic == cubeCoreMagic);
  if (isOther)
    return {InvalidParameter, "the kernel " + std::string(name) + " is " + kind +
                                  ", but its binary was loaded as one of other cores"};
  function = std::make_shared<Function>(
      Function{std::move(binary), name, kernel, attn_chip_argument_bytes(kernel), std::nullopt});
  return {};
}

Status attn::standin::runOnChip(Launch &launch) {
  std::vector<attn_chip_region> regions;
  for (const Range &range : DeviceMemory::get().ranges(launch.function->binary->device))
    regions.push_back({range.address, range.bytes, range.host});
  if (launch.deviceArguments) {
    size_t bytes = launch.arguments.size();
    const char *block = DeviceMemory::get().resolve(launch.deviceArguments, bytes);
    if (!block)
      return {InvalidParameter, launch.function->name + ": its arguments were freed"};
    launch.arguments.assign(block, block + bytes);
  }
  if (!launch.function->kernel)
    return {CoreException, launch.function->name + ": its launch was taken, but nothing here "
                                                   "executes objects that are made of HIVM"};
  std::string kind = attn_chip_kernel_kind(launch.function->kernel);
  // On a device more of them may wait for each other for ever.
  if (kind == "__mix__(1, 2)" && launch.blocks > countGroups())
    return {CoreException, launch.function->name + ": " + std::to_string(launch.blocks) +
                               " groups of cores are asked for, of " +
                               std::to_string(countGroups())};
  attn_chip_launch chipLaunch{}; // no name of a chip stands for the Ascend910B4
  chipLaunch.blocks = launch.blocks;
  chipLaunch.arguments = launch.arguments.data();
  chipLaunch.argument_bytes = launch.function->argumentBytes;
  chipLaunch.regions = regions.data();
  chipLaunch.region_count = regions.size();
  char *message = nullptr;
  attn_chip_status status = attn_chip_run(launch.function->kernel, &chipLaunch, nullptr, &message);
  std::string text = launch.function->name + ": " + takeMessage(message);
  if (status == ATTN_CHIP_OK)
    return {};
  return {status == ATTN_CHIP_INVALID ? InvalidParameter : CoreException, text};
}
