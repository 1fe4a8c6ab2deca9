// What stands around a product, and how it is cut by that: what it is added to, what is added to
// it, and loops that do not change its operands. CPU stage, on buffers.
#ifndef ATTN_CPU_TRANSFORMS_PRODUCTCONTEXT_H
#define ATTN_CPU_TRANSFORMS_PRODUCTCONTEXT_H

#include "ProductSteps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn::jit {

/// The buffer that a view is a part of, or `memref` itself.
mlir::Value getWhole(mlir::Value memref);

/// What a memref is a view of, by however many views.
mlir::Value getRoot(mlir::Value memref);

/// Whether an operation, or one in it, takes a buffer or a view of it.
bool touches(mlir::Operation *op, mlir::Value buffer);

/// Whether a product is one of matrices in buffers, of which none is broadcast.
bool isPlain(mlir::linalg::MatmulOp product);

/// Whether an operand is stored the other way round: its map names its second loop first, of (m, k)
/// for the left one (0), of (k, n) for the right one.
bool isTransposed(mlir::linalg::MatmulOp product, unsigned operand);

/// The rows that the result of a product has at most: those of the tile that it is a part of.
int64_t countTileRows(mlir::Value result);

/// How a product is cut on a host whose vectors have so many elements of f32, and which may
/// multiply `pairs` of bf16.
ProductBlocks chooseBlocks(mlir::linalg::MatmulOp product, int64_t lanes, bool pairs);

/// What sets to zero what a product is added to, right before it, or the buffer that this is or is
/// a part of, where nothing reads or writes that buffer in between; otherwise null.
mlir::linalg::FillOp findFill(mlir::linalg::MatmulOp product);

/// Where a product, which starts at zero, is only added to a tile elementwise: computes the other
/// addend before it, and adds the product to that. Returns whether it did.
bool absorbSum(mlir::linalg::MatmulOp product);

/// Where the left operand of a product is a buffer that one sweep computes for it: lets the sweep
/// write it rounded as before, but in the wide type of the sum, so that the product need not copy
/// it. Returns whether it did.
bool widenLeft(mlir::linalg::MatmulOp product);

/// The outermost loop around a product that does not change its left operand, a part of an array
/// which the kernel only reads; null where there is none.
mlir::scf::ForOp findLoopWithFixedLeft(mlir::linalg::MatmulOp product);

} // namespace attn::jit

#endif // ATTN_CPU_TRANSFORMS_PRODUCTCONTEXT_H
