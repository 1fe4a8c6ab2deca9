// Conflicts by pieces: exact for runs at any pitch, so that interleaved accesses do not meet.
#include "attn/Dialect/Ascend/Analysis/MemoryHistory.h"

using namespace mlir;
using namespace attn::ascend;

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

void LocalHistory::grow(ArrayRef<int32_t> origins) {
  for (size_t piece = pieces.size(); piece < origins.size(); ++piece)
    pieces.push_back(origins[piece] < 0 ? Piece() : Piece(pieces[origins[piece]]));
}

void LocalHistory::collect(ArrayRef<int32_t> touched, const LocalPlace &place, const Actor &actor,
                           Needs &needs) const {
  // A writer is met in many pieces, and to prove two parts apart takes the longest: what changes
  // nothing is left out before, and what was proved is remembered.
  llvm::SmallPtrSet<const Span *, 4> disjoint;
  auto isInOrder = [&](const Touch &touch) {
    return actor.isOrdered && touch.isOrdered && touch.pipe == actor.pipe;
  };
  auto changes = [&](TouchOfPiece touch) {
    const Need &need = needs[getIndex(touch.pipe)];
    return touch.step > need.step || (touch.step == need.step && need.slot);
  };
  auto meets = [&](const Touch &writer) {
    if (actor.isWrite && actor.apart && actor.apart == writer.apart)
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
  for (int32_t number : touched) {
    const Piece &piece = pieces[number];
    for (TouchOfPiece by : piece.writers)
      if (const Touch &writer = touches[by.touch];
          changes(by) && !isInOrder(writer) && meets(writer))
        add(needs, writer, place);
    if (!actor.isWrite)
      continue;
    for (TouchOfPiece by : piece.readers)
      if (const Touch &reader = touches[by.touch]; changes(by) && !isInOrder(reader))
        add(needs, reader, place);
  }
}

void LocalHistory::addReader(Piece &piece, TouchOfPiece touch) {
  auto *same =
      llvm::find_if(piece.readers, [&](TouchOfPiece reader) { return reader.pipe == touch.pipe; });
  if (same == piece.readers.end())
    piece.readers.push_back(touch);
  else
    *same = touch;
}

/// What was there before stays, since a later one may meet it and not this. Of an instruction that
/// comes again the earlier parts are no longer told apart, and one of each pipe stands for all.
void LocalHistory::addPart(Piece &piece, TouchOfPiece touch) {
  auto *again = llvm::find_if(piece.writers, [&](TouchOfPiece writer) {
    return touches[writer.touch].op == touches[touch.touch].op && touches[writer.touch].part;
  });
  if (again != piece.writers.end()) {
    Touch whole = touches[again->touch];
    whole.part = nullptr;
    again->touch = touches.size();
    touches.push_back(whole);
    int32_t step = again->step;
    llvm::erase_if(piece.writers, [&](TouchOfPiece writer) {
      return !touches[writer.touch].part && writer.pipe == touch.pipe && writer.step < step;
    });
  }
  piece.writers.push_back(touch);
}

void LocalHistory::record(ArrayRef<int32_t> touched, const LocalPlace &place, const Actor &actor) {
  TouchOfPiece touch{static_cast<int32_t>(touches.size()), actor.step, actor.pipe};
  touches.push_back({actor, place.buffer, place.slot});
  for (int32_t number : touched) {
    Piece &piece = pieces[number];
    if (!actor.isWrite) {
      addReader(piece, touch);
    } else if (actor.part) {
      addPart(piece, touch);
    } else {
      piece.writers.assign(1, touch);
      piece.readers.clear();
    }
  }
}
