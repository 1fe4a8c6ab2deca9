// Conflicts by address: exact for runs at any pitch, so that interleaved accesses do not meet.
#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"

using namespace mlir;
using namespace attn::ascend;

/// Calls `body` with each run of bytes that an access touches, inside its buffer.
static void forEachRun(const LocalPlace &place, const Access &access,
                       llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t room = place.end - place.begin;
  if (access.toEnd && room > 0)
    body(place.begin, place.end);
  if (!access.toEnd)
    access.forEachRun(room, [&](int64_t begin, int64_t end) {
      body(place.begin + begin, place.begin + std::min(end, room));
    });
}

static size_t getMemoryIndex(const LocalPlace &place) { return static_cast<size_t>(place.memory); }

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
  // A writer is met in many pieces, and to prove two parts apart takes the longest: what changes
  // nothing is left out before, and what was proved is remembered.
  llvm::SmallPtrSet<const Span *, 4> disjoint;
  auto isInOrder = [&](const Touch &touch) {
    return access.isOrdered && touch.isOrdered && touch.pipe == actor.pipe;
  };
  auto meets = [&](const Touch &writer) {
    if (isInOrder(writer))
      return false;
    if (writer.step < needs[getIndex(writer.pipe)].step)
      return false;
    if (access.isWrite && actor.apart && actor.apart == writer.apart)
      return false;
    if (!actor.part || !writer.part)
      return true;
    if (disjoint.contains(writer.part))
      return false;
    bool isDisjoint = actor.part->isDisjoint(*writer.part, symbols);
    if (isDisjoint)
      disjoint.insert(writer.part);
    return !isDisjoint;
  };
  const Pieces &pieces = memories[getMemoryIndex(place)];
  forEachRun(place, access, [&](int64_t begin, int64_t end) {
    auto piece = pieces.upper_bound(begin);
    if (piece != pieces.begin() && std::prev(piece)->second.end > begin)
      --piece;
    for (; piece != pieces.end() && piece->first < end; ++piece) {
      for (const Touch &writer : piece->second.writers)
        if (meets(writer))
          add(needs, writer, place);
      if (access.isWrite)
        for (const Touch &reader : piece->second.readers)
          if (!isInOrder(reader))
            add(needs, reader, place);
    }
  });
}

LocalHistory::Pieces::iterator LocalHistory::cut(Pieces &pieces, int64_t position) {
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

void LocalHistory::addReader(Piece &piece, const Touch &touch) {
  auto same =
      llvm::find_if(piece.readers, [&](const Touch &reader) { return reader.pipe == touch.pipe; });
  if (same == piece.readers.end())
    piece.readers.push_back(touch);
  else
    *same = touch;
}

/// What was there before stays, since a later one may meet it and not this. Of an instruction that
/// comes again the earlier parts are no longer told apart, and one of each pipe stands for all.
void LocalHistory::addPart(Piece &piece, const Touch &touch) {
  auto *again = llvm::find_if(
      piece.writers, [&](const Touch &writer) { return writer.op == touch.op && writer.part; });
  if (again != piece.writers.end()) {
    again->part = nullptr;
    int32_t step = again->step;
    llvm::erase_if(piece.writers, [&](const Touch &writer) {
      return !writer.part && writer.pipe == touch.pipe && writer.step < step;
    });
  }
  piece.writers.push_back(touch);
}

void LocalHistory::record(const LocalPlace &place, const Access &access, const Actor &actor) {
  Touch touch{actor, place.buffer, place.slot, access.isOrdered};
  Pieces &pieces = memories[getMemoryIndex(place)];
  bool isWhole = access.isWrite && !actor.part;
  forEachRun(place, access, [&](int64_t begin, int64_t end) {
    auto piece = cut(pieces, begin);
    // Most often a buffer is written as it was before.
    if (isWhole && piece != pieces.end() && piece->first == begin && piece->second.end == end) {
      piece->second.writers.assign(1, touch);
      piece->second.readers.clear();
      return;
    }
    auto last = cut(pieces, end);
    if (isWhole) {
      pieces.emplace_hint(pieces.erase(piece, last), begin, Piece{end, {touch}, {}});
      return;
    }
    for (int64_t position = begin; position < end;) {
      if (piece == last || piece->first > position) {
        int64_t gapEnd = piece == last ? end : piece->first;
        piece = pieces.emplace(position, Piece{gapEnd, {}, {}}).first;
      }
      if (access.isWrite)
        addPart(piece->second, touch);
      else
        addReader(piece->second, touch);
      position = piece->second.end;
      ++piece;
    }
  });
}
