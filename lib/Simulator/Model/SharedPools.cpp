// Several bandwidths that transfers share by max-min fairness.
#include "SharedPools.h"
#include <algorithm>

using namespace attn::simulator;

void SharedPools::add(int id, double bytes, double cycles, const PoolBytes &drawn, double now) {
  advance(now);
  Flow flow = {id, bytes, bytes / cycles, {}};
  for (int pool = 0; pool < poolCount; ++pool) {
    flow.weights[pool] = drawn[pool] / bytes;
    demand[pool] += drawn[pool] / cycles;
  }
  flows.push_back(flow);
  share();
}

void SharedPools::finish(std::vector<int> &ids) {
  advance(nextEnd);
  // Ends that differ by rounding only are one.
  double tinyCycles = std::max(1e-6, time * 1e-12);
  auto isDone = [&](const Flow &flow) { return flow.left <= flow.rate * tinyCycles; };
  for (const Flow &flow : flows) {
    if (!isDone(flow))
      continue;
    ids.push_back(flow.id);
    for (int pool = 0; pool < poolCount; ++pool)
      demand[pool] -= flow.weights[pool] * flow.maxRate;
  }
  flows.erase(std::remove_if(flows.begin(), flows.end(), isDone), flows.end());
  if (flows.empty())
    demand = {}; // No rounding is carried on.
  share();
}

void SharedPools::advance(double now) {
  for (Flow &flow : flows)
    flow.left = std::max(0.0, flow.left - flow.rate * (now - time));
  time = now;
}

void SharedPools::settle(Flow &flow, double rate) {
  flow.rate = rate;
  flow.isSettled = true;
  for (int pool = 0; pool < poolCount; ++pool) {
    left[pool] = std::max(0.0, left[pool] - flow.weights[pool] * rate);
    openWeights[pool] -= flow.weights[pool];
  }
}

std::pair<double, int> SharedPools::findScarcest() const {
  // A weight this small is what subtraction leaves of none.
  constexpr double noWeight = 1e-9;
  std::pair<double, int> scarcest = {never, -1};
  for (int pool = 0; pool < poolCount; ++pool)
    if (openWeights[pool] > noWeight)
      scarcest = std::min(scarcest, {left[pool] / openWeights[pool], pool});
  return scarcest;
}

void SharedPools::share() {
  bool isPlenty = true;
  for (int pool = 0; pool < poolCount; ++pool)
    isPlenty &= demand[pool] <= capacities[pool];
  if (isPlenty) {
    for (Flow &flow : flows)
      flow.rate = flow.maxRate;
  } else {
    left = capacities;
    openWeights = {};
    for (Flow &flow : flows) {
      flow.isSettled = false;
      for (int pool = 0; pool < poolCount; ++pool)
        openWeights[pool] += flow.weights[pool];
    }
    for (size_t open = flows.size(); open > 0;) {
      auto [rate, scarce] = findScarcest();
      size_t before = open;
      for (Flow &flow : flows)
        if (!flow.isSettled && flow.maxRate <= rate) {
          settle(flow, flow.maxRate);
          --open;
        }
      if (open < before)
        continue;
      for (Flow &flow : flows)
        if (!flow.isSettled && flow.weights[scarce] > 0) {
          settle(flow, rate);
          --open;
        }
      openWeights[scarce] = 0;
    }
  }
  nextEnd = never;
  for (const Flow &flow : flows)
    nextEnd = std::min(nextEnd, time + flow.left / flow.rate);
}
