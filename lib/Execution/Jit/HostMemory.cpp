// How the memory of large outputs is backed, on hosts where a process can ask for it.
#include "attn/Execution/Jit/Jit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#ifdef __linux__
#include <sys/mman.h>
#endif

void attn::jit::preferHugePages(uint64_t address, uint64_t bytes) {
#ifdef __linux__
  // Fewer bytes hold no huge page for sure, or save too few faults.
  constexpr uint64_t leastBytes = uint64_t(4) << 20;
  if (bytes < leastBytes)
    return;
  uint64_t page = llvm::sys::Process::getPageSizeEstimate();
  uint64_t begin = llvm::alignTo(address, page), end = llvm::alignDown(address + bytes, page);
  // It is advice: where the system does not take it, pages stay as they are.
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)address;
  (void)bytes;
#endif
}
