// The groups of patterns that `convert-tile-to-linalg` is made of.
#ifndef ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
#define ATTN_CONVERSION_TILETOLINALG_PATTERNS_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/Transforms/DialectConversion.h"

namespace attn {

/// For each reduction over rows, the span that says how many of them are valid.
using ValidRows = llvm::DenseMap<mlir::Operation *, mlir::Value>;

/// Whether the function is launched by blocks, and so takes its block's number and their count.
inline bool isKernel(mlir::func::FuncOp function) { return function->hasAttr("tile.kernel"); }

/// Arrays: dim, load, store.
void populateArrayPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Tiles: arithmetic, casts, reductions, parts. `validRows` must outlive the patterns.
void populateValuePatterns(const mlir::TypeConverter &converter, const ValidRows &validRows,
                           mlir::RewritePatternSet &patterns);

/// Functions, loops, spans and the place of a block in its launch.
void populateControlPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_CONVERSION_TILETOLINALG_PATTERNS_H
