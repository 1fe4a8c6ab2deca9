// The steps of k that register tiles take: indices and loops, elements and pairs of operands, sums.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTSTEPS_H
#define ATTN_CPU_TRANSFORMS_PRODUCTSTEPS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// How products are cut. A register tile has `rows` rows of `vectors` vectors; it is summed over at
/// most `mostInner` of k, with operands copied for at most `mostRows` rows and `mostCols` columns.
struct ProductBlocks {
  int64_t lanes, rows, vectors = 2;
  /// How many of k one step multiplies: two where the machine multiplies pairs of bf16.
  int64_t depth = 1;
  int64_t mostRows, mostInner, mostCols;
  /// Up to so many rows take no copies: each element of the right operand is read once.
  int64_t fewRows;
  /// The sums that registers hold beside operands, where there are few rows.
  int64_t mostSums;

  /// Columns of a register tile.
  int64_t getCols() const { return vectors * lanes; }
};

/// The steps of k of a product, and how many of them are whole: the last may be half a pair.
struct Steps {
  Steps(mlir::Value all, mlir::Value whole) : all(all), whole(whole) {}
  /// Those that `inner` elements are.
  Steps(mlir::ImplicitLocOpBuilder &builder, mlir::Value inner, const ProductBlocks &blocks);

  mlir::Value all, whole;
};

/// An operand in memory, rows by columns, stored the other way round where `transposed`.
struct Matrix {
  mlir::Value memref;
  bool transposed = false;

  mlir::MemRefType getType() const { return mlir::cast<mlir::MemRefType>(memref.getType()); }
  mlir::Type getElementType() const { return getType().getElementType(); }
  /// The number of rows (0) or columns (1).
  mlir::Value createSize(mlir::ImplicitLocOpBuilder &builder, int64_t dimension) const;
  /// `count` elements from (row, col) on, those that follow each other in memory.
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, mlir::Value col,
                   int64_t count) const;
};

/// A part of a matrix.
struct MatrixPart {
  mlir::Value row, col, rows, cols;
};

/// Emits a loop from `begin` to `end`, or its body alone where it runs once or never.
void emitLoop(mlir::ImplicitLocOpBuilder &builder, mlir::Value begin, mlir::Value end, int64_t step,
              llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::Value)> body);

/// Indices, folded where they are numbers.
mlir::Value createNumber(mlir::ImplicitLocOpBuilder &builder, int64_t number);
mlir::Value add(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs, mlir::Value rhs);
mlir::Value add(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs, int64_t rhs);
mlir::Value subtract(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs, mlir::Value rhs);
/// The largest multiple of `factor` that is not above `value`.
mlir::Value roundDown(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t factor);
mlir::Value multiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t factor);
/// `value / factor`, rounded down.
mlir::Value divide(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t factor);

/// Which of `lanes` lanes from `first` on are below `count`.
mlir::Value createMask(mlir::ImplicitLocOpBuilder &builder, mlir::Value count, int64_t first,
                       int64_t lanes);

/// Elements, or vectors of them, in the type of a sum.
mlir::Value widen(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type sumType);

/// A vector of bf16 as two of f32: the even ones of its elements, and the odd ones. That is one
/// operation for each, where elements that follow each other would take two.
std::pair<mlir::Value, mlir::Value> widenHalves(mlir::ImplicitLocOpBuilder &builder,
                                                mlir::Value value);

/// The even and the odd elements of two vectors that follow each other, and the other way round.
std::pair<mlir::Value, mlir::Value> deinterleave(mlir::ImplicitLocOpBuilder &builder,
                                                 mlir::Value first, mlir::Value second);
std::pair<mlir::Value, mlir::Value> interleave(mlir::ImplicitLocOpBuilder &builder,
                                               mlir::Value even, mlir::Value odd);

/// `left * factor + sum`, by vectors; of words of two bf16 the sum and the products of both.
mlir::Value createSum(mlir::ImplicitLocOpBuilder &builder, mlir::Value left, mlir::Value factor,
                      mlir::Value sum, const ProductBlocks &blocks);

/// Where lines that are asked for go. `Second`: to the second cache; as many reads as the first one
/// waits for are fewer than memory takes at once. `Once`: past it, for what is read soon, and once.
enum class Cache { Second, Once };

/// Asks for the line of the cache that an element lies in, early.
void prefetchLine(mlir::ImplicitLocOpBuilder &builder, mlir::Value memref, mlir::ValueRange place,
                  Cache cache = Cache::Second);

/// How many elements of a memref lie in a line of the cache.
int64_t countLineElements(mlir::Type elementType);

/// What copies of an operand consist of: elements in the type in which products are summed, or
/// words of two bf16 that follow each other along k, of which a missing second one is zero.
mlir::Type getCopiedType(const ProductBlocks &blocks, mlir::Type sumType);

/// bf16, or vectors of them, as the low halves of words.
mlir::Value toWords(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);

/// `2 * count` bf16 that follow each other in memory as words of two.
mlir::Value asPairs(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t count);

/// One step of k for `count` elements of the other dimension from (row, col) on, as it is copied.
/// `isRowInner` says which dimension k counts; a step that is not whole has nothing in its second
/// half.
mlir::Value loadStep(mlir::ImplicitLocOpBuilder &builder, const Matrix &source, mlir::Value row,
                     mlir::Value col, int64_t count, bool isRowInner, bool isWhole,
                     const ProductBlocks &blocks, mlir::Type copiedType);

/// `count` steps of k, which follow each other in memory from (row, col) on, as they are copied.
mlir::Value loadSteps(mlir::ImplicitLocOpBuilder &builder, const Matrix &source, mlir::Value row,
                      mlir::Value col, int64_t count, const ProductBlocks &blocks,
                      mlir::Type copiedType);

/// Stores an element or a vector.
void store(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Value buffer,
           mlir::ValueRange indices);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_PRODUCTSTEPS_H
