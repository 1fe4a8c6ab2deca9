// Products of few rows by a transposed right operand: sums along k, over operands where they lie.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTDOTS_H
#define ATTN_CPU_TRANSFORMS_PRODUCTDOTS_H

#include "NextIteration.h"
#include "ProductSteps.h"

namespace attn::jit {

/// Emits `c += a * b`, or `c = a * b` where it starts at zero, for an `a` of few rows and a `b`
/// that is stored the other way round: both are read along k, which copies would cost more than
/// they save.
class ProductDots {
public:
  /// `copy` is null, or has the rows of `a`; `next` is what is asked for while `b` is read.
  /// `inHalves`: the copy has pairs of vectors of even and odd elements.
  ProductDots(const Matrix &a, const Matrix &b, const Matrix &c, mlir::Value copy,
              const NextRows &next, bool inHalves, const ProductBlocks &blocks)
      : a(a), b(b), c(c), left{copy ? copy : a.memref}, nextRows(next), inHalves(inHalves),
        blocks(blocks) {}

  /// Whether a product is one of these; `hasFewRows` where it has no more than `blocks.fewRows`.
  static bool canEmit(const Matrix &a, const Matrix &b, const Matrix &c, bool hasFewRows);

  void emit(mlir::ImplicitLocOpBuilder &builder, bool startsAtZero);

private:
  void emitColumns(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, int64_t rows,
                   bool startsAtZero);
  void emitTile(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, mlir::Value col, int64_t rows,
                int64_t cols, bool startsAtZero);
  llvm::SmallVector<mlir::Value> emitSteps(mlir::ImplicitLocOpBuilder &builder, mlir::Value row,
                                           mlir::Value col, int64_t rows, int64_t cols);
  void emitStep(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, mlir::Value col,
                mlir::Value k, int64_t cols, mlir::Value mask,
                llvm::MutableArrayRef<mlir::Value> sums);
  void emitHalves(mlir::ImplicitLocOpBuilder &builder, mlir::Value row, mlir::Value col,
                  mlir::Value k, int64_t cols, llvm::MutableArrayRef<mlir::Value> sums);
  int64_t getWidth() const { return blocks.lanes * blocks.depth; }
  void prefetch(mlir::ImplicitLocOpBuilder &builder, mlir::Value col, int64_t cols,
                mlir::Value k) const;
  mlir::Value loadAlong(mlir::ImplicitLocOpBuilder &builder, const Matrix &matrix,
                        mlir::ValueRange place, mlir::Value mask) const;

  Matrix a, b, c;
  /// What is read of `a`.
  Matrix left;
  const NextRows &nextRows;
  bool inHalves;
  const ProductBlocks &blocks;
};

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_PRODUCTDOTS_H
