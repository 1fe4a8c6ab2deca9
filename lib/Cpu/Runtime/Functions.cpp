// What compiled kernels may call.
#include "attn/Cpu/Runtime/Image.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

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
  };
  for (const Function &function : functions)
    if (function.name == name)
      return function.address;
  return nullptr;
}
