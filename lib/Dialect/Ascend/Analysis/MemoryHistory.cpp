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
  auto meets = [&](const Touch &writer) {
    const Need &need = needs[getIndex(writer.pipe)];
    if (writer.step < need.step || (writer.step == need.step && !need.slot))
      return false;
    if (isInOrder(writer))
      return false;
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
    for (const Touch &writer : piece.writers)
      if (meets(writer))
        add(needs, writer, place);
    if (actor.isWrite)
      for (const Touch &reader : piece.readers)
        if (!isInOrder(reader))
          add(needs, reader, place);
  }
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

void LocalHistory::record(ArrayRef<int32_t> touched, const LocalPlace &place, const Actor &actor) {
  Touch touch{actor, place.buffer, place.slot};
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
