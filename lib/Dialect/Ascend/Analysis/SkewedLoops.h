// The loops that one loop was made into, or that lie beside it.
#ifndef ATTN_LIB_DIALECT_ASCEND_ANALYSIS_SKEWEDLOOPS_H
#define ATTN_LIB_DIALECT_ASCEND_ANALYSIS_SKEWEDLOOPS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn::ascend {

/// The loops in the block of one, itself included, between which the pipes do not come to rest, and
/// the others.
struct LoopsBeside {
  llvm::SmallVector<mlir::scf::ForOp> together, apart;
};

LoopsBeside findLoopsBeside(mlir::scf::ForOp loop);

/// Of one loop's iterations, some levels may run ahead of the others: a loop that fills, one of the
/// steady state and one that drains, which runs as often as the first does.
struct SkewedLoops {
  mlir::scf::ForOp fill, steady, drain;
};

/// The loops that one is part of, where its iterations were made into three.
std::optional<SkewedLoops> findSkewed(mlir::scf::ForOp loop,
                                      llvm::ArrayRef<mlir::scf::ForOp> beside);

/// Where cube cores begin the next trip of a loop around before all iterations of a trip are
/// finished: of those that wait from the trip before some are finished `before` anything else,
/// others with the first iterations of this trip (`mixed`), then come those that fill and the
/// steady state. What waits after the loop around is finished by `last`. Of `total` iterations the
/// first level is `distance` ahead at most, and of `across` when the next trip begins.
struct RunningLoops {
  mlir::scf::ForOp before, mixed, fill, steady, last;
  mlir::Value total;
  int64_t distance = 0, across = 0;

  std::array<mlir::scf::ForOp, 5> getAll() const { return {before, mixed, fill, steady, last}; }
};

/// The loops that one is part of, where they run on from trip to trip of the loop around.
std::optional<RunningLoops> findRunning(mlir::scf::ForOp loop);

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_ANALYSIS_SKEWEDLOOPS_H
