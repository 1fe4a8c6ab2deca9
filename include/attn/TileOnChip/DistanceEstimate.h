// How long loops take whose cores run apart by a distance: what distances are chosen by.
#ifndef ATTN_TILEONCHIP_DISTANCEESTIMATE_H
#define ATTN_TILEONCHIP_DISTANCEESTIMATE_H

#include "attn/TileOnChip/CostEstimate.h"
#include "attn/TileOnChip/ExchangePlan.h"

namespace attn::onchip {

/// Each kind of core goes through its levels of an iteration in turn, and waits at each for what
/// the other kind makes at the level before. So levels lie on two cycles: cube cores come to the
/// first products of iteration i + preload + 1 when they are done with the later ones of iteration
/// i, and vector cores to the first scores of i + lag + 1 when they are done with what the later
/// products of i made. A cycle takes the latencies of its levels, and as many iterations are under
/// way on it at once as its distance allows.
///
/// For a kernel that is not split, whose types are bound to one size after the other.
class DistanceEstimate {
public:
  DistanceEstimate(mlir::func::FuncOp kernel, const GroupCosts &costs);

  /// Whether cores of some loop can run apart at all.
  bool isNeeded() const { return !loops.empty(); }

  /// Notes what levels take the cube core with the sizes that the kernel has now, where products
  /// are cut into parts of `part` columns or k.
  void noteCube(int64_t part);
  /// Notes what levels take a vector core, which computes `strips` times what the sizes say that
  /// the kernel has now.
  void noteVector(double strips);

  /// What all loops take a group whose cores run apart by these distances.
  double getCycles(int64_t preload, int64_t lag) const;

private:
  /// One level of an iteration: what its pipes have to do for one strip, how many strips there are,
  /// and the parts of all of them, of which each pipe has one at a time.
  struct Level {
    OpCost cost;
    double strips = 1;
    double parts = 1;
  };
  struct Loop {
    ExchangeBlock block;
    /// The ops that cost cores of one kind something at a level.
    llvm::SmallVector<std::pair<mlir::Operation *, size_t>> cube, vector;
    llvm::SmallVector<Level> levels;
    double trips = 1;
    /// Times that the loops around it run it.
    double runs = 1;
  };

  void findOps(Loop &loop, CoreKind core);
  void note(CoreKind core, double strips, int64_t part);
  double getLatency(const Level &level) const;
  double getCycle(const Loop &loop, size_t first, size_t last) const;
  double getBound(const Loop &loop) const;
  double getCycles(const Loop &loop, int64_t preload, int64_t lag) const;

  const GroupCosts &costs;
  llvm::SmallVector<Loop, 1> loops;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_DISTANCEESTIMATE_H
