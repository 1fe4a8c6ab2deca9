// How a kernel whose rows are too long for local memory is computed in strips of columns
// (tile-fit-tiles).
#ifndef ATTN_DIALECT_TILE_ANALYSIS_STRIPPLAN_H
#define ATTN_DIALECT_TILE_ANALYSIS_STRIPPLAN_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <optional>
#include <string>

namespace attn::tile {

/// What strips are computed for. All else that is wide is computed on demand, again where it is
/// needed again.
struct StripRoot {
  enum Kind {
    Reduce, // a reduction along the row: partial results are carried from strip to strip
    Store,  // a row that goes to memory
    Keep,   // a row that is kept whole in local memory, filled strip by strip
    Spill,  // a carried row that lives in a workspace: its initial or next value is written there
  };
  Kind kind;
  mlir::Operation *op;
  mlir::Value value;
  /// The carried row that is spilled.
  mlir::BlockArgument carried;
};

/// A part of an IR block: ops that are not computed in strips, then one sweep over all strips.
struct StripSweep {
  llvm::SmallVector<mlir::Operation *> before;
  llvm::SmallVector<StripRoot> roots;
};

/// Orders the ops of every block of a kernel into sweeps, so that what needs a reduction over whole
/// rows comes in a later sweep than the reduction. Rows are tiles of `width`
/// columns.
///
/// A loop that only carries rows, and neither reduces nor stores, is moved inside: strips outside,
/// the loop inside. A row carried by any other loop is kept whole, or spilled to a workspace.
class StripPlan {
public:
  /// The rows worth keeping whole, since they are needed in more than one sweep, and
  /// rows carried by loops, which must be kept or spilled. The order is fixed for a kernel,
  /// whatever its sizes. Null, with the reason, where the kernel cannot be computed in strips.
  static std::optional<llvm::SmallVector<mlir::Value>>
  findCandidates(mlir::func::FuncOp kernel, int64_t width, std::string &reason);

  /// `keep` says of each candidate whether it is kept whole; what it does not mention is not kept.
  static std::optional<StripPlan> create(mlir::func::FuncOp kernel, int64_t width,
                                         llvm::ArrayRef<bool> keep, std::string &reason);

  int64_t getWidth() const { return width; }
  bool isWide(mlir::Value value) const;
  bool isKept(mlir::Value value) const { return kept.contains(value); }

  /// Whether the row is carried by a loop, and lives in a workspace.
  bool isSpilled(mlir::BlockArgument carried) const;

  /// Whether strips of the op's results are computed on demand; such ops are not needed any more
  /// once all roots have been computed.
  bool isOnDemand(mlir::Operation *op) const { return onDemand.contains(op); }

  llvm::ArrayRef<StripSweep> getSweeps(mlir::Block &block) const;

  /// The last sweep of its loop's body in which a carried row is read.
  int64_t getLastRead(mlir::BlockArgument carried) const { return lastRead.lookup(carried); }

private:
  friend class StripPlanner;

  int64_t width = 0;
  llvm::DenseSet<mlir::Value> kept;
  llvm::DenseSet<mlir::Operation *> onDemand;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<StripSweep>> sweeps;
  llvm::DenseMap<mlir::Value, int64_t> lastRead;
};

/// Whether `op` makes a row without reading another one, so that a kept result needs no strips.
bool isWholeRowOp(mlir::Operation *op);

/// The values used inside the regions of `op` that are defined outside.
llvm::SetVector<mlir::Value> getCaptured(mlir::Operation *op);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_STRIPPLAN_H
