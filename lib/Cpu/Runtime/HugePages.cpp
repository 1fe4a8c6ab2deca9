// How the memory of large outputs is backed, on hosts where a process can ask for it.
#include "attn/Cpu/Runtime/Kernel.h"
#ifdef __linux__
#include <sys/mman.h>
#endif

void attn::host::preferHugePages(uint64_t address, uint64_t bytes) {
#ifdef __linux__
  // Fewer bytes hold no huge page for sure, or save too few faults.
  constexpr uint64_t leastBytes = uint64_t(4) << 20;
  if (bytes < leastBytes)
    return;
  uint64_t page = getPageBytes();
  uint64_t begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  // It is advice: where the system does not take it, pages stay as they are.
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)address;
  (void)bytes;
#endif
}
