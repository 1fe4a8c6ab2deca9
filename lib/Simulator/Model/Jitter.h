// Times that a seed shakes, so that a kernel meets other schedules.
#ifndef ATTN_LIB_SIMULATOR_MODEL_JITTER_H
#define ATTN_LIB_SIMULATOR_MODEL_JITTER_H

#include <cstdint>
#include <optional>

namespace attn::simulator {

class Jitter {
public:
  /// Without a seed every time stays as it is. Each core has a sequence of its own.
  Jitter(std::optional<uint64_t> seed, int core)
      : isOn(seed.has_value()),
        state(seed.value_or(0) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(core) + 1) {}

  /// A time between half and twice of `cycles`.
  double shake(double cycles) { return isOn ? cycles * (0.5 + 1.5 * next()) : cycles; }
  /// A time between two bounds; the usual one where nothing is shaken.
  double draw(double usual, double least, double most) {
    return isOn ? least + (most - least) * next() : usual;
  }
  double draw(double usual, double most) { return draw(usual, usual, most); }

private:
  /// From 0 to 1 (splitmix64: the same numbers on every machine).
  double next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
  }

  bool isOn;
  uint64_t state;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_JITTER_H
