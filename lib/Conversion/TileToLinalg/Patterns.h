// The groups of patterns that `convert-tile-to-linalg` is made of.
#ifndef ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
#define ATTN_CONVERSION_TILETOLINALG_PATTERNS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {

/// For each reduction over rows, the spans that say how many of them are valid.
using ValidRows = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>>;

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

/// Arrays: dim, load, store.
void populateArrayPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Tiles: arithmetic, casts, reductions, parts, masks. `validRows` must outlive the patterns.
void populateValuePatterns(const mlir::TypeConverter &converter, const ValidRows &validRows,
                           mlir::RewritePatternSet &patterns);

/// Functions, loops, spans, sizes and the place of a block in its launch.
void populateControlPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
