// The operands of a product, copied in the order in which register tiles read them.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H
#define ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H

#include "NextIteration.h"
#include "ProductSteps.h"

namespace attn::jit {

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

  /// Whether a row of bf16 is copied in pairs of vectors, of its even and its odd elements, as far
  /// as it has whole lines of the cache: as `widenHalves` gives what it is multiplied with.
  void setHalves(bool value) { inHalves = value; }

  /// Copies a part.
  void copy(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  /// Element (row + more, k), or the pair of number k, of the part that was copied last; of a pair
  /// that is not `isWhole`, the second element is zero.
  mlir::Value load(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, int64_t more,
                   mlir::Value k, bool isWhole) const;

private:
  bool isInPlace() const;
  void copyRows(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  void copyPanels(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);

  Matrix source;
  const ProductBlocks &blocks;
  mlir::Type copiedType;
  bool inHalves = false;
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

  /// Whether pairs of rows are made where they lie: the last of an odd number has no other.
  bool makesPairs() const { return inPlace && blocks.depth > 1; }

  /// Whether the vectors of whole panels are pairs of their even and their odd columns.
  bool makesHalves() const {
    return inPlace && blocks.depth == 1 && blocks.vectors % 2 == 0 &&
           source.getElementType().isBF16() && copiedType.isF32();
  }

  /// The buffer that copies need; null where there are none.
  mlir::MemRefType getBufferType() const;
  void setBuffer(mlir::Value value) { buffer = value; }

  void copy(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part);
  /// The vectors of row `k`, or of the pair of rows of number k, of a panel; the columns that exist
  /// are those of `masks`, or all where there are none. Of a pair that is not `isWhole`, the second
  /// row is zero.
  llvm::SmallVector<mlir::Value> load(mlir::ImplicitLocOpBuilder &builder, mlir::Value panel,
                                      mlir::Value k, llvm::ArrayRef<mlir::Value> masks,
                                      bool isWhole) const;
  /// Asks for row `k`, or the pair of that number, of a panel of what is read next early; where
  /// that is not known, of this matrix, `ahead` rows later. Only where it is read where it lies.
  void prefetch(mlir::ImplicitLocOpBuilder &builder, mlir::Value panel, mlir::Value k,
                const NextRows &next, int64_t ahead) const;

  /// The same for what is copied after this, or nothing where that is not known: rows of memory, as
  /// many as a register tile has, from the number of its first one on. Each panel has a share of
  /// their lines.
  void prefetchCopied(mlir::ImplicitLocOpBuilder &builder, mlir::Value panel, mlir::Value row,
                      int64_t rows, const NextRows &next) const;

private:
  void copyWhole(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part, mlir::Value panels);
  void copyTransposed(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part,
                      mlir::Value panels);
  void copyElements(mlir::ImplicitLocOpBuilder &builder, const MatrixPart &part, mlir::Value panel,
                    mlir::Value firstStep);
  mlir::Value loadInPlace(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, mlir::Value col,
                          int64_t count, mlir::Value mask) const;
  llvm::SmallVector<mlir::Value> loadPairs(mlir::ImplicitLocOpBuilder &builder, mlir::Value row,
                                           mlir::Value col, llvm::ArrayRef<mlir::Value> masks,
                                           bool isWhole) const;

  Matrix source;
  const ProductBlocks &blocks;
  mlir::Type copiedType;
  bool inPlace;
  mlir::Value buffer;
  MatrixPart current;
};

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_PRODUCTPANELS_H
