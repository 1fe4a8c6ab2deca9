// Memory of the modelled device: addresses that no host code can touch, and the bytes they stand
// for.
#ifndef ATTN_TEST_STANDIN_MEMORY_H
#define ATTN_TEST_STANDIN_MEMORY_H

#include "EntryPoint.h"
#include <map>
#include <mutex>
#include <vector>

namespace attn::standin {

constexpr int deviceCount = 2;
constexpr uint64_t deviceBytes = 32ull << 30; // HBM of an Ascend910B4

/// A run of device memory that is in use: its address, and where the host finds its bytes.
struct Range {
  uint64_t address = 0;
  uint64_t bytes = 0;
  char *host = nullptr;
};

/// The memory of all devices. Every device has a window of addresses; it is reserved and
/// inaccessible, so that host code which follows a device pointer crashes, as it does on a real
/// machine. The bytes are in a second mapping, which only the stand-in knows.
class DeviceMemory {
public:
  static DeviceMemory &get();

  /// Gives memory whose bytes are all ones, which is NaN in every type of kernels.
  Status allocate(int device, uint64_t bytes, void **address);
  Status release(void *address);
  uint64_t bytesInUse(int device);

  /// Whether an address belongs to a device, in use or not.
  bool contains(const void *address) const;
  int deviceOf(const void *address) const;
  /// What is in use around an address; no bytes where nothing is.
  Range rangeOf(const void *address);
  /// All that is in use on a device.
  std::vector<Range> ranges(int device);
  /// Where the host finds bytes that are all in use, or nullptr.
  char *resolve(const void *address, uint64_t bytes);

private:
  DeviceMemory();
  std::map<uint64_t, uint64_t>::iterator findUse(uint64_t address);

  std::mutex mutex;
  uint64_t window;
  char *backing;
  std::map<uint64_t, uint64_t> used; // address -> bytes
  uint64_t usedBytes[deviceCount] = {};
};

/// Copies, after checking the kind against the pointers and the size against the destination.
Status checkCopy(const void *target, uint64_t capacity, const void *source, uint64_t count,
                 aclrtMemcpyKind kind);
Status copy(void *target, const void *source, uint64_t count);
Status fill(void *target, uint64_t capacity, int value, uint64_t count);

} // namespace attn::standin

#endif // ATTN_TEST_STANDIN_MEMORY_H
