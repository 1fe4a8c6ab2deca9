// Who touched which bytes last, while a trace of a kernel is made: finds what an instruction must
// wait for.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H

#include "attn/Dialect/Ascend/Analysis/IndexExpression.h"
#include "attn/Dialect/Ascend/IR/Ascend.h"
#include <map>

namespace attn::ascend {

constexpr int pipeCount = static_cast<int>(Pipe::ALL);
inline int getIndex(Pipe pipe) { return static_cast<int>(pipe); }

/// The last step of a pipe that an instruction must not overtake. Where the conflict is about the
/// same slot of the same buffer on both sides, `slot` names the index of the slot.
struct Need {
  int32_t step = -1;
  mlir::Value slot;
};
using Needs = std::array<Need, pipeCount>;

/// Where a memref of UB lies at one moment of the trace, in bytes.
struct LocalPlace {
  AllocOp buffer;
  int64_t begin = 0;
  /// The end of the buffer, or of its slot.
  int64_t end = 0;
  /// The index that chose the slot, where its number is known.
  mlir::Value slot;
  /// Whether the place itself is known; if not, it lies anywhere from `begin` on.
  bool isExact = true;
};

/// A range of one dimension, or all of it.
struct Extent {
  IndexExpression begin;
  std::optional<int64_t> size;
};

/// The bytes of UB: per piece the last writer, and the last reader of each pipe since.
class LocalHistory {
public:
  /// Who accesses: a step of a pipe, and the scalar that it fills an unknown number of bytes with,
  /// if it does that.
  struct Actor {
    int32_t step;
    Pipe pipe;
    mlir::Value fill;
  };

  /// Adds to `needs` what an access must wait for. Two such fills of one buffer with the same
  /// scalar may come in any order: what waits for the later one waits for both.
  void collect(const LocalPlace &place, const Access &access, const Actor &actor,
               Needs &needs) const;
  /// Remembers the access as done.
  void record(const LocalPlace &place, const Access &access, const Actor &actor);

private:
  struct Touch : Actor {
    AllocOp buffer;
    mlir::Value slot;
  };
  struct Piece {
    int64_t end;
    std::optional<Touch> writer;
    llvm::SmallVector<Touch, 2> readers; // one per pipe
  };
  using Pieces = std::map<int64_t, Piece>;

  static void add(Needs &needs, const Touch &touch, const LocalPlace &place);
  /// The first piece that begins at `position` or later, after cutting one that crosses it.
  Pieces::iterator cut(int64_t position);

  Pieces pieces;
};

/// The arrays of GM: the touches of arrays that the kernel writes.
class GlobalHistory {
public:
  struct Touch {
    int32_t step;
    Pipe pipe;
    bool isWrite;
    llvm::SmallVector<Extent, 4> extents;
  };

  /// Adds to `needs` what `touch` must wait for, unless `areApart` says that two steps never meet,
  /// and remembers it.
  void add(mlir::Value array, Touch touch, Needs &needs,
           llvm::function_ref<bool(int32_t, int32_t)> areApart);

private:
  llvm::DenseMap<mlir::Value, std::vector<Touch>> touches;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYHISTORY_H
