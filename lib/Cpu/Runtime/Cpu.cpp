// Tells CPUs apart by what code generation asks them, without a table of names.
#include "attn/Cpu/Runtime/Image.h"
#include <cinttypes>
#include <cstdio>
#ifdef __x86_64__
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

using namespace attn::host;

static void append(std::string &text, uint64_t word) {
  char digits[24];
  std::snprintf(digits, sizeof(digits), ".%" PRIx64, word);
  text += digits;
}

#ifdef __x86_64__

std::string attn::host::describeCpu() {
  std::string text = "x86-64";
  // Leaves and subleaves of vendor, model and instruction sets.
  static constexpr unsigned leaves[][2] = {{0, 0},    {1, 0},    {7, 0},          {7, 1},
                                           {0xd, 1},  {0x14, 0}, {0x19, 0},       {0x1e, 1},
                                           {0x24, 0}, {0x29, 0}, {0x80000001, 0}, {0x80000008, 0}};
  unsigned registers[4];
  bool hasExtendedState = false;
  for (auto [leaf, subleaf] : leaves) {
    if (!__get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2],
                           &registers[3]))
      continue;
    if (leaf == 1) {
      registers[1] = 0; // which core this is
      hasExtendedState = registers[2] & bit_OSXSAVE;
    }
    if (leaf == 0xd)
      registers[1] = 0; // the bytes of the state in use
    if (leaf == 0x80000008)
      registers[0] = registers[2] = registers[3] = 0; // widths of addresses, numbers of cores
    for (unsigned word : registers)
      append(text, word);
  }
  if (hasExtendedState) {
    // Which registers the system saves: vectors that it does not save are not there.
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    append(text, low);
  }
  append(text, getPageBytes());
  return text;
}

#else

std::string attn::host::describeCpu() {
  std::string text = "cpu";
#ifdef __linux__
  append(text, getauxval(AT_HWCAP));
  append(text, getauxval(AT_HWCAP2));
  // The model decides how code is scheduled; on Arm it is a register that Linux shows.
  if (std::FILE *file =
          std::fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "r")) {
    char model[32];
    text += std::fgets(model, sizeof(model), file) ? model : "";
    std::fclose(file);
  }
#endif
  append(text, getPageBytes());
  return text;
}

#endif
