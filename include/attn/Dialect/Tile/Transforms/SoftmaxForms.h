// Rewrites of softmax states into tiles, one per form; tile-decompose-softmax chooses among them.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H
#define ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H

#include "attn/Dialect/Tile/Analysis/SoftmaxLoop.h"

namespace attn::tile {

/// Rewrites every softmax state of `kernel`, whose uses have been verified, into `form`. A softmax
/// for which the form is not possible is an error that gives the reason.
mlir::LogicalResult rewriteSoftmax(mlir::func::FuncOp kernel, SoftmaxForm form);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_SOFTMAXFORMS_H
