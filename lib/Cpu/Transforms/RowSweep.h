// One linalg operation on buffers as a sweep: which loop goes along the vectors, and how operands
// are read.
#ifndef ATTN_CPU_COMPILER_ROWSWEEP_H
#define ATTN_CPU_COMPILER_ROWSWEEP_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// Where a sweep is: `count` elements from index `inner` of the inner loop on.
struct Place {
  mlir::Value outer, inner;
  int64_t count;
  /// Whether all of them lie before the sweep's limit.
  bool isInside = false;
};

/// The two loops of an operation: `outer` one by one, `inner` along vectors.
class RowSweep {
public:
  /// Chooses the loops, or says at `op` why it cannot be swept.
  static mlir::FailureOr<RowSweep> create(mlir::linalg::GenericOp op, int64_t lanes);

  /// Elements of a vector; 1 where the elements do not lie one after the other.
  int64_t getLanes() const { return lanes; }
  /// Elements along the inner loop; `ShapedType::kDynamic` where only the run tells.
  int64_t getInnerSize() const { return innerSize; }
  bool isInnerDynamic() const { return mlir::ShapedType::isDynamic(innerSize); }
  /// The same as a value.
  mlir::Value createInnerSize(mlir::ImplicitLocOpBuilder &builder) const;
  /// Steps of the outer loop; `ShapedType::kDynamic` where only the run tells.
  int64_t getOuterSize() const;
  /// Whether the inner loop folds its elements into one, for one output at least.
  bool isInnerReduction() const { return innerReduction; }
  /// Whether an output is what the inner loop folds its elements into.
  bool isReduced(mlir::OpOperand &output) const {
    return innerReduction && !variesAlongInner(output);
  }
  /// How many elements of each row take part in a reduction, where the payload leaves the others
  /// out, as a 32-bit integer; null where all do.
  mlir::Value getLimit() const { return limit ? limit.getRhs() : mlir::Value(); }

  /// Emits the outer loop, by `step`, around what `body` emits for one index of it.
  void emitOuterLoop(mlir::ImplicitLocOpBuilder &builder, int64_t step,
                     llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::Value)> body);

  /// Whether the operand changes along the inner loop.
  bool variesAlongInner(mlir::OpOperand &operand) const;

  /// Whether the operand changes along the outer loop, whose length is a number.
  bool variesAlongOuter(mlir::OpOperand &operand) const;

  /// Asks for the elements that are as many rows after (outer, inner) as the outer loop has.
  void prefetch(mlir::ImplicitLocOpBuilder &builder, mlir::OpOperand &operand, mlir::Value outer,
                mlir::Value inner);

  /// Reads `count` elements of an operand from (outer, inner) on, or one element where it does not
  /// vary.
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, mlir::OpOperand &operand, mlir::Value outer,
                   mlir::Value inner, int64_t count);
  /// Writes what `load` reads; past the caches where `stream`.
  void store(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::OpOperand &operand,
             mlir::Value outer, mlir::Value inner, bool stream = false);

  /// The results of the payload for the elements at `place`, given one value per operand; null for
  /// outputs that are only written.
  llvm::SmallVector<mlir::Value> emitPayload(mlir::ImplicitLocOpBuilder &builder,
                                             llvm::ArrayRef<mlir::Value> arguments,
                                             const Place &place);

  /// The operation that folds an element into result `number`.
  mlir::Operation *getCombiner(unsigned number) const;

private:
  RowSweep(mlir::linalg::GenericOp op) : op(op) {}
  bool isContiguousAlong(int64_t loop) const;
  mlir::LogicalResult verify() const;
  /// The comparison by which the payload leaves elements of a row out of all its reductions, or
  /// null.
  mlir::arith::CmpIOp findLimit() const;
  llvm::SmallVector<mlir::Value> getIndices(mlir::ImplicitLocOpBuilder &builder,
                                            mlir::OpOperand &operand, mlir::Value outer,
                                            mlir::Value inner) const;
  /// The index of a loop: one per element along the inner loop.
  mlir::Value createIndex(mlir::ImplicitLocOpBuilder &builder, int64_t loop,
                          const Place &place) const;

  mutable mlir::linalg::GenericOp op; // a handle, whose accessors are not const
  int64_t outer = 0, inner = 1;       // numbers of loops; an outer of -1 is none
  int64_t innerSize = 0, lanes = 1;
  bool innerReduction = false;
  mutable mlir::arith::CmpIOp limit;
};

/// The number that changes nothing when `combiner` combines it.
llvm::APFloat getNeutral(mlir::Operation *combiner);

/// `type` itself, or a vector of it where `count` is more than 1.
mlir::Type widen(mlir::Type type, int64_t count);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_ROWSWEEP_H
