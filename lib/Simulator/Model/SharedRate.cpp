// A bandwidth that transfers share by max-min fairness.
#include "SharedRate.h"
#include <algorithm>

using namespace attn::simulator;

void SharedRate::add(int id, double bytes, double maxRate, double now) {
  advance(now);
  flows.push_back({id, bytes, maxRate, 0});
  share();
}

void SharedRate::finish(std::vector<int> &ids) {
  advance(nextEnd);
  // Ends that differ by rounding only are one.
  double tinyCycles = std::max(1e-6, time * 1e-12);
  auto isDone = [&](const Flow &flow) { return flow.left <= flow.rate * tinyCycles; };
  for (const Flow &flow : flows)
    if (isDone(flow))
      ids.push_back(flow.id);
  flows.erase(std::remove_if(flows.begin(), flows.end(), isDone), flows.end());
  share();
}

void SharedRate::advance(double now) {
  for (Flow &flow : flows)
    flow.left = std::max(0.0, flow.left - flow.rate * (now - time));
  time = now;
}

void SharedRate::share() {
  // Transfers that ask for less than an even share get what they ask for; the others split the
  // rest.
  for (Flow &flow : flows)
    flow.rate = 0;
  double left = capacity;
  size_t open = flows.size();
  for (bool settled = false; !settled && open > 0;) {
    settled = true;
    double even = left / open;
    for (Flow &flow : flows)
      if (flow.rate == 0 && flow.maxRate <= even) {
        flow.rate = flow.maxRate;
        left -= flow.maxRate;
        --open;
        settled = false;
      }
  }
  nextEnd = never;
  for (Flow &flow : flows) {
    if (flow.rate == 0)
      flow.rate = left / open;
    nextEnd = std::min(nextEnd, time + flow.left / flow.rate);
  }
}
