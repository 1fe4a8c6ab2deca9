// Cuts pieces where a new footprint begins or ends.
#include "LocalPieces.h"
#include "llvm/ADT/MapVector.h"

using namespace attn::ascend;

int32_t LocalPieces::getFootprint(int32_t number, const LocalPlace &place, const Access &access) {
  if (number >= static_cast<int32_t>(known.size()))
    known.resize(number + 1);
  // Loops run a few trips, so an access is at few places.
  for (const Known &before : known[number])
    if (before.begin == place.begin && before.lastBegin == place.lastBegin &&
        before.end == place.end)
      return before.footprint;
  int32_t footprint = footprints.size();
  known[number].push_back({place.begin, place.lastBegin, place.end, footprint});
  addFootprint(memories[static_cast<size_t>(place.memory)], getRuns(place, access));
  return footprint;
}

llvm::SmallVector<LocalPieces::Run> LocalPieces::getRuns(const LocalPlace &place,
                                                         const Access &access) {
  llvm::SmallVector<Run> runs;
  int64_t room = place.end - place.begin;
  auto addRun = [&](int64_t begin, int64_t end) {
    runs.push_back({place.begin + begin, place.begin + std::min(end, room)});
  };
  if (access.toEnd)
    addRun(0, room);
  else if (isWidened(access, place))
    addRun(0, access.getExtentBytes() + place.lastBegin - place.begin);
  else
    access.forEachRun(room, addRun);
  llvm::erase_if(runs, [](Run run) { return run.begin >= run.end; });
  // Levels may interleave, so that runs come in any order.
  llvm::sort(runs, [](Run a, Run b) { return a.begin < b.begin; });
  size_t last = 0;
  for (Run run : runs)
    if (run.begin <= runs[last].end)
      runs[last].end = std::max(runs[last].end, run.end);
    else
      runs[++last] = run;
  runs.truncate(runs.empty() ? 0 : last + 1);
  return runs;
}

void LocalPieces::cut(Intervals &intervals, int64_t position) {
  auto next = intervals.lower_bound(position);
  if (next == intervals.begin())
    return;
  auto before = std::prev(next);
  if (before->second.end <= position)
    return;
  intervals.emplace_hint(next, position, before->second);
  before->second.end = position;
}

int32_t LocalPieces::makePiece(int32_t origin, int64_t bytes) {
  origins.push_back(origin);
  sizes.push_back(bytes);
  touching.emplace_back();
  return origins.size() - 1;
}

void LocalPieces::addFootprint(Intervals &intervals, llvm::ArrayRef<Run> runs) {
  // How many bytes of each piece it touches; all that is new is one piece.
  llvm::SmallMapVector<int32_t, int64_t, 8> touched;
  int32_t fresh = -1;
  for (Run run : runs) {
    cut(intervals, run.begin);
    cut(intervals, run.end);
    auto interval = intervals.lower_bound(run.begin);
    for (int64_t position = run.begin; position < run.end; ++interval) {
      if (interval == intervals.end() || interval->first > position) {
        int64_t end = interval == intervals.end() ? run.end : std::min(run.end, interval->first);
        if (fresh < 0)
          fresh = makePiece(-1, 0);
        sizes[fresh] += end - position;
        interval = intervals.emplace_hint(interval, position, Interval{end, fresh});
      }
      touched[interval->second.piece] += interval->second.end - position;
      position = interval->second.end;
    }
  }

  int32_t number = footprints.size();
  llvm::SmallVector<int32_t, 4> pieces;
  llvm::SmallDenseMap<int32_t, int32_t> parts;
  for (auto [piece, bytes] : touched) {
    int32_t inside = piece;
    if (bytes != sizes[piece]) {
      inside = makePiece(piece, bytes);
      sizes[piece] -= bytes;
      parts[piece] = inside;
      touching[inside] = touching[piece];
      for (int32_t other : touching[inside])
        footprints[other].push_back(inside);
    }
    touching[inside].push_back(number);
    pieces.push_back(inside);
  }
  footprints.push_back(std::move(pieces));
  if (parts.empty())
    return;
  for (Run run : runs)
    for (auto interval = intervals.lower_bound(run.begin);
         interval != intervals.end() && interval->first < run.end; ++interval)
      if (auto part = parts.find(interval->second.piece); part != parts.end())
        interval->second.piece = part->second;
}
