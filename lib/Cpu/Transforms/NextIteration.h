// What the next iteration of a loop reads, to ask for it early.
#ifndef ATTN_CPU_TRANSFORMS_NEXTITERATION_H
#define ATTN_CPU_TRANSFORMS_NEXTITERATION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// The part of an array that takes the place of `part`, a part of one, in the next iteration of the
/// loop around it; after its last one in the next iteration of the loop around that, if the first
/// has a known number of them, else in the last one again. Null where that is not known or the
/// same. It is not checked, so it may be asked for but not be read.
mlir::Value createNextPart(mlir::ImplicitLocOpBuilder &builder, mlir::Value part);

/// What is asked for while a matrix is read, whose rows are those of memory.
class NextRows {
public:
  NextRows() = default;
  /// What `cpu.read_ahead` says, else the next part of the array.
  NextRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value memref);

  /// Whether `cpu.read_ahead` says what is asked for.
  bool areGiven() const { return isGiven; }
  /// Whether it is known what is read next.
  bool areKnown() const { return isGiven || part; }
  /// The next part of the array; null where that is not known, or `cpu.read_ahead` says what is
  /// asked for.
  mlir::Value getPart() const { return part; }

  /// A line of the matrix: that of the element (row, col), the one of that `number` to be read.
  struct Line {
    mlir::Value row, col, number;
  };

  /// Asks for as much while a line is read: for the same line of the next part, or the line of the
  /// same number of what is read ahead; where neither is known, for that `ahead` rows later.
  void prefetch(mlir::ImplicitLocOpBuilder &builder, const Line &line, int64_t ahead) const;

private:
  mlir::Value memref, part, later;
  bool isGiven = false;
};

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_NEXTITERATION_H
