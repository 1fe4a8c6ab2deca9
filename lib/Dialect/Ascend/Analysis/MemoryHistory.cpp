// Conflicts by address: exact for strided rows, so that interleaved accesses do not meet.
#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"

using namespace mlir;
using namespace attn::ascend;

/// Calls `body` with each run of bytes that an access touches, inside its buffer.
static void forEachRun(const LocalPlace &place, const Access &access,
                       llvm::function_ref<void(int64_t, int64_t)> body) {
  if (access.toEnd) {
    if (place.begin < place.end)
      body(place.begin, place.end);
    return;
  }
  if (access.rows == 0 || access.rowBytes == 0)
    return;
  // Rows that touch each other are one run.
  bool isOneRun = access.rows == 1 || access.pitchBytes <= access.rowBytes;
  int64_t runs = isOneRun ? 1 : access.rows;
  int64_t runBytes =
      isOneRun ? (access.rows - 1) * access.pitchBytes + access.rowBytes : access.rowBytes;
  for (int64_t run = 0, begin = place.begin; run < runs && begin < place.end;
       ++run, begin += access.pitchBytes)
    body(begin, std::min(begin + runBytes, place.end));
}

void LocalHistory::add(Needs &needs, const Touch &touch, const LocalPlace &place) {
  Need &need = needs[getIndex(touch.pipe)];
  bool isSameSlot = touch.slot && touch.slot == place.slot && touch.buffer == place.buffer;
  Value slot = isSameSlot ? touch.slot : Value();
  // Of two conflicts with one instruction, the one that holds for every slot is the stronger.
  if (touch.step > need.step)
    need = {touch.step, slot};
  else if (touch.step == need.step && !slot)
    need.slot = Value();
}

void LocalHistory::collect(const LocalPlace &place, const Access &access, const Actor &actor,
                           Needs &needs) const {
  auto isSameFill = [&](const Touch &writer) {
    return actor.fill && actor.fill == writer.fill && actor.pipe == writer.pipe &&
           place.buffer == writer.buffer;
  };
  forEachRun(place, access, [&](int64_t begin, int64_t end) {
    auto piece = pieces.upper_bound(begin);
    if (piece != pieces.begin() && std::prev(piece)->second.end > begin)
      --piece;
    for (; piece != pieces.end() && piece->first < end; ++piece) {
      if (piece->second.writer && !isSameFill(*piece->second.writer))
        add(needs, *piece->second.writer, place);
      if (access.isWrite)
        for (const Touch &reader : piece->second.readers)
          add(needs, reader, place);
    }
  });
}

LocalHistory::Pieces::iterator LocalHistory::cut(int64_t position) {
  auto next = pieces.lower_bound(position);
  if (next == pieces.begin())
    return next;
  auto before = std::prev(next);
  if (before->second.end <= position)
    return next;
  Piece rest = before->second;
  before->second.end = position;
  return pieces.emplace_hint(next, position, std::move(rest));
}

void LocalHistory::record(const LocalPlace &place, const Access &access, const Actor &actor) {
  Touch touch{actor, place.buffer, place.slot};
  forEachRun(place, access, [&](int64_t begin, int64_t end) {
    auto piece = cut(begin);
    auto last = cut(end);
    if (access.isWrite) {
      pieces.erase(piece, last);
      pieces.emplace(begin, Piece{end, touch, {}});
      return;
    }
    for (int64_t position = begin; position < end;) {
      if (piece == last || piece->first > position) {
        int64_t gapEnd = piece == last ? end : piece->first;
        pieces.emplace(position, Piece{gapEnd, std::nullopt, {touch}});
        position = gapEnd;
        continue;
      }
      auto &readers = piece->second.readers;
      auto same =
          llvm::find_if(readers, [&](const Touch &reader) { return reader.pipe == actor.pipe; });
      if (same == readers.end())
        readers.push_back(touch);
      else
        *same = touch;
      position = piece->second.end;
      ++piece;
    }
  });
}

/// Whether two places of one array differ in a dimension by at least their extent.
static bool areDisjoint(ArrayRef<Extent> a, ArrayRef<Extent> b) {
  if (a.size() != b.size())
    return false;
  for (auto [one, other] : llvm::zip(a, b)) {
    std::optional<IndexExpression> difference = IndexExpression::subtract(other.begin, one.begin);
    std::optional<int64_t> distance = difference ? difference->getConstant() : std::nullopt;
    if (!distance)
      continue;
    if ((*distance >= 0 && one.size && *distance >= *one.size) ||
        (*distance < 0 && other.size && -*distance >= *other.size))
      return true;
  }
  return false;
}

void GlobalHistory::add(Value array, Touch touch, Needs &needs,
                        llvm::function_ref<bool(int32_t, int32_t)> areApart) {
  std::vector<Touch> &earlier = touches[array];
  for (const Touch &other : earlier) {
    Need &need = needs[getIndex(other.pipe)];
    if ((!touch.isWrite && !other.isWrite) || other.step < need.step ||
        areApart(other.step, touch.step) || areDisjoint(other.extents, touch.extents))
      continue;
    need = {other.step, Value()};
  }
  earlier.push_back(std::move(touch));
}
