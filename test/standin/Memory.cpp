// The window of device addresses, the bytes they stand for, and checked copies.
#include "Memory.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace attn::standin;

namespace {

// Addresses of a device: more than it has memory, since what is freed leaves holes.
constexpr uint64_t deviceWindow = 2 * deviceBytes;
constexpr uint64_t windowBytes = deviceCount * deviceWindow;
constexpr uint64_t alignment = 512;
constexpr int freshByte = 0xff;

uint64_t asAddress(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

void *reserve(int protection) {
  void *mapping =
      mmap(nullptr, windowBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    std::perror("attn stand-in: no address space for the device's memory");
    std::abort();
  }
  return mapping;
}

std::string show(const void *pointer) {
  char text[20];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

bool fromDevice(aclrtMemcpyKind kind) {
  return kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
         kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
}

bool toDevice(aclrtMemcpyKind kind) {
  return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ||
         (fromDevice(kind) && kind != ACL_MEMCPY_DEVICE_TO_HOST);
}

/// The bytes of either side of a copy: those of the device by its window, those of the host as
/// they are.
char *bytesOf(const void *pointer, uint64_t count) {
  DeviceMemory &memory = DeviceMemory::get();
  if (memory.contains(pointer))
    return memory.resolve(pointer, count);
  return const_cast<char *>(static_cast<const char *>(pointer));
}

/// Gives the pages to the system that lie in a range as a whole: others hold more than that.
void giveBack(char *data, uint64_t bytes) {
  uint64_t page = sysconf(_SC_PAGESIZE), begin = asAddress(data), end = begin + bytes;
  uint64_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last)
    madvise(data + (first - begin), last - first, MADV_DONTNEED);
}

} // namespace

DeviceMemory &DeviceMemory::get() {
  static auto *memory = new DeviceMemory;
  return *memory;
}

DeviceMemory::DeviceMemory()
    : window(asAddress(reserve(PROT_NONE))),
      backing(static_cast<char *>(reserve(PROT_READ | PROT_WRITE))) {}

bool DeviceMemory::contains(const void *address) const {
  return asAddress(address) - window < windowBytes;
}

int DeviceMemory::deviceOf(const void *address) const {
  return static_cast<int>((asAddress(address) - window) / deviceWindow);
}

std::map<uint64_t, uint64_t>::iterator DeviceMemory::findUse(uint64_t address) {
  auto next = used.upper_bound(address);
  if (next == used.begin())
    return used.end();
  auto found = std::prev(next);
  return address - found->first < found->second ? found : used.end();
}

Status DeviceMemory::allocate(int device, uint64_t bytes, void **address) {
  if (bytes == 0)
    return {InvalidParameter, "an allocation of 0 bytes"};
  std::lock_guard lock(mutex);
  std::string wish = std::to_string(bytes) + " bytes of device memory";
  if (bytes > deviceBytes - usedBytes[device])
    return {OutOfMemory, "there are not " + wish};
  uint64_t place = window + device * deviceWindow, end = place + deviceWindow;
  for (auto use = used.lower_bound(place); use != used.end() && use->first < end; ++use) {
    // One unit stays free between two uses, so that an access past the end is seen.
    if (use->first >= place + bytes + alignment)
      break;
    place = (use->first + use->second + alignment + alignment - 1) / alignment * alignment;
  }
  if (place + bytes > end)
    return {OutOfMemory, "there are not " + wish + " in one piece"};
  used[place] = bytes;
  usedBytes[device] += bytes;
  std::memset(backing + (place - window), freshByte, bytes);
  *address = reinterpret_cast<void *>(place);
  return {};
}

Status DeviceMemory::release(void *address) {
  std::lock_guard lock(mutex);
  auto use = used.find(asAddress(address));
  if (use == used.end())
    return {InvalidParameter, show(address) + " is not the begin of device memory in use"};
  usedBytes[deviceOf(address)] -= use->second;
  giveBack(backing + (use->first - window), use->second);
  used.erase(use);
  return {};
}

uint64_t DeviceMemory::bytesInUse(int device) {
  std::lock_guard lock(mutex);
  return usedBytes[device];
}

Range DeviceMemory::rangeOf(const void *address) {
  std::lock_guard lock(mutex);
  auto use = findUse(asAddress(address));
  if (use == used.end())
    return {};
  return {use->first, use->second, backing + (use->first - window)};
}

std::vector<Range> DeviceMemory::ranges(int device) {
  std::lock_guard lock(mutex);
  uint64_t begin = window + device * deviceWindow;
  std::vector<Range> result;
  for (auto use = used.lower_bound(begin); use != used.end() && use->first < begin + deviceWindow;
       ++use)
    result.push_back({use->first, use->second, backing + (use->first - window)});
  return result;
}

char *DeviceMemory::resolve(const void *address, uint64_t bytes) {
  Range range = rangeOf(address);
  uint64_t offset = asAddress(address) - range.address;
  return range.bytes && bytes <= range.bytes - offset ? range.host + offset : nullptr;
}

Status attn::standin::checkCopy(const void *target, uint64_t capacity, const void *source,
                                uint64_t count, aclrtMemcpyKind kind) {
  DeviceMemory &memory = DeviceMemory::get();
  if (count > capacity)
    return {InvalidParameter, "a copy of " + std::to_string(count) + " bytes to a place of " +
                                  std::to_string(capacity)};
  if (!target || !source)
    return {InvalidParameter, "a copy from or to a null pointer"};
  if (kind == ACL_MEMCPY_DEFAULT)
    return {};
  if (fromDevice(kind) != memory.contains(source) || toDevice(kind) != memory.contains(target))
    return {InvalidParameter, "a copy of kind " + std::to_string(kind) + " from " + show(source) +
                                  " to " + show(target) + ", of which one is on the other side"};
  return {};
}

Status attn::standin::copy(void *target, const void *source, uint64_t count) {
  char *to = bytesOf(target, count), *from = bytesOf(source, count);
  if (!to || !from)
    return {InvalidParameter, "a copy of " + std::to_string(count) + " bytes from " + show(source) +
                                  " to " + show(target) + " leaves the device memory in use"};
  std::memmove(to, from, count);
  return {};
}

Status attn::standin::fill(void *target, uint64_t capacity, int value, uint64_t count) {
  char *to = DeviceMemory::get().contains(target) ? bytesOf(target, count) : nullptr;
  if (!to || count > capacity)
    return {InvalidParameter, "a fill of " + std::to_string(count) + " bytes at " + show(target) +
                                  " leaves the device memory in use"};
  std::memset(to, value, count);
  return {};
}
