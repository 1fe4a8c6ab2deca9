// What an instruction touches of one memory operand, in a form that every memory and every layout
// of the chip can be said in.
#ifndef ATTN_DIALECT_ASCEND_IR_ACCESS_H
#define ATTN_DIALECT_ASCEND_IR_ACCESS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace attn::ascend {

/// So many copies of what stands below, `pitchBytes` apart.
struct AccessLevel {
  int64_t count;
  int64_t pitchBytes;
};

/// Rows of an array, in elements, as only the run knows them: `length` elements in a row, and per
/// level (the innermost first) how many of what stands below and how far apart.
struct GlobalRange {
  struct Level {
    mlir::Value count;
    mlir::Value pitch;
  };
  mlir::Value length;
  llvm::SmallVector<Level, 1> levels;
};

/// A size that only the run knows: `amount` times `unitBytes`.
struct RuntimeSize {
  mlir::Value amount;
  int64_t unitBytes;
};

/// What an instruction touches through one memref operand, from the operand's first element on:
/// runs of `runBytes` bytes that repeat by levels, the innermost first. Without a level it is one
/// run, with one level rows, with two rows of a window or blocks of columns, with three fractals of
/// several matrices. Where an amount is only known at run time, it is the most that is touched.
struct Access {
  mlir::Value memory;
  bool isWrite = false;
  /// An amount without a known bound: everything from the first element to the end of the buffer.
  bool toEnd = false;
  int64_t runBytes = 0;
  llvm::SmallVector<AccessLevel, 3> levels = {};
  /// Of a write that is one run of bytes at run time: exactly how long that is. Two such writes
  /// into one buffer may be proved apart.
  std::optional<RuntimeSize> exactSize = {};
  /// Whether its pipe itself keeps it in order with what it touched of these bytes before: such
  /// accesses need no barrier between them.
  bool isOrdered = false;
  /// Of global memory: which part of its array.
  std::optional<GlobalRange> range = {};

  /// Bytes from the first that is touched to one past the last.
  int64_t getExtentBytes() const;

  /// Calls `body(begin, end)` with each run of bytes, relative to the first element; runs that
  /// touch each other are one. Leaves out what begins at `limit` or later.
  void forEachRun(int64_t limit, llvm::function_ref<void(int64_t, int64_t)> body) const;

  /// Whether the bytes [begin, end), relative to the first element, lie in one run.
  bool covers(int64_t begin, int64_t end) const;

private:
  /// The same bytes with as few levels as possible: none with a single copy, none whose copies
  /// touch each other.
  Access join() const;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_IR_ACCESS_H
