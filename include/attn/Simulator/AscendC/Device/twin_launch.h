// How the modelled chip starts a kernel of the text: the kernel's packed arguments, and what the
// compiler's checks of scalar arithmetic call.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_LAUNCH_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_LAUNCH_H

#include "twin_record.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

namespace attn_twin {

template <typename Type, Type... values> struct Sequence {};

/// The packed arguments of a kernel: each argument at a multiple of max(4, its alignment).
template <typename Function> struct ArgumentBlock;
template <typename... Types> struct ArgumentBlock<void(Types...)> {
  static constexpr size_t count = sizeof...(Types);
  struct Layout {
    size_t offsets[count + 1] = {};
    size_t bytes = 0;
  };
  static constexpr Layout makeLayout() {
    constexpr size_t sizes[] = {sizeof(Types)..., 0}, aligns[] = {alignof(Types)..., 1};
    Layout layout;
    for (size_t index = 0; index < count; ++index) {
      size_t align = aligns[index] < 4 ? 4 : aligns[index];
      layout.offsets[index] = (layout.bytes + align - 1) / align * align;
      layout.bytes = layout.offsets[index] + sizes[index];
    }
    return layout;
  }
  static constexpr Layout layout = makeLayout();

  template <typename T> static T get(const char *block, size_t index) {
    T value;
    __builtin_memcpy(&value, block + layout.offsets[index], sizeof(T));
    return value;
  }
  template <size_t... indices>
  static void call(void (*kernel)(Types...), const void *block, Sequence<size_t, indices...>) {
    kernel(get<Types>(static_cast<const char *>(block), indices)...);
  }
};

template <typename Function, Function *kernel> void run(const Chip *launched, const void *block) {
  using Block = ArgumentBlock<Function>;
  chip = launched;
  Block::call(kernel, block, __make_integer_seq<Sequence, size_t, Block::count>());
}

} // namespace attn_twin

/// Offers a kernel of the text to the chip; written after the text for each of its kernels.
#define ATTN_TWIN_KERNEL(NAME, KIND)                                                               \
  extern "C" __attribute__((visibility("default"), used))                                          \
  const attn_twin::Kernel attn_twin_kernel_##NAME = {                                              \
      attn_twin::interfaceVersion, attn_twin::ArgumentBlock<decltype(NAME)>::layout.bytes, KIND,   \
      &attn_twin::run<decltype(NAME), NAME>};

//===----------------------------------------------------------------------===//
// What the compiler's checks of scalar arithmetic call
//===----------------------------------------------------------------------===//

namespace attn_twin {
/// The head of what the sanitizer passes: where it happened.
struct Checked {
  const char *file;
  uint32_t line;
  uint32_t column;
};
inline void fail(const Checked *where, const char *what) {
  chip->fail(chip->context, what, {where->file, where->line});
}
} // namespace attn_twin

#define ATTN_TWIN_CHECK(NAME, WHAT)                                                                \
  extern "C" __attribute__((visibility("hidden"), weak, used)) void __ubsan_handle_##NAME(         \
      const attn_twin::Checked *where, uint64_t, uint64_t) {                                       \
    attn_twin::fail(where, WHAT);                                                                  \
  }
ATTN_TWIN_CHECK(divrem_overflow, "divides by zero or overflows")
ATTN_TWIN_CHECK(add_overflow, "adds up to more than its type holds")
ATTN_TWIN_CHECK(sub_overflow, "subtracts to less than its type holds")
ATTN_TWIN_CHECK(mul_overflow, "multiplies to more than its type holds")
ATTN_TWIN_CHECK(negate_overflow, "negates to more than its type holds")
ATTN_TWIN_CHECK(shift_out_of_bounds, "shifts by more bits than its type has")

/// Called at every branch of the text.
extern "C" __attribute__((visibility("hidden"), weak, used)) void __sanitizer_cov_trace_pc() {
  static thread_local uint32_t steps = 0;
  if (++steps % attn_twin::stepsPerCount == 0)
    attn_twin::chip->count(attn_twin::chip->context);
}

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_LAUNCH_H
