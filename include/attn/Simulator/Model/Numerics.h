// Numbers as the chip holds them: 16-bit floats, named roundings, NaN rules.
#ifndef ATTN_SIMULATOR_MODEL_NUMERICS_H
#define ATTN_SIMULATOR_MODEL_NUMERICS_H

#include "attn/Simulator/Model/Instruction.h"
#include <cmath>
#include <cstring>

namespace attn::simulator {

using ascend::RoundMode;

inline uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Widening is exact.
inline float widenBF16(uint16_t bits) { return fromBits(static_cast<uint32_t>(bits) << 16); }
float widenF16(uint16_t bits);

/// Narrowing rounds as named; what is too large becomes infinite (`none` rounds as `rint`).
uint16_t narrowBF16(float value, RoundMode mode);
uint16_t narrowF16(float value, RoundMode mode);

/// The integer that the named rounding gives, or the nearest that 32 bits hold; 0 for NaN.
int32_t roundToInt32(float value, RoundMode mode);
/// The f32 that the named rounding gives.
float roundFromInt32(int32_t value, RoundMode mode);

/// Maximum and minimum hand on NaN.
inline float maximum(float a, float b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : a > b ? a : b;
}
inline float minimum(float a, float b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : a < b ? a : b;
}

/// Access to memory by element: each is computed on as f32.
struct AccessF32 {
  static constexpr int64_t bytes = 4;
  static float load(const uint8_t *at) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  static void store(uint8_t *at, float value) { std::memcpy(at, &value, sizeof(value)); }
};

struct AccessF16 {
  static constexpr int64_t bytes = 2;
  static float load(const uint8_t *at) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return widenF16(bits);
  }
  static void store(uint8_t *at, float value) {
    uint16_t bits = narrowF16(value, RoundMode::Rint);
    std::memcpy(at, &bits, sizeof(bits));
  }
};

/// Loads an element of any float type.
float loadElement(Element element, const uint8_t *at);
/// Stores a scalar as an element of any type, floats rounded to nearest even.
void storeElement(Element element, uint8_t *at, const Scalar &value);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_MODEL_NUMERICS_H
