// Takes phases out of a kernel; used by tile-split-phases, and by passes that try what a phase
// would need as a kernel of its own.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_PHASES_H
#define ATTN_DIALECT_TILE_TRANSFORMS_PHASES_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// Whether each phase is a kernel of its own, by the value of an option `phases`; an error for one
/// that is not known.
mlir::FailureOr<bool> readPhases(mlir::ModuleOp module, llvm::StringRef phases);

/// How often the blocks of a kernel meet: one less than it has phases.
int64_t countMeetings(mlir::func::FuncOp kernel);

/// Leaves of a kernel what its phase of that number does, and what this needs of earlier ones.
mlir::LogicalResult keepPhase(mlir::func::FuncOp kernel, int64_t kept);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_PHASES_H
