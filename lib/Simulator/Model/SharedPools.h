// The bandwidths that transfers share: each takes what it can, and what is scarce is split evenly.
#ifndef ATTN_LIB_SIMULATOR_MODEL_SHAREDPOOLS_H
#define ATTN_LIB_SIMULATOR_MODEL_SHAREDPOOLS_H

#include <array>
#include <limits>
#include <vector>

namespace attn::simulator {

/// What all cores draw from: HBM in both directions, what L2 gives, and what it gives and takes.
enum Pool { HBM, L2Reads, L2Total };
constexpr int poolCount = 3;
using PoolBytes = std::array<double, poolCount>;

/// Max-min fairness over several pools, in bytes per cycle, by progressive filling: all transfers
/// grow at one rate; one that comes to its own limit, or to the end of a pool that it draws from,
/// stays there. Time only moves forward.
class SharedPools {
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit SharedPools(const PoolBytes &capacities) : capacities(capacities) {}

  /// Starts a transfer `id` of `bytes` that takes `cycles` alone and draws `drawn` from the pools.
  void add(int id, double bytes, double cycles, const PoolBytes &drawn, double now);

  /// When the next transfer ends.
  double getNextEnd() const { return nextEnd; }

  /// Moves to `getNextEnd()` and removes the transfers that end there, appending their ids.
  void finish(std::vector<int> &ids);

private:
  struct Flow {
    int id;
    double left;
    double maxRate;
    /// Bytes drawn from each pool for each byte that is moved.
    PoolBytes weights;
    double rate = 0;
    bool isSettled = false;
  };

  void advance(double now);
  void share();
  void settle(Flow &flow, double rate);
  /// The rate that all open flows reach before a pool runs out, and that pool.
  std::pair<double, int> findScarcest() const;

  PoolBytes capacities;
  double time = 0;
  double nextEnd = never;
  std::vector<Flow> flows;
  /// What all flows would draw at their own limits.
  PoolBytes demand = {};
  /// While sharing: what is left of each pool, and the weights of the flows that still grow.
  PoolBytes left = {};
  PoolBytes openWeights = {};
};

} // namespace attn::simulator

#endif // ATTN_LIB_SIMULATOR_MODEL_SHAREDPOOLS_H
