// Entry points of the process and its devices, and of device and host memory.
#include "Memory.h"
#include "Stream.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace attn::standin;

namespace {

// An Ascend910B4: counts of cores and bytes of L2 as in lib/Machine/Chip.cpp.
constexpr int64_t vectorCores = 40, l2Bytes = 96 << 20;
int64_t cubeCores = 20;
constexpr const char *cannVersion = "9.1.0"; // whose paths torch_npu is to take

std::string socName = "Ascend910B4";
thread_local int threadDevice = -1;
char contexts[deviceCount]; // a context is the address of its device's byte

bool isDevice(int64_t device) { return device >= 0 && device < deviceCount; }

aclError unknownDevice(int64_t device) {
  return fail(InvalidDevice, "there is no device " + std::to_string(device));
}

aclError allocate(void **address, size_t bytes) {
  if (currentDevice() < 0)
    return fail(NoContext, "the thread has set no device");
  return report(DeviceMemory::get().allocate(currentDevice(), bytes, address));
}

} // namespace

int attn::standin::currentDevice() { return threadDevice; }

int64_t attn::standin::countGroups() { return cubeCores; }

ATTN_EXPORT void attn_standin_set_soc(const char *name) { socName = name; }
ATTN_EXPORT void attn_standin_set_cube_cores(int64_t count) { cubeCores = count; }

ATTN_EXPORT aclError aclInit(const char *configPath) {
  ATTN_ENTRY();
  return Success;
}

ATTN_EXPORT aclError aclFinalize() {
  ATTN_ENTRY();
  return Success;
}

ATTN_EXPORT const char *aclrtGetSocName() {
  ATTN_ENTRY();
  return socName.c_str();
}

// Devices and contexts

ATTN_EXPORT aclError aclrtGetDeviceCount(uint32_t *count) {
  ATTN_ENTRY();
  *count = deviceCount;
  return Success;
}

ATTN_EXPORT aclError aclrtSetDevice(int32_t deviceId) {
  ATTN_ENTRY();
  if (!isDevice(deviceId))
    return unknownDevice(deviceId);
  threadDevice = deviceId;
  return Success;
}

ATTN_EXPORT aclError aclrtGetDevice(int32_t *deviceId) {
  ATTN_ENTRY();
  if (threadDevice < 0)
    return fail(NoContext, "the thread has set no device");
  *deviceId = threadDevice;
  return Success;
}

ATTN_EXPORT aclError aclrtResetDevice(int32_t deviceId) {
  ATTN_ENTRY();
  return isDevice(deviceId) ? aclError(Success) : unknownDevice(deviceId);
}

ATTN_EXPORT aclError aclrtGetCurrentContext(aclrtContext *context) {
  ATTN_ENTRY();
  if (threadDevice < 0)
    return fail(NoContext, "the thread has set no device");
  *context = &contexts[threadDevice];
  return Success;
}

ATTN_EXPORT aclError aclrtSetCurrentContext(aclrtContext context) {
  ATTN_ENTRY();
  int64_t device = static_cast<char *>(context) - contexts;
  if (!isDevice(device))
    return fail(InvalidHandle, "this is not a context");
  threadDevice = static_cast<int>(device);
  return Success;
}

ATTN_EXPORT aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active) {
  ATTN_ENTRY();
  if (!isDevice(deviceId))
    return unknownDevice(deviceId);
  if (flags)
    *flags = 0;
  *active = 1;
  return Success;
}

ATTN_EXPORT aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                            int64_t *value) {
  ATTN_ENTRY();
  switch (deviceInfo) {
  case ACL_DEVICE_INFO_AI_CORE_NUM:
    *value = cubeCores;
    return Success;
  case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
    *value = vectorCores;
    return Success;
  case ACL_DEVICE_INFO_L2_SIZE:
    *value = l2Bytes;
    return Success;
  default:
    return fail(InvalidParameter, "unknown capability " + std::to_string(deviceInfo));
  }
}

ATTN_EXPORT aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value) {
  ATTN_ENTRY();
  if (!isDevice(deviceId))
    return unknownDevice(deviceId);
  switch (attr) {
  case ACL_DEV_ATTR_AICORE_CORE_NUM:
  case ACL_DEV_ATTR_CUBE_CORE_NUM:
    *value = cubeCores;
    return Success;
  case ACL_DEV_ATTR_VECTOR_CORE_NUM:
    *value = vectorCores;
    return Success;
  case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
    *value = deviceBytes;
    return Success;
  case ACL_DEV_ATTR_L2_CACHE_SIZE:
    *value = l2Bytes;
    return Success;
  default:
    return fail(InvalidParameter, "unknown attribute " + std::to_string(attr));
  }
}

// Versions

ATTN_EXPORT aclError aclsysGetVersionStr(char *pkgName, char *versionStr) {
  ATTN_ENTRY();
  std::strcpy(versionStr, cannVersion);
  return Success;
}

ATTN_EXPORT aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version) {
  ATTN_ENTRY();
  *version = {};
  std::strcpy(version->version, cannVersion);
  std::strcpy(version->majorVersion, "9");
  std::strcpy(version->minorVersion, "1");
  std::strcpy(version->releaseVersion, "0");
  return Success;
}

// Memory

ATTN_EXPORT aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total) {
  ATTN_ENTRY();
  if (currentDevice() < 0)
    return fail(NoContext, "the thread has set no device");
  *total = deviceBytes;
  *free = deviceBytes - DeviceMemory::get().bytesInUse(currentDevice());
  return Success;
}

ATTN_EXPORT aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  ATTN_ENTRY();
  return allocate(devPtr, size);
}

ATTN_EXPORT aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
  ATTN_ENTRY();
  return allocate(devPtr, size);
}

ATTN_EXPORT aclError aclrtFree(void *devPtr) {
  ATTN_ENTRY();
  return report(DeviceMemory::get().release(devPtr));
}

ATTN_EXPORT aclError aclrtMallocHost(void **hostPtr, size_t size) {
  ATTN_ENTRY();
  *hostPtr = std::malloc(size);
  return *hostPtr ? aclError(Success) : fail(OutOfMemory, "the host has no such memory");
}

ATTN_EXPORT aclError aclrtFreeHost(void *hostPtr) {
  ATTN_ENTRY();
  if (DeviceMemory::get().contains(hostPtr))
    return fail(InvalidParameter, "this is memory of the device, not of the host");
  std::free(hostPtr);
  return Success;
}

ATTN_EXPORT aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes) {
  ATTN_ENTRY();
  DeviceMemory &memory = DeviceMemory::get();
  *attributes = {};
  attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  if (memory.contains(ptr)) {
    attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    attributes->location.id = memory.deviceOf(ptr);
  }
  return Success;
}

ATTN_EXPORT aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                 aclrtMemcpyKind kind) {
  ATTN_ENTRY();
  Status status = checkCopy(dst, destMax, src, count, kind);
  return report(status.code == Success ? copy(dst, src, count) : status);
}

ATTN_EXPORT aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                      aclrtMemcpyKind kind, aclrtStream stream) {
  ATTN_ENTRY();
  if (Status status = checkCopy(dst, destMax, src, count, kind); status.code != Success)
    return report(status);
  return submit(stream, [=] { return copy(dst, src, count); });
}

ATTN_EXPORT aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
  ATTN_ENTRY();
  return report(fill(devPtr, maxCount, value, count));
}

ATTN_EXPORT aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                      aclrtStream stream) {
  ATTN_ENTRY();
  return submit(stream, [=] { return fill(devPtr, maxCount, value, count); });
}

// Options, which have their defaults and change nothing here

ATTN_EXPORT aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value) {
  ATTN_ENTRY();
  *value = 0;
  return Success;
}

ATTN_EXPORT size_t aclGetCompileoptSize(aclCompileOpt opt) {
  ATTN_ENTRY();
  return 1;
}

ATTN_EXPORT aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length) {
  ATTN_ENTRY();
  if (length > 0)
    *value = 0;
  return Success;
}

ATTN_EXPORT aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value) {
  ATTN_ENTRY();
  *value = 1;
  return Success;
}
