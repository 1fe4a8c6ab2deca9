// Lays out the arguments of a launch as the device's calling convention does.
#include "attn/Launch/Convention/ArgumentLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace attn;
using namespace attn::launch;

namespace {

constexpr int64_t wordBytes = 8; // pointers, sizes, strides

int64_t getBytes(const Parameter &parameter) {
  if (parameter.kind != Parameter::Kind::Scalar || parameter.type.isIndex())
    return wordBytes;
  return parameter.type.getIntOrFloatBitWidth() / 8;
}

/// Appends an argument; each is aligned to its size, and to 4 bytes at least.
void append(ArgumentLayout &layout, const Parameter *parameter, int64_t size) {
  int64_t alignment = std::max<int64_t>(4, size);
  int64_t offset = llvm::alignTo(layout.bytes, alignment);
  layout.arguments.push_back({parameter, offset, size, alignment});
  layout.bytes = offset + size;
}

} // namespace

ArgumentLayout launch::layOutArguments(const Signature &signature, Route route,
                                       bool doCoresSignal) {
  ArgumentLayout layout;
  // In AscendC the runtime passes the base itself, from what the object says about it.
  if (route == Route::HIVM && doCoresSignal)
    append(layout, nullptr, wordBytes);
  for (const Parameter &parameter : signature.parameters)
    append(layout, &parameter, getBytes(parameter));
  return layout;
}
