// What the ops of a kernel cost the cores of a group, before the kernel is split.
#ifndef ATTN_TILEONCHIP_GROUPCOSTS_H
#define ATTN_TILEONCHIP_GROUPCOSTS_H

#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/CoreAssignment.h"
#include "attn/TileOnChip/CostModel.h"

namespace attn::onchip {

/// To split a kernel takes much longer than to look at its ops. Which core runs what does not
/// depend on sizes, so that one of these serves a kernel while its types are bound to one size
/// after the other.
class GroupCosts {
public:
  GroupCosts(mlir::func::FuncOp kernel, const ChipModel &model);

  /// What cores of one kind have to do for an op, with the sizes that it is bound to now: whole
  /// products, and all rows of a tile on one vector core. What it costs that a tile crosses is
  /// counted where the tile is made.
  OpCost getCost(mlir::Operation *op, CoreKind core) const;

  /// The bytes of the largest tile that a vector core takes from the cube core, and of the largest
  /// that it makes for it: in the middle of an iteration it has both.
  double getExchangedBytes() const;

  const CostModel &getModel() const { return costs; }

private:
  /// What one op has to do with one kind of core.
  struct Role {
    bool runs = false;
    bool makes = false;
    bool takes = false;
  };

  OpCost getCubeCost(mlir::Operation *op, Role role) const;
  OpCost getVectorCost(mlir::Operation *op, Role role) const;

  const ChipModel &model;
  CostModel costs;
  llvm::DenseMap<mlir::Operation *, Role> cube, vector;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_GROUPCOSTS_H
