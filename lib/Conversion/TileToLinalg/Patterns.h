// The groups of patterns that `convert-tile-to-linalg` is made of.
#ifndef ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
#define ATTN_CONVERSION_TILETOLINALG_PATTERNS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {

/// The spans that say how much of an op's loops is valid, for reductions and products: `inner` is
/// what is summed over.
struct ValidSpans {
  llvm::SmallVector<mlir::Value> rows, inner, cols;
};
using ValidParts = llvm::DenseMap<mlir::Operation *, ValidSpans>;

/// Whether the function is launched by blocks, and so takes its block's number and their count.
inline bool isKernel(mlir::func::FuncOp function) { return function->hasAttr("tile.kernel"); }

/// What a span becomes: `count` rows that exist, from row `missing` of the tile on. Row p of the
/// tile has index `base + p`, and is in the array at `offset + step * index` where the span is
/// mapped.
struct SpanParts {
  mlir::Value base, count;
  mlir::Value missing;      // null where the span is not filled: no rows are missing before
  mlir::Value offset, step; // null where the span is not mapped

  /// From the values that the converter makes of a span, in the order of the members.
  static SpanParts get(tile::SpanType type, mlir::ValueRange values);
};

/// The smallest valid length of `spans`, or `size` where there are none. Spans need not be operands
/// of the op that asks: their converted values are taken by casts, which the pass resolves at its
/// end.
mlir::OpFoldResult createValidSize(mlir::OpBuilder &builder, mlir::Location loc,
                                   const mlir::TypeConverter &converter,
                                   llvm::ArrayRef<mlir::Value> spans, int64_t size);

/// The first `rows` rows and `cols` columns of a tensor; the tensor itself where these are all.
mlir::Value createFirstPart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                            mlir::OpFoldResult rows, mlir::OpFoldResult cols);

/// The integer of an array, whose converted form is given, at indices.
mlir::Value createLoadIndex(mlir::OpBuilder &builder, mlir::Location loc, tile::ArrayType array,
                            mlir::Value converted, mlir::ValueRange indices);

/// The nearest number to `index` that does no harm as an index of `array`, which is not converted.
mlir::Value createBoundIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                             tile::BoundKind kind, mlir::Value array, int64_t dimension);

/// Arrays: dim, load, store.
void populateArrayPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Integers from memory, lists of rows, and indices brought inside arrays. Ends of lists and loops
/// are checked instead of bounded where `checkCounts` says so.
void populateIndexPatterns(const mlir::TypeConverter &converter, bool checkCounts,
                           mlir::RewritePatternSet &patterns);

/// Masks, ramps, and what chooses by masks.
void populateMaskPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Tiles: arithmetic, casts, reductions, parts. `validParts` must outlive the patterns.
void populateValuePatterns(const mlir::TypeConverter &converter, const ValidParts &validParts,
                           mlir::RewritePatternSet &patterns);

/// Products, and the rows that their sums start from. `validParts` must outlive the patterns.
void populateProductPatterns(const mlir::TypeConverter &converter, const ValidParts &validParts,
                             mlir::RewritePatternSet &patterns);

/// Functions, loops, spans, sizes and the place of a block in its launch.
void populateControlPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
