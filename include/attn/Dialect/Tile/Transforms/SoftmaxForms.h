// Rewrites of softmax states into tiles, one per form; tile-choose chooses among them.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H
#define ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H

#include "attn/Dialect/Tile/Analysis/SoftmaxLoop.h"

namespace attn::tile {

/// Rewrites every softmax state of `kernel` into `form`. A use of a state that has no meaning, and
/// a softmax for which the form is not possible, are errors that give the reason.
mlir::LogicalResult rewriteSoftmax(mlir::func::FuncOp kernel, SoftmaxForm form);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H
