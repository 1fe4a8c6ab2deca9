// The axes of the search for kernels that cube and vector cores share: how far they run apart, and
// the rows of strips (tile on the chip).
#include "GroupAxis.h"
#include "TrialCopy.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

/// Rows are computed in strips where that lets transfers overlap with arithmetic.
class StripRowsAxis : public ChoiceAxis {
public:
  using ChoiceAxis::ChoiceAxis;

  Choices getCandidates(const SizeChoice &choice) override {
    if (!choice.group)
      return {choice};
    SmallVector<int64_t> rows = {64, 32, 16, 8};
    if (space.givenGroup.stripRows)
      rows = {*space.givenGroup.stripRows};
    Choices choices;
    for (int64_t count : rows)
      choices.emplace_back(choice).group->stripRows = count;
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override { return {getCandidates(choice).back()}; }

  AxisRule getRule(const SizeChoice &) const override { return AxisRule::First; }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    if (!choice.group)
      return;
    columns.emplace_back("strip rows", std::to_string(choice.group->stripRows));
    columns.emplace_back("part", std::to_string(choice.group->part));
  }
};

/// What waits for the other kind of core has something else to do meanwhile. The distances with the
/// fewest cycles by the estimate are taken; where they have no room, vector cores come less late:
/// they keep a part of what waits for each iteration of the lag.
class DistanceAxis : public ChoiceAxis {
public:
  explicit DistanceAxis(SearchSpace &space) : ChoiceAxis(space), strips(space) {}

  Choices getCandidates(const SizeChoice &choice) override {
    if (!space.isMixed)
      return {choice};
    Choices choices = {findFastest(choice, enumerate(longest))};
    while (!space.givenGroup.lag && choices.back().group->lag > 0)
      choices.push_back(findFastest(choice, enumerate(choices.back().group->lag / 2)));
    return choices;
  }

  Choices getLeast(const SizeChoice &choice) override {
    return {space.isMixed ? with(choice, enumerate(/*mostLag=*/0).front()) : choice};
  }

  /// The estimate of sizes does not know of distances: the longest take as much memory as any.
  Choices getFastest(const SizeChoice &choice) override {
    return {space.isMixed ? with(choice, enumerate(longest).back()) : choice};
  }

  AxisRule getRule(const SizeChoice &) const override { return AxisRule::First; }

  double getSlowdown(const SizeChoice &choice) override {
    if (!choice.group || space.givenGroup.lag)
      return 1;
    const GroupChoice fastest = *findFastest(choice, enumerate(longest)).group;
    if (fastest.preload == choice.group->preload && fastest.lag == choice.group->lag)
      return 1;
    const DistanceEstimate &times = estimateDistances(choice);
    return times.getCycles(choice.group->preload, choice.group->lag) /
           times.getCycles(fastest.preload, fastest.lag);
  }

  void describe(const SizeChoice &choice,
                SmallVectorImpl<std::pair<std::string, std::string>> &columns) const override {
    if (!choice.group)
      return;
    columns.emplace_back("preload", std::to_string(choice.group->preload));
    columns.emplace_back("lag", std::to_string(choice.group->lag));
  }

private:
  /// Longer distances gain little, and the slots of exchanged tiles take L2.
  static constexpr int64_t longest = 4;

  struct Distances {
    int64_t preload, lag;
  };

  /// The distances with such a lag at most, as far as they are not given, from short to long.
  /// Vector cores cannot come later than products run ahead.
  SmallVector<Distances> enumerate(int64_t mostLag) const {
    const GivenGroup &given = space.givenGroup;
    int64_t leastPreload = given.preload.value_or(given.lag.value_or(0));
    int64_t mostPreload = given.preload.value_or(std::max(longest, leastPreload));
    SmallVector<Distances> distances;
    for (int64_t preload = leastPreload; preload <= mostPreload; ++preload) {
      int64_t most = given.lag.value_or(std::min(mostLag, preload));
      for (int64_t lag = given.lag.value_or(0); lag <= most; ++lag)
        distances.push_back({preload, lag});
    }
    return distances;
  }

  SizeChoice with(SizeChoice choice, Distances distances) const {
    const GivenGroup &given = space.givenGroup;
    choice.group = GroupChoice{distances.preload,
                               distances.lag,
                               given.slots.value_or(0),
                               /*stripRows=*/0,
                               given.part.value_or(128),
                               /*runOn=*/given.runOn.value_or(0) != 0};
    return choice;
  }

  /// Made once for all strips and distances that are tried with some sizes.
  const DistanceEstimate &estimateDistances(const SizeChoice &choice) {
    if (!trial)
      trial.emplace(space);
    auto sizes =
        llvm::map_to_vector(choice.sizes, [](const BoundSize &bound) { return bound.size; });
    if (!estimate || estimatedSizes != sizes)
      estimate = &trial->estimateDistances(strips.getCandidates(with(choice, {0, 0})));
    estimatedSizes = std::move(sizes);
    return *estimate;
  }

  /// Of equals the shortest.
  SizeChoice findFastest(const SizeChoice &choice, ArrayRef<Distances> distances) {
    const Distances *fastest = distances.begin();
    if (distances.size() > 1) {
      const DistanceEstimate &times = estimateDistances(choice);
      double least = std::numeric_limits<double>::max();
      for (const Distances &each : distances)
        if (double cycles = times.getCycles(each.preload, each.lag); cycles < least) {
          least = cycles;
          fastest = &each;
        }
    }
    return with(choice, *fastest);
  }

  StripRowsAxis strips;
  std::optional<TrialCopy> trial;
  const DistanceEstimate *estimate = nullptr; // of the trial
  SmallVector<int64_t> estimatedSizes;
};

} // namespace

void onchip::addGroupAxes(SearchSpace &space, SmallVectorImpl<std::unique_ptr<ChoiceAxis>> &axes) {
  axes.push_back(std::make_unique<DistanceAxis>(space));
  axes.push_back(std::make_unique<StripRowsAxis>(space));
}
