// The operands of a product, copied in the order in which register tiles read them.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H
#define ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::jit {

/// How products are cut. A register tile has `rows` rows of `vectors` vectors; it is summed over at
/// most `mostInner` of k, with operands copied for at most `mostRows` rows and `mostCols` columns.
struct ProductBlocks {
  static constexpr int64_t vectors = 2;
  int64_t lanes, rows;
  /// How many of k one step multiplies: two where the machine multiplies pairs of bf16.
  int64_t depth = 1;
  int64_t mostRows, mostInner, mostCols;
  /// Up to so many rows take no copies: each element of the right operand is read once.
  int64_t fewRows;

  /// Columns of a register tile.
  int64_t getCols() const { return vectors * lanes; }
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
/// `value / factor`, rounded down.
mlir::Value divide(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, int64_t factor);

/// Which of `lanes` lanes from `first` on are below `count`.
mlir::Value createMask(mlir::ImplicitLocOpBuilder &builder, mlir::Value count, int64_t first,
                       int64_t lanes);

/// Elements, or vectors of them, in the type of a sum.
mlir::Value widen(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type sumType);

/// What copies of an operand consist of: elements in the type in which products are summed, or
/// words of two bf16 that follow each other along k, of which a missing second one is zero.
mlir::Type getCopiedType(const ProductBlocks &blocks, mlir::Type sumType);

/// The left operand of a product, as register tiles read it: where it lies, or a copy of rows, or
/// where it is transposed a copy of panels of `rows` rows. Pairs are made of rows only.
class LeftPanels {
public:
  /// `sumType` is the element type in which products are summed.
  LeftPanels(const Matrix &source, const ProductBlocks &blocks, mlir::Type sumType)
      : source(source), blocks(blocks), copiedType(getCopiedType(blocks, sumType)) {}

  /// The buffer that copies need; null where the operand is read where it lies.
  mlir::MemRefType getBufferType() const;
  void setBuffer(mlir::Value value) { buffer = value; }
  mlir::Value getBuffer() const { return buffer; }

  /// Copies a part.
  void copy(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  /// Element (row + more, k), or the pair of number k, of the part that was copied last.
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, int64_t more,
                   mlir::Value k) const;

private:
  bool isInPlace() const;
  void copyRows(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  void copyPanels(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);

  Matrix source;
  const ProductBlocks &blocks;
  mlir::Type copiedType;
  mlir::Value buffer;
  MatrixPart current;
};

/// The right operand of a product: panels of as many columns as a register tile has, copied, or
/// `inPlace` where they lie. What lies beyond the last column is undefined.
class RightPanels {
public:
  RightPanels(const Matrix &source, const ProductBlocks &blocks, mlir::Type sumType, bool inPlace)
      : source(source), blocks(blocks), copiedType(getCopiedType(blocks, sumType)),
        inPlace(inPlace) {}

  /// The buffer that copies need; null where there are none.
  mlir::MemRefType getBufferType() const;
  void setBuffer(mlir::Value value) { buffer = value; }

  void copy(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  /// Vector number `vector` of row `k`, or of the pair of rows of number k, of a panel; the columns
  /// that exist of it are those of `mask`, or all where that is null.
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, mlir::Value panel, mlir::Value k,
                   int64_t vector, mlir::Value mask) const;
  /// Asks for a panel of row `k + ahead` early, where it is read where it lies and is a part of a
  /// line of the cache. A panel that is not widened is a whole line: asked for, it came no earlier.
  void prefetch(mlir::ImplicitLocOpBuilder &builder, mlir::Value panel, mlir::Value k,
                int64_t ahead) const;

private:
  void copyWhole(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part, mlir::Value panels);
  void copyTransposed(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part,
                      mlir::Value panels);
  void copyElements(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part, mlir::Value panel,
                    mlir::Value firstStep);

  Matrix source;
  const ProductBlocks &blocks;
  mlir::Type copiedType;
  bool inPlace;
  mlir::Value buffer;
  MatrixPart current;
};

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H
