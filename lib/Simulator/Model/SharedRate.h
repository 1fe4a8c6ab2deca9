// A bandwidth that transfers share: each takes what it can, and what is scarce is split evenly.
#ifndef ATTN_LIB_SIMULATOR_MODEL_SHAREDRATE_H
#define ATTN_LIB_SIMULATOR_MODEL_SHAREDRATE_H

#include <limits>
#include <vector>

namespace attn::simulator {

/// Max-min fairness over a pool, in bytes per cycle. Time only moves forward.
class SharedRate {
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit SharedRate(double capacity) : capacity(capacity) {}

  /// Starts a transfer `id` of `bytes` that takes at most `maxRate`.
  void add(int id, double bytes, double maxRate, double now);

  /// When the next transfer ends.
  double getNextEnd() const { return nextEnd; }

  /// Moves to `getNextEnd()` and removes the transfers that end there, appending their ids.
  void finish(std::vector<int> &ids);

private:
  struct Flow {
    int id;
    double left;
    double maxRate;
    double rate;
  };

  void advance(double now);
  void share();

  double capacity;
  double time = 0;
  double nextEnd = never;
  std::vector<Flow> flows;
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_SHAREDRATE_H
