// Lets the products of a kernel take turns in the same slots; a part of ascend-double-buffer.
#ifndef ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SHAREDSLOTS_H
#define ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SHAREDSLOTS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// How many slots the buffers of a loop have; one where nothing is said.
int64_t getStages(mlir::scf::ForOp loop);

/// Replaces the buffers of each of L0A and L0B, where several products have their own, by one with
/// a slot per stage that all of them use in turn: L0A and L0B are small, and every buffer with
/// slots would need event ids of its own. Sums of several products take turns in two slots of
/// L0C, if it holds two of the largest: while those of one leave, those of the next are computed,
/// whichever two they are.
mlir::LogicalResult shareProductSlots(mlir::func::FuncOp kernel);

/// Replaces buffers of equal type, through each of which a loop moves parts of the same array, by
/// one with a slot per stage of these loops, which they use in turn. The loops that fill, go on
/// steadily and drain are such: each would need event ids of its own. Where the same loops move
/// several arrays, these have the same turns, so that one event may do for all. Where `fits` is
/// given, loop by loop, and only what leaves a kernel of which it holds.
void shareTransferSlots(mlir::func::FuncOp kernel,
                        llvm::function_ref<bool(mlir::func::FuncOp)> fits = nullptr);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_TRANSFORMS_SHAREDSLOTS_H
