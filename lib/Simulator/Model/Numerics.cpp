// Numbers as the chip holds them: widening, narrowing with named roundings.
#include "attn/Simulator/Model/Numerics.h"
#include <algorithm>
#include <limits>

using namespace attn;
using namespace attn::simulator;

float simulator::widenF16(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return fromBits(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return fromBits(sign | (exponent + 112) << 23 | fraction << 13);
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

/// Whether to add one to the kept bits, given the dropped ones.
static bool roundsUp(RoundMode mode, bool isNegative, bool isOdd, uint64_t dropped, uint64_t half) {
  switch (mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    return dropped > half || (dropped == half && isOdd);
  case RoundMode::Round:
    return dropped >= half;
  case RoundMode::Floor:
    return isNegative && dropped != 0;
  case RoundMode::Ceil:
    return !isNegative && dropped != 0;
  case RoundMode::Trunc:
    return false;
  }
  llvm_unreachable("all modes are listed");
}

/// Rounds to a format with `fractionBits` below the leading bit and the smallest normal exponent
/// `minExponent`; exponents above -minExponent + 1 become infinite.
static uint16_t narrow(float value, RoundMode mode, int fractionBits, int minExponent) {
  uint32_t bits = toBits(value);
  bool isNegative = bits >> 31;
  uint16_t sign = isNegative ? 0x8000 : 0;
  uint16_t infinity = 0x7fff & ~((1u << fractionBits) - 1);
  if (std::isnan(value))
    return sign | infinity | 1u << (fractionBits - 1) | (bits & 0x7fffff) >> (23 - fractionBits);
  if (std::isinf(value))
    return sign | infinity;
  // value = significand * 2^(exponent - 23)
  int biased = (bits >> 23) & 0xff;
  uint64_t significand = biased ? (bits & 0x7fffff) | 0x800000 : bits & 0x7fffff;
  int exponent = biased ? biased - 127 : -126;
  // Bits that do not fit; more of them below the smallest normal number.
  int shift = 23 - fractionBits + std::max(0, minExponent - exponent);
  uint64_t kept = shift > 40 ? 0 : significand >> shift;
  uint64_t dropped = shift > 40 ? significand : significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << std::min(shift - 1, 62);
  if (roundsUp(mode, isNegative, kept & 1, dropped, half))
    ++kept;
  // The leading bit of a normal number adds one to the exponent field.
  uint64_t result =
      kept +
      (exponent > minExponent ? static_cast<uint64_t>(exponent - minExponent) << fractionBits : 0);
  return sign | static_cast<uint16_t>(std::min<uint64_t>(result, infinity));
}

uint16_t simulator::narrowBF16(float value, RoundMode mode) {
  uint32_t bits = toBits(value);
  // Nearest even of a normal number, the common case.
  uint32_t exponent = bits & 0x7f800000;
  if (mode == RoundMode::Rint && exponent != 0 && exponent != 0x7f800000)
    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return narrow(value, mode, 7, -126);
}

uint16_t simulator::narrowF16(float value, RoundMode mode) { return narrow(value, mode, 10, -14); }

static double roundToInteger(double value, RoundMode mode) {
  switch (mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    return std::nearbyint(value);
  case RoundMode::Round:
    return std::round(value);
  case RoundMode::Floor:
    return std::floor(value);
  case RoundMode::Ceil:
    return std::ceil(value);
  case RoundMode::Trunc:
    return std::trunc(value);
  }
  llvm_unreachable("all modes are listed");
}

int32_t simulator::roundToInt32(float value, RoundMode mode) {
  if (std::isnan(value))
    return 0;
  double most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(std::clamp(roundToInteger(value, mode), least, most));
}

float simulator::roundFromInt32(int32_t value, RoundMode mode) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // A double holds every value of 32 bits and of f32.
  double exact = value;
  float nearest = static_cast<float>(exact);
  float below = nearest <= exact ? nearest : std::nextafter(nearest, -infinity);
  float above = nearest >= exact ? nearest : std::nextafter(nearest, infinity);
  float toZero = value < 0 ? above : below, fromZero = value < 0 ? below : above;
  switch (mode) {
  case RoundMode::None:
  case RoundMode::Rint:
    return nearest;
  case RoundMode::Round:
    return exact - below == above - exact ? fromZero : nearest;
  case RoundMode::Floor:
    return below;
  case RoundMode::Ceil:
    return above;
  case RoundMode::Trunc:
    return toZero;
  }
  llvm_unreachable("all modes are listed");
}

float simulator::loadElement(Element element, const uint8_t *at) {
  switch (element) {
  case Element::F32:
    return AccessF32::load(at);
  case Element::F16:
    return AccessF16::load(at);
  default:
    uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return widenBF16(bits);
  }
}

void simulator::storeElement(Element element, uint8_t *at, const Scalar &value) {
  switch (element) {
  case Element::F32:
    return AccessF32::store(at, value.real);
  case Element::F16:
    return AccessF16::store(at, value.real);
  case Element::BF16: {
    uint16_t bits = narrowBF16(value.real, RoundMode::Rint);
    std::memcpy(at, &bits, sizeof(bits));
    return;
  }
  default:
    std::memcpy(at, &value.integer, getBytes(element));
  }
}
