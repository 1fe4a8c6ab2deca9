// Entry points that load binaries and launch kernels. Arguments are copied and checked during the
// call.
#include "Binary.h"
#include "Handles.h"
#include "Memory.h"
#include "Stream.h"
#include <algorithm>
#include <cstring>
#include <sstream>

using namespace attn::standin;

namespace {

constexpr uint32_t maxBlocks = 65535;
constexpr uint32_t magics[] = {aiCoreMagic, vectorCoreMagic, cubeCoreMagic};

Handles<Binary> &binaries() {
  static auto *table = new Handles<Binary>;
  return *table;
}

Handles<Function> &functions() {
  static auto *table = new Handles<Function>;
  return *table;
}

/// The address through which the cores of a device meet: of each device its own, and none of its
/// memory.
uint64_t syncBaseOf(int device) { return 0x5afe'0000'0000 + device * 0x1'0000ull; }

/// Arguments that are given one after the other.
struct ArgumentList {
  std::vector<char> bytes;
  bool isFinal = false;
};

Handles<ArgumentList> &argumentLists() {
  static auto *table = new Handles<ArgumentList>;
  return *table;
}

/// The last launch, for tests that compare its bytes with what a sidecar says.
struct LastLaunch {
  std::mutex mutex;
  std::string kernel;
  uint32_t blocks = 0;
  uint32_t scheduleMode = 0;
  std::vector<char> bytes;
};

LastLaunch &lastLaunch() {
  static auto *launch = new LastLaunch;
  return *launch;
}

/// Checks the options, and takes the magic from them; without one, an object is for all cores.
aclError readOptions(const aclrtBinaryLoadOptions *options, uint32_t &magic) {
  for (size_t i = 0; options && i < options->numOpt; ++i) {
    const aclrtBinaryLoadOption &option = options->options[i];
    bool isMagic =
        std::find(std::begin(magics), std::end(magics), option.value.magic) != std::end(magics);
    if (option.type == ACL_RT_BINARY_LOAD_OPT_MAGIC && !isMagic)
      return fail(InvalidParameter, "unknown magic " + std::to_string(option.value.magic));
    if (option.type == ACL_RT_BINARY_LOAD_OPT_MAGIC)
      magic = option.value.magic;
    if (option.type == ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD && option.value.isLazyLoad > 1)
      return fail(InvalidParameter, "lazy load is 0 or 1");
    if (option.type != ACL_RT_BINARY_LOAD_OPT_MAGIC &&
        option.type != ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD)
      return fail(InvalidParameter, "unknown option " + std::to_string(option.type));
  }
  return Success;
}

/// The only attribute that is known here: whether all blocks start at the same time.
aclError readAttributes(const aclrtLaunchKernelCfg *config, uint32_t &scheduleMode) {
  for (size_t i = 0; config && i < config->numAttrs; ++i) {
    const aclrtLaunchKernelAttr &attribute = config->attrs[i];
    if (attribute.id != ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE || attribute.value.schemMode > 1)
      return fail(InvalidParameter, "unknown launch attribute " + std::to_string(attribute.id));
    scheduleMode = attribute.value.schemMode;
  }
  return Success;
}

/// Copies the block with what lies after it to the device, and writes the addresses of that data
/// into the block.
aclError placeData(Launch &launch, const aclrtPlaceHolderInfo *places, size_t count) {
  DeviceMemory &memory = DeviceMemory::get();
  std::vector<char> &bytes = launch.arguments;
  size_t blockBytes = launch.function->argumentBytes;
  void *address = nullptr;
  if (Status status = memory.allocate(currentDevice(), bytes.size(), &address);
      status.code != Success)
    return report(status);
  launch.data.reset(address, [](void *data) { DeviceMemory::get().release(data); });
  for (size_t i = 0; i < count; ++i) {
    auto [addressOffset, dataOffset] = places[i];
    if (addressOffset % 8 || addressOffset + 8ull > blockBytes || dataOffset < blockBytes ||
        dataOffset >= bytes.size())
      return fail(InvalidParameter,
                  "placeholder " + std::to_string(i) + " lies outside the arguments");
    uint64_t value = reinterpret_cast<uint64_t>(address) + dataOffset;
    std::memcpy(bytes.data() + addressOffset, &value, sizeof value);
  }
  std::memcpy(memory.resolve(address, bytes.size()), bytes.data(), bytes.size());
  return Success;
}

/// Checks the address through which cores meet, where the kernel takes it and the block is known.
aclError checkSyncBase(const Launch &launch) {
  const Function &function = *launch.function;
  if (!function.syncBase || launch.deviceArguments)
    return Success;
  uint64_t given, expected = syncBaseOf(function.binary->device);
  std::memcpy(&given, launch.arguments.data() + *function.syncBase, sizeof given);
  if (given == expected)
    return Success;
  std::ostringstream text;
  text << function.name << ": its cores meet through 0x" << std::hex << expected << ", not 0x"
       << given;
  return fail(InvalidParameter, text.str());
}

/// Checks a launch, whose arguments it has, and queues it.
aclError submitLaunch(Launch launch, aclrtFuncHandle handle, aclrtStream stream,
                      const aclrtLaunchKernelCfg *cfg, const aclrtPlaceHolderInfo *places = nullptr,
                      size_t placeCount = 0) {
  launch.function = functions().find(handle);
  if (!launch.function)
    return fail(InvalidHandle, "this is not a kernel");
  const std::string &name = launch.function->name;
  if (launch.function->binary->device != currentDevice())
    return fail(InvalidHandle, name + " was loaded for another device");
  uint32_t scheduleMode = 0;
  if (aclError error = readAttributes(cfg, scheduleMode))
    return error;
  if (launch.blocks == 0 || launch.blocks > maxBlocks)
    return fail(InvalidParameter,
                name + ": " + std::to_string(launch.blocks) + " blocks are not 1 to 65535");
  size_t bytes = launch.arguments.size(), expected = launch.function->argumentBytes;
  if (placeCount ? bytes <= expected : bytes != expected)
    return fail(InvalidParameter, name + " takes " + std::to_string(expected) +
                                      " bytes of arguments, not " + std::to_string(bytes));
  if (aclError error = checkSyncBase(launch))
    return error;
  if (placeCount)
    if (aclError error = placeData(launch, places, placeCount))
      return error;
  {
    LastLaunch &last = lastLaunch();
    std::lock_guard lock(last.mutex);
    last.kernel = name;
    last.blocks = launch.blocks;
    last.scheduleMode = scheduleMode;
    last.bytes = launch.arguments;
  }
  return submit(stream, [launch = std::move(launch)]() mutable { return runOnChip(launch); });
}

/// `aclrtLaunchKernel` in both its forms: the block is in device memory, and is read when the
/// kernel starts.
aclError launchFromDevice(aclrtFuncHandle handle, uint32_t blocks, const void *arguments,
                          size_t bytes, aclrtLaunchKernelCfg *cfg, aclrtStream stream) {
  DeviceMemory &memory = DeviceMemory::get();
  if (!memory.contains(arguments) || !memory.resolve(arguments, bytes))
    return fail(InvalidParameter, "the arguments of this launch must be in device memory");
  return submitLaunch({nullptr, blocks, std::vector<char>(bytes), nullptr, arguments}, handle,
                      stream, cfg);
}

std::vector<char> copyOf(const void *data, size_t bytes) {
  return {static_cast<const char *>(data), static_cast<const char *>(data) + bytes};
}

} // namespace

// For tests

ATTN_EXPORT const char *attn_standin_last_kernel() { return lastLaunch().kernel.c_str(); }
ATTN_EXPORT uint32_t attn_standin_last_blocks() { return lastLaunch().blocks; }

ATTN_EXPORT uint32_t attn_standin_last_schedule_mode() { return lastLaunch().scheduleMode; }

ATTN_EXPORT size_t attn_standin_last_arguments(char *bytes, size_t capacity) {
  LastLaunch &last = lastLaunch();
  std::lock_guard lock(last.mutex);
  std::memcpy(bytes, last.bytes.data(), std::min(capacity, last.bytes.size()));
  return last.bytes.size();
}

// Binaries

ATTN_EXPORT aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                             const aclrtBinaryLoadOptions *options,
                                             aclrtBinHandle *binHandle) {
  ATTN_ENTRY();
  if (currentDevice() < 0)
    return fail(NoContext, "the thread has set no device");
  uint32_t magic = aiCoreMagic;
  if (aclError error = readOptions(options, magic))
    return error;
  std::shared_ptr<Binary> binary;
  if (Status status = Binary::load(currentDevice(), magic, data, length, binary);
      status.code != Success)
    return report(status);
  *binHandle = binaries().add(std::move(binary));
  return Success;
}

ATTN_EXPORT aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  ATTN_ENTRY();
  return binaries().remove(binHandle) ? aclError(Success)
                                      : fail(InvalidHandle, "this is not a binary");
}

ATTN_EXPORT aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                            aclrtFuncHandle *funcHandle) {
  ATTN_ENTRY();
  std::shared_ptr<Binary> binary = binaries().find(binHandle);
  if (!binary)
    return fail(InvalidHandle, "this is not a binary");
  std::shared_ptr<Function> function;
  if (Status status = findFunction(binary, kernelName, function); status.code != Success)
    return report(status);
  *funcHandle = functions().add(std::move(function));
  return Success;
}

// Launches

ATTN_EXPORT aclError aclrtGetHardwareSyncAddr(void **addr) {
  ATTN_ENTRY();
  if (currentDevice() < 0)
    return fail(NoContext, "the thread has set no device");
  *addr = reinterpret_cast<void *>(syncBaseOf(currentDevice()));
  return Success;
}

ATTN_EXPORT aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                   aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                   void *hostArgs, size_t argsSize,
                                                   aclrtPlaceHolderInfo *placeHolderArray,
                                                   size_t placeHolderNum) {
  ATTN_ENTRY();
  if (DeviceMemory::get().contains(hostArgs))
    return fail(InvalidParameter, "the arguments of this launch must be in host memory");
  return submitLaunch({nullptr, numBlocks, copyOf(hostArgs, argsSize), nullptr}, funcHandle, stream,
                      cfg, placeHolderArray, placeHolderNum);
}

ATTN_EXPORT aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                       const void *argsData, size_t argsSize, aclrtStream stream) {
  ATTN_ENTRY();
  return launchFromDevice(funcHandle, numBlocks, argsData, argsSize, nullptr, stream);
}

ATTN_EXPORT aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                         const void *argsData, size_t argsSize,
                                         aclrtLaunchKernelCfg *cfg, aclrtStream stream) {
  ATTN_ENTRY();
  return launchFromDevice(funcHandle, numBlocks, argsData, argsSize, cfg, stream);
}

ATTN_EXPORT aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle) {
  ATTN_ENTRY();
  if (!functions().find(funcHandle))
    return fail(InvalidHandle, "this is not a kernel");
  *argsHandle = argumentLists().add(std::make_shared<ArgumentList>());
  return Success;
}

ATTN_EXPORT aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param,
                                           size_t paramSize, aclrtParamHandle *paramHandle) {
  ATTN_ENTRY();
  std::shared_ptr<ArgumentList> list = argumentLists().find(argsHandle);
  if (!list || list->isFinal)
    return fail(InvalidHandle, "this is not a list of arguments that takes more");
  size_t alignment = paramSize >= 8 ? 8 : 4;
  list->bytes.resize((list->bytes.size() + alignment - 1) / alignment * alignment);
  std::vector<char> value = copyOf(param, paramSize);
  list->bytes.insert(list->bytes.end(), value.begin(), value.end());
  if (paramHandle)
    *paramHandle = nullptr;
  return Success;
}

ATTN_EXPORT aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  ATTN_ENTRY();
  std::shared_ptr<ArgumentList> list = argumentLists().find(argsHandle);
  if (!list)
    return fail(InvalidHandle, "this is not a list of arguments");
  list->isFinal = true;
  return Success;
}

ATTN_EXPORT aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                 aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                 aclrtArgsHandle argsHandle, void *reserve) {
  ATTN_ENTRY();
  std::shared_ptr<ArgumentList> list = argumentLists().find(argsHandle);
  if (!list || !list->isFinal)
    return fail(InvalidHandle, "this is not a finished list of arguments");
  return submitLaunch({nullptr, numBlocks, list->bytes, nullptr}, funcHandle, stream, cfg);
}
