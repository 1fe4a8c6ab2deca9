// When each tile of a kernel is written and last read (tile on the chip, analysis).
#include "TileLiveness.h"
#include "attn/TileOnChip/Families/Elementwise.h"
#include "attn/TileOnChip/Families/Parts.h"
#include "attn/TileOnChip/Families/Reductions.h"
#include "attn/TileOnChip/OnChipOpInterface.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tile-choose"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

TileLiveness::TileLiveness(func::FuncOp kernel, const ChipModel &model, const Placement &placement)
    : model(model), placement(placement) {
  number(kernel);
  kernel.walk([&](AddOp add) { fuse(add); });
  kernel.walk([&](ReduceOp sum) { fuse(sum); });
}

void TileLiveness::number(Operation *op) {
  int64_t index = next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  spans[op] = {index, next - 1};
}

bool TileLiveness::isView(Value value) const {
  if (placement.isOnTheWay(value) || placement.isRepeatedRow(value))
    return true;
  auto extract = value.getDefiningOp<ExtractOp>();
  if (extract && placement.isOnCube(extract))
    return true;
  return extract && getPartForm(extract, model) == PartForm::InPlace;
}

/// Whether the op of a use may write its result over what it reads there.
static bool mayWriteOver(OpOperand &use) {
  auto op = dyn_cast<OnChipOpInterface>(use.getOwner());
  return op && op.mayWriteOver(use);
}

void TileLiveness::forEachReader(
    Value value, function_ref<void(Operation *reader, bool mayOverwrite)> visit) const {
  SmallVector<Value, 4> worklist{value};
  while (!worklist.empty()) {
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (op->getNumResults() == 1 && isView(op->getResult(0)))
        worklist.push_back(op->getResult(0));
      else if (Operation *absorber = fusedInto.lookup(op))
        visit(absorber, /*mayOverwrite=*/false);
      else if (auto insert = dyn_cast<InsertOp>(op))
        visit(op, use.getOperandNumber() == insert.getWholeMutable().getOperandNumber());
      else
        visit(op, isa<RangeOp, YieldOp>(op) || mayWriteOver(use));
    }
  }
}

static Block *getScope(Value value) { return value.getParentBlock(); }

int64_t TileLiveness::getReadPosition(Value value, Operation *reader, bool mayOverwrite) const {
  Operation *ancestor = getScope(value)->findAncestorOpInBlock(*reader);
  // The products inside a loop read what its sums start from.
  bool isReadInside = isa<RangeOp>(reader) && placement.isStart(value);
  if (ancestor == reader && !isReadInside)
    return 2 * getIndex(reader) + (mayOverwrite ? 0 : 1);
  return 2 * getLastIndex(ancestor) + 1;
}

int64_t TileLiveness::getBegin(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 2 * getIndex(getScope(value)->getParentOp()) + 1;
  return 2 * (isa<RangeOp>(op) ? getLastIndex(op) : getIndex(op)) + 1;
}

Life TileLiveness::getLife(Value value) const {
  Life life{getBegin(value), getBegin(value)};
  forEachReader(value, [&](Operation *reader, bool mayOverwrite) {
    life.end = std::max(life.end, getReadPosition(value, reader, mayOverwrite));
  });
  return life;
}

//===----------------------------------------------------------------------===//
// Products that are absorbed by an addition or a sum along rows
//===----------------------------------------------------------------------===//

bool TileLiveness::canFuse(AddOp add, Value product, Value other) const {
  auto mul = product.getDefiningOp<MulOp>();
  if (!mul || !mul->hasOneUse() || mul->getBlock() != add->getBlock() ||
      llvm::is_contained(mul->getOperands(), other))
    return false;
  BinaryForm form = getBinaryShape(mul).form;
  if (form != BinaryForm::Elements && form != BinaryForm::Column)
    return false;
  // The sum is written over the other summand, which therefore must not be needed afterwards.
  return getScope(other) == add->getBlock() && getLife(other).end <= 2 * getIndex(add) + 1;
}

/// Whether the value is carried by a loop or a part of a tile, or computed from one in place.
static bool startsInPlace(Value value) {
  auto isCarried = [](Value source) {
    return isa<BlockArgument>(source) || source.getDefiningOp<ExtractOp>();
  };
  Operation *op = value.getDefiningOp();
  return isCarried(value) || llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
           return mayWriteOver(use) && isCarried(use.get());
         });
}

void TileLiveness::fuse(AddOp add) {
  if (getBinaryShape(add).form != BinaryForm::Elements || add.getLhs() == add.getRhs() ||
      model.keepsComposites())
    return;
  bool right = canFuse(add, add.getRhs(), add.getLhs());
  bool left = canFuse(add, add.getLhs(), add.getRhs());
  // Where both summands are products, the accumulator is the one that is already in its place.
  if (left && right)
    (startsInPlace(add.getRhs()) && !startsInPlace(add.getLhs()) ? right : left) = false;
  if (!left && !right)
    return;
  auto product = (right ? add.getRhs() : add.getLhs()).getDefiningOp<MulOp>();
  LDBG() << "an addition absorbs its product at " << product.getLoc();
  fusedProducts[add] = product;
  fusedInto[product] = add;
}

void TileLiveness::fuse(ReduceOp sum) {
  auto product = sum.getInput().getDefiningOp<MulOp>();
  if (!product || !product->hasOneUse() || product->getBlock() != sum->getBlock() ||
      !absorbsProduct(sum, product, model))
    return;
  LDBG() << "a sum along rows absorbs its product at " << product.getLoc();
  fusedProducts[sum] = product;
  fusedInto[product] = sum;
}
