// Conflicts by places in arrays: an index of the known part of each place.
#include "attn/Dialect/Ascend/Analysis/GlobalHistory.h"

using namespace mlir;
using namespace attn::ascend;

GlobalHistory::Unknowns GlobalHistory::getUnknowns(const Touch &touch) {
  Unknowns unknowns;
  for (const std::optional<Span> &span : touch.spans) {
    // Keeps the dimensions apart.
    unknowns.push_back(span ? -1 : -2);
    if (span)
      span->begin.appendUnknowns(unknowns);
  }
  return unknowns;
}

std::optional<int64_t> GlobalHistory::getReach(const Touch &touch, size_t dimension) const {
  const std::optional<Span> &span = touch.spans[dimension];
  if (!span)
    return std::nullopt;
  std::optional<IndexExpression> size = IndexExpression::subtract(span->end, span->begin);
  std::optional<int64_t> highest = size ? symbols.getHighest(*size) : std::nullopt;
  // More than any array has says nothing, and might overflow.
  constexpr int64_t limit = int64_t(1) << 48;
  return highest && *highest < limit ? highest : std::nullopt;
}

void GlobalHistory::insert(Family &family, Touch touch) const {
  family.axes.resize(touch.spans.size());
  for (auto [dimension, axis] : llvm::enumerate(family.axes)) {
    std::optional<int64_t> reach = getReach(touch, dimension);
    axis.reach = reach && axis.reach ? std::optional(std::max(*reach, *axis.reach)) : std::nullopt;
    if (axis.reach)
      axis.byBegin[touch.spans[dimension]->begin.getKnownPart()].push_back(family.touches.size());
  }
  family.touches.push_back(std::move(touch));
}

SmallVector<int32_t> GlobalHistory::findNear(const Family &family, const Touch &touch) const {
  // The dimension in which the touches differ most leaves the fewest.
  const Axis *best = nullptr;
  std::optional<int64_t> bestReach;
  int64_t begin = 0;
  for (auto [dimension, axis] : llvm::enumerate(family.axes)) {
    std::optional<int64_t> reach = getReach(touch, dimension);
    if (!axis.reach || !reach || (best && axis.byBegin.size() <= best->byBegin.size()))
      continue;
    best = &axis;
    bestReach = reach;
    begin = touch.spans[dimension]->begin.getKnownPart();
  }
  if (!best)
    return llvm::to_vector(llvm::seq<int32_t>(0, family.touches.size()));
  SmallVector<int32_t> near;
  for (auto at = best->byBegin.upper_bound(begin - *best->reach);
       at != best->byBegin.end() && at->first < begin + *bestReach; ++at)
    llvm::append_range(near, at->second);
  llvm::sort(near);
  return near;
}

/// Whether two places of one array have no number of some dimension in common.
bool GlobalHistory::areDisjoint(const Touch &a, const Touch &b) const {
  if (a.spans.size() != b.spans.size())
    return false;
  return llvm::any_of(llvm::zip(a.spans, b.spans), [&](auto spans) {
    auto &[one, other] = spans;
    return one && other && one->isDisjoint(*other, symbols);
  });
}

void GlobalHistory::add(Value array, Touch touch, Needs &needs,
                        llvm::function_ref<bool(int32_t, int32_t)> areApart) {
  std::map<Key, Family> &families = arrays[array];
  Unknowns unknowns = getUnknowns(touch);
  for (const auto &[key, family] : families) {
    if (!touch.isWrite && !std::get<bool>(key))
      continue;
    Need &need = needs[std::get<int>(key)];
    auto isOld = [&](const Touch &other) { return other.step < need.step; };
    if (isOld(family.touches.back()))
      continue;
    SmallVector<int32_t> near = std::get<Unknowns>(key) == unknowns
                                    ? findNear(family, touch)
                                    : llvm::to_vector(llvm::seq<int32_t>(0, family.touches.size()));
    // The first that meets it is the last to wait for: a pipe that is done with it is done with all
    // before.
    for (int32_t candidate : llvm::reverse(near)) {
      const Touch &other = family.touches[candidate];
      if (isOld(other))
        break;
      if (areApart(other.step, touch.step) || areDisjoint(other, touch))
        continue;
      need = {other.step, Value()};
      break;
    }
  }
  // The key is taken before the touch is moved from.
  auto &family = families[{getIndex(touch.pipe), touch.isWrite, std::move(unknowns)}];
  insert(family, std::move(touch));
}
