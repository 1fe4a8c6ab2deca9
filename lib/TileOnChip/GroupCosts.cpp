// What the ops of a kernel cost the cores of a group, before it is split (tile on the chip).
#include "attn/TileOnChip/GroupCosts.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Machine/Groups.h"
#include "attn/TileOnChip/OnChipOpInterface.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Whether a load gives the same tile in each iteration of the loop around it: the cores may keep
/// it.
static bool isInvariant(LoadOp load) {
  auto loop = dyn_cast<RangeOp>(load->getParentOp());
  return loop && !loop.getParallel() && llvm::all_of(load->getOperands(), [&](Value operand) {
           return !loop->isAncestor(operand.getParentRegion()->getParentOp());
         });
}

GroupCosts::GroupCosts(func::FuncOp kernel, const ChipModel &model)
    : model(model), costs(model.getChip()) {
  CoreAssignment assignment(kernel);
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      bool isKept = isInvariant(load);
      for (Operation *user : op->getUsers())
        (isa<DotOp>(user) ? cube : vector)[op].runs |= !isKept;
    } else if (std::optional<CoreKind> core = assignment.getCore(op)) {
      (*core == CoreKind::Cube ? cube : vector)[op].runs = true;
    }
  });
  for (const Crossing &crossing : assignment.getCrossings())
    // What a loop carries or gives crosses once, outside of its body.
    if (Operation *maker = crossing.tile.getDefiningOp(); maker && maker->getNumRegions() == 0) {
      bool isToCube = crossing.to == CoreKind::Cube;
      (isToCube ? vector : cube)[maker].makes = true;
      (isToCube ? cube : vector)[maker].takes = true;
    }
}

static double getBytes(TileType type) {
  return static_cast<double>(type.getRowCount()) * type.getColCount() * getElementBytes(type);
}

OpCost GroupCosts::getCubeCost(Operation *op, Role role) const {
  OpCost cost;
  if (auto dot = dyn_cast<DotOp>(op)) {
    TileType left = dot.getA().getType(), type = dot.getType();
    int64_t inner = dot.getTransposeA() ? left.getRowCount() : left.getColCount();
    cost = costs.getProduct(type.getRowCount(), type.getColCount(), inner, getElementBytes(left),
                            /*parts=*/1);
  }
  auto store = dyn_cast<StoreOp>(op);
  if (store || role.makes) {
    TileType type = store ? store.getValue().getType() : getTileType(op->getResult(0));
    cost += costs.getOutput(type.getRowCount(), getBytes(type));
  }
  if (role.takes || isa<LoadOp>(op)) {
    TileType type = getTileType(op->getResult(0));
    cost += costs.getFractalLoad(type.getRowCount(), getBytes(type));
  }
  return cost;
}

OpCost GroupCosts::getVectorCost(Operation *op, Role role) const {
  OpCost cost;
  if (auto onChip = dyn_cast<OnChipOpInterface>(op); onChip && role.runs)
    cost = onChip.getCost(model, costs);
  if (role.makes || role.takes) {
    TileType type = getTileType(op->getResult(0));
    cost += costs.getTransfer(/*isLoad=*/role.takes, type.getRowCount(), getBytes(type),
                              /*movedBytes=*/0);
  }
  return cost;
}

double GroupCosts::getExchangedBytes() const {
  double made = 0, taken = 0;
  for (auto [op, role] : vector) {
    if (role.makes)
      made = std::max(made, getBytes(getTileType(op->getResult(0))));
    if (role.takes)
      taken = std::max(taken, getBytes(getTileType(op->getResult(0))));
  }
  return made + taken;
}

OpCost GroupCosts::getCost(Operation *op, CoreKind core) const {
  const auto &roles = core == CoreKind::Cube ? cube : vector;
  auto role = roles.find(op);
  if (role == roles.end())
    return {};
  OpCost cost =
      core == CoreKind::Cube ? getCubeCost(op, role->second) : getVectorCost(op, role->second);
  cost.transferStart = 0;
  return cost;
}
