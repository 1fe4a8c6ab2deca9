// Who touched which bytes of local memory last, while a trace of a kernel is made: finds what an
// instruction must wait for.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H

#include "attn/Dialect/Ascend/Analysis/IndexExpression.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include <map>

namespace attn::ascend {

/// A trace is that of one core: its pipes are those of its kind.
constexpr int pipeCount = corePipeCount;
inline int getIndex(Pipe pipe) { return static_cast<int>(pipe); }

/// The last step of a pipe that an instruction must not overtake. Where the conflict is about the
/// same slot of the same buffer on both sides, `slot` names the index of the slot.
struct Need {
  int32_t step = -1;
  mlir::Value slot;
};
using Needs = std::array<Need, pipeCount>;

/// Where a memref of local memory lies at one moment of the trace, in bytes.
struct LocalPlace {
  AllocOp buffer;
  LocalMemory memory = {};
  int64_t begin = 0;
  /// The end of the buffer, or of its slot.
  int64_t end = 0;
  /// The index that chose the slot, where its number is known.
  mlir::Value slot;
  /// Where the place is not known it lies anywhere from `begin` to here.
  int64_t lastBegin = 0;
  /// Where it lies, in terms of what only the run knows.
  IndexExpression origin;
};

/// A range of numbers, in terms of what only the run knows.
struct Span {
  IndexExpression begin, end;

  bool isDisjoint(const Span &other, const IndexSymbols &symbols) const {
    return symbols.isAtMost(end, other.begin) || symbols.isAtMost(other.end, begin);
  }
};

/// The pieces of local memory: who wrote each, and the last reader of each pipe since.
class LocalHistory {
public:
  /// Instructions that write different bytes: which of them belong together, and in which pass
  /// through the block around them.
  struct Apart {
    int64_t group;
    int32_t frame;

    bool operator==(const Apart &other) const {
      return group == other.group && frame == other.frame;
    }
  };

  /// Who accesses: a step of a pipe, as which instruction, and for one that writes an unknown part
  /// of its bytes that part, or which writes it keeps apart from.
  struct Actor {
    int32_t step;
    Pipe pipe;
    mlir::Operation *op;
    bool isWrite;
    /// Whether its pipe keeps it in order with others of this kind.
    bool isOrdered;
    const Span *part;
    std::optional<Apart> apart;
  };

  explicit LocalHistory(const IndexSymbols &symbols) : symbols(symbols) {}

  /// Pieces that were cut from others have the history of these.
  void grow(llvm::ArrayRef<int32_t> origins);
  /// Adds to `needs` what an access to some pieces must wait for.
  void collect(llvm::ArrayRef<int32_t> touched, const LocalPlace &place, const Actor &actor,
               Needs &needs) const;
  /// Remembers the access as done.
  void record(llvm::ArrayRef<int32_t> touched, const LocalPlace &place, const Actor &actor);

private:
  struct Touch : Actor {
    AllocOp buffer;
    mlir::Value slot;
  };
  /// A touch by its number: an access has many pieces. What is asked most is here, too.
  struct TouchOfPiece {
    int32_t touch;
    int32_t step;
    Pipe pipe;
  };
  struct Piece {
    /// The last that wrote all of it, and those that wrote parts since.
    llvm::SmallVector<TouchOfPiece, 2> writers;
    llvm::SmallVector<TouchOfPiece, 3> readers; // one per pipe
  };

  static void add(Needs &needs, const Touch &touch, const LocalPlace &place);
  static void addReader(Piece &piece, TouchOfPiece touch);
  void addPart(Piece &piece, TouchOfPiece touch);

  const IndexSymbols &symbols;
  std::vector<Touch> touches;
  std::vector<Piece> pieces;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H
