// What compiled kernels may call.
#include "attn/Cpu/Runtime/Image.h"
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#ifdef __x86_64__
/// Kernels convert to bf16 by integer arithmetic, but where a CPU has no bf16 instructions LLVM may
/// still carry a bf16 that is there already through a register of f32, and narrows it again by this
/// function. That is exact; other numbers are rounded to nearest even.
static __bf16 truncateToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  constexpr uint32_t quietBit = 0x400000;
  if (std::isnan(value))
    bits |= quietBit;
  else
    bits += 0x7fff + ((bits >> 16) & 1);
  auto half = static_cast<uint16_t>(bits >> 16);
  __bf16 result;
  std::memcpy(&result, &half, sizeof(result));
  return result;
}
#endif

void *attn::host::findFunction(std::string_view name) {
  struct Function {
    std::string_view name;
    void *address;
  };
  auto make = [](std::string_view name, auto *function) {
    return Function{name, reinterpret_cast<void *>(function)};
  };
  static const Function functions[] = {
      make("fmaf", static_cast<float (*)(float, float, float)>(std::fma)),
      make("roundevenf", static_cast<float (*)(float)>(std::nearbyint)),
      make("malloc", std::malloc),
      make("free", std::free),
      make("memcpy", std::memcpy),
      make("memset", std::memset),
      make("memmove", std::memmove),
#ifdef __x86_64__
      make("__truncsfbf2", truncateToBF16),
#endif
  };
  for (const Function &function : functions)
    if (function.name == name)
      return function.address;
  return nullptr;
}
