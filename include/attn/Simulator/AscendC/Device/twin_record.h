// What the twin's calls are made of: element types, the record of a call, and rules for its
// arguments.
#ifndef ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_RECORD_H
#define ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_RECORD_H

#include "twin_interface.h"

#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)

using half = _Float16;
using bfloat16_t = __bf16;

namespace attn_twin {

/// The chip of the launch that this thread runs.
inline thread_local const Chip *chip = nullptr;

template <typename T> struct ElementOf;
template <> struct ElementOf<float> {
  static constexpr ElementType value = ElementType::F32;
};
template <> struct ElementOf<half> {
  static constexpr ElementType value = ElementType::F16;
};
template <> struct ElementOf<bfloat16_t> {
  static constexpr ElementType value = ElementType::BF16;
};
template <> struct ElementOf<int8_t> {
  static constexpr ElementType value = ElementType::Int8;
};
template <> struct ElementOf<uint8_t> {
  static constexpr ElementType value = ElementType::Int8;
};
template <> struct ElementOf<int16_t> {
  static constexpr ElementType value = ElementType::Int16;
};
template <> struct ElementOf<uint16_t> {
  static constexpr ElementType value = ElementType::Int16;
};
template <> struct ElementOf<int32_t> {
  static constexpr ElementType value = ElementType::Int32;
};
template <> struct ElementOf<int64_t> {
  static constexpr ElementType value = ElementType::Int64;
};
template <> struct ElementOf<uint64_t> {
  static constexpr ElementType value = ElementType::Int64;
};

template <typename T, typename U> constexpr bool isSame = false;
template <typename T> constexpr bool isSame<T, T> = true;

/// What kernels take indices from.
template <typename T>
constexpr bool isIndex = isSame<T, uint16_t> || isSame<T, int32_t> || isSame<T, int64_t>;

template <typename T> constexpr bool isBF16 = isSame<T, bfloat16_t>;
/// What the vector unit computes on, of the types that the chip model knows.
template <typename T> constexpr bool isArithmetic = isSame<T, float> || isSame<T, half>;
template <typename T> constexpr uint64_t lanes = 256 / sizeof(T);

template <typename T, typename U>
constexpr bool isWidening = isSame<T, float> && (isSame<U, half> || isBF16<U>);
template <typename T, typename U>
constexpr bool isNarrowing = isSame<U, float> && (isSame<T, half> || isBF16<T>);

template <typename T, typename U>
constexpr bool isRounding = isSame<U, float> && isSame<T, int32_t>;
template <typename T, typename U>
constexpr bool isFromInteger = isSame<U, int32_t> && isSame<T, float>;

/// By bytes: not every machine that compiles this has the arithmetic of 16-bit floats.
template <typename T> bool isZero(const T &value) {
  const T zero = {};
  return __builtin_memcmp(&value, &zero, sizeof(T)) == 0;
}

/// How the record holds a scalar: floating-point numbers as float, integers by their bits.
template <typename T> struct ScalarOf {
  using type = int32_t;
};
template <> struct ScalarOf<float> {
  using type = float;
};
template <> struct ScalarOf<half> {
  using type = float;
};
template <> struct ScalarOf<bfloat16_t> {
  using type = float;
};

/// Fills a record; the call at its end sends it.
class Record {
public:
  explicit Record(CallKind kind, int32_t function = 0) {
    call.kind = kind;
    call.function = function;
    call.mask = -1;
  }

  Record &on(const Operand &operand) {
    call.operands[call.operandCount++] = operand;
    return *this;
  }
  Record &count(int64_t count) {
    call.amount = count;
    return *this;
  }
  Record &repeats(int64_t mask, int64_t repeats) {
    call.mask = mask;
    call.amount = repeats;
    return *this;
  }
  Record &stride(int64_t stride) {
    call.strides[call.strideCount++] = stride;
    return *this;
  }
  Record &amounts(int64_t first, int64_t second = 0, int64_t third = 0) {
    call.amounts[0] = first;
    call.amounts[1] = second;
    call.amounts[2] = third;
    return *this;
  }
  Record &pitch(int64_t pitch) {
    call.pitch = pitch;
    return *this;
  }
  Record &scalar(float value) {
    call.real = value;
    return *this;
  }
  Record &scalar(int32_t value) {
    call.integer = value;
    return *this;
  }
  void send(Source at) { chip->call(chip->context, &call, at); }

  Call call = {};
};

/// Refuses a call where `holds` does not: a rule for what is only known when the text runs.
inline void require(bool holds, const char *otherwise, Source at) {
  if (!holds)
    chip->refuse(chip->context, otherwise, at);
}

} // namespace attn_twin

/// Where a call stands, as the last parameter of each.
#define ATTN_TWIN_HERE                                                                             \
  attn_twin::Source at = {__builtin_FILE(), static_cast<uint32_t>(__builtin_LINE())}
/// A rule for arguments that are known when the text is compiled.
#define ATTN_TWIN_RULE(condition, text) __attribute__((diagnose_if(!(condition), text, "error")))
#define ATTN_TWIN_COUNT ATTN_TWIN_RULE(count >= 0, "a count must not be negative")
#define ATTN_TWIN_MASK(T)                                                                          \
  ATTN_TWIN_RULE(mask >= 1 && mask <= attn_twin::lanes<T>, "a mask has 1 to 256 / sizeof(T) "      \
                                                           "lanes")

#pragma clang attribute pop

#endif // ATTN_SIMULATOR_ASCENDC_DEVICE_TWIN_RECORD_H
