// Which kind of core runs every op of a kernel with products (tile on the chip, analysis).
#include "attn/TileOnChip/CoreAssignment.h"
#include "attn/Dialect/Tile/Analysis/IndexBound.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/TileOnChip/Placement.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Whether a tile is a loaded row, repeated: what a bias is.
static bool isRepeatedRow(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && broadcast.getRow().getDefiningOp<LoadOp>();
}

/// Whether an op makes tiles of no others, so that any core can run it for itself.
static bool isSource(Operation *op) {
  return op->getNumRegions() == 0 && llvm::none_of(op->getOperands(), isTile);
}

/// Whether cube cores can move what a load or a store does: columns that are contiguous, of rows
/// that they do not have to look up one by one.
template <typename Op> static bool canCubeMove(Op op) {
  return getSelection(op.getKinds()).colDimension == op.getArray().getType().getRank() - 1 &&
         !isEachRowListed(op.getKinds(), op.getIndices());
}

/// Whether vector cores load an operand for a product, since cube cores cannot.
static bool isOperandOfVectorCores(LoadOp load) {
  return !canCubeMove(load) && llvm::any_of(load->getUsers(), llvm::IsaPred<DotOp>);
}

/// Whether a tile is multiplied and nothing else.
static bool isOnlyOperand(ExtractOp extract) {
  return llvm::all_of(extract->getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    return dot && dot.getAcc() != use.get();
  });
}

/// Whether a part begins and ends with fractals.
static bool isInFractals(Attribute size, Value first, Type elementType) {
  auto number = dyn_cast<IntegerAttr>(size);
  int64_t unit = getFractalUnit(elementType);
  return number && number.getInt() % unit == 0 && isMultipleOf(first, unit);
}

bool onchip::isOperandPart(ExtractOp extract) {
  auto load = extract.getInput().getDefiningOp<LoadOp>();
  TileType part = extract.getResult().getType();
  // Columns that may be missing would be missing in some parts and not in others.
  return load && canCubeMove(load) && !extract.getTransposed() &&
         part.getRows() == extract.getInput().getType().getRows() &&
         !getColumnSpan(load.getKinds(), load.getIndices()) &&
         isInFractals(part.getCols(), extract.getCol(), part.getElementType()) &&
         isOnlyOperand(extract);
}

bool onchip::isOperandRows(ExtractOp extract) {
  TileType part = extract.getResult().getType();
  return extract.getInput().getDefiningOp<LoadOp>() && !extract.getTransposed() &&
         part.getCols() == extract.getInput().getType().getCols() &&
         isInFractals(part.getRows(), extract.getRow(), part.getElementType()) &&
         isOnlyOperand(extract);
}

std::optional<std::pair<RangeOp, unsigned>> onchip::getCarriedPosition(OpOperand &use) {
  if (auto range = dyn_cast<RangeOp>(use.getOwner())) {
    unsigned first = range.getInits().getBeginOperandIndex();
    if (use.getOperandNumber() < first)
      return std::nullopt;
    return std::pair(range, use.getOperandNumber() - first);
  }
  if (isa<YieldOp>(use.getOwner()))
    if (auto range = dyn_cast<RangeOp>(use.getOwner()->getParentOp()))
      return std::pair(range, use.getOperandNumber());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

bool CoreAssignment::isCarriedSums(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto range = dyn_cast<RangeOp>(argument.getOwner()->getParentOp());
    return range && argument.getArgNumber() > 0 &&
           carriedSums.contains({range, argument.getArgNumber() - 1});
  }
  auto range = value.getDefiningOp<RangeOp>();
  return range && carriedSums.contains({range, cast<OpResult>(value).getResultNumber()});
}

/// Whether what a loop carries never leaves L0C inside it: it starts there, products add to it, and
/// nothing else looks at it.
bool CoreAssignment::staysSums(RangeOp range, unsigned position) const {
  Value init = range.getInits()[position];
  Value argument = range.getCarried()[position];
  Value next = range.getYield().getValues()[position];
  bool starts =
      isZeroSplat(init) || isRepeatedRow(init) || (isa<BlockArgument>(init) && isCarriedSums(init));
  bool isSummed = next.getDefiningOp<DotOp>() || isCarriedSums(next);
  return starts && isSummed && next.hasOneUse() &&
         llvm::all_of(argument.getUses(), [&](OpOperand &use) {
           if (auto dot = dyn_cast<DotOp>(use.getOwner()))
             return dot.getAcc() == use.get() && dot.getA() != use.get() && dot.getB() != use.get();
           auto inner = getCarriedPosition(use);
           return inner && carriedSums.contains({inner->first, inner->second});
         });
}

void CoreAssignment::findCarriedSums() {
  kernel.walk([&](RangeOp range) {
    for (auto [position, argument] : llvm::enumerate(range.getCarried()))
      if (isTile(argument))
        carriedSums.insert({range, position});
  });
  // Each may have been taken for sums because another one was.
  bool shrinks = true;
  while (shrinks) {
    shrinks = false;
    for (Carried carried : llvm::to_vector(carriedSums))
      if (!staysSums(cast<RangeOp>(carried.first), carried.second))
        shrinks |= carriedSums.erase(carried);
  }
}

bool CoreAssignment::isStart(Value accumulator) const {
  if (isZeroSplat(accumulator) || isRepeatedRow(accumulator) || isCarriedSums(accumulator))
    return true;
  return accumulator.getDefiningOp<DotOp>() && accumulator.hasOneUse();
}

//===----------------------------------------------------------------------===//
// The way out
//===----------------------------------------------------------------------===//

/// Whether everything that takes a tile, which is made of sums on their way out, stores it, lets it
/// go on to L1, or is another step of the way.
static bool leavesOnTheWay(Value tile, const SumsOutput &output) {
  Type type = cast<TileType>(tile.getType()).getElementType();
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    if (isa<StoreOp>(user))
      return output.canBe(type);
    if (isa<DotOp>(user))
      return output.canBe(type) && (type.isF16() || type.isBF16());
    std::optional<SumsOutput> next = output.getNext(user);
    return next && leavesOnTheWay(user->getResult(0), *next);
  });
}

void CoreAssignment::findOutputs(Value tile, const SumsOutput &output) {
  for (Operation *user : tile.getUsers()) {
    std::optional<SumsOutput> next = output.getNext(user);
    if (next && leavesOnTheWay(user->getResult(0), *next) && outputs.insert(user).second)
      findOutputs(user->getResult(0), *next);
  }
}

//===----------------------------------------------------------------------===//
// All together
//===----------------------------------------------------------------------===//

CoreAssignment::CoreAssignment(func::FuncOp kernel) : kernel(kernel) {
  findCarriedSums();
  kernel.walk([&](Operation *op) {
    if (isa<DotOp>(op)) {
      hasProducts = true;
      findOutputs(op->getResult(0), {op->getResult(0)});
    }
    for (Value result : op->getResults())
      if (isTile(result) && isCarriedSums(result))
        findOutputs(result, {result});
  });
  hasVectorWork = kernel
                      .walk([&](Operation *op) {
                        return getCore(op) == CoreKind::Vector ? WalkResult::interrupt()
                                                               : WalkResult::advance();
                      })
                      .wasInterrupted();
}

std::optional<CoreKind> CoreAssignment::getCore(Operation *op) const {
  if (isa<DotOp>(op) || outputs.contains(op))
    return CoreKind::Cube;
  if (auto extract = dyn_cast<ExtractOp>(op); extract && isOperandPart(extract))
    return CoreKind::Cube;
  if (auto load = dyn_cast<LoadOp>(op); load && isOperandOfVectorCores(load))
    return CoreKind::Vector;
  if (op->getNumRegions() != 0 || isa<YieldOp>(op) || isSource(op))
    return std::nullopt;
  if (auto store = dyn_cast<StoreOp>(op); store && canCubeMove(store))
    return getCore(store.getValue()).value_or(CoreKind::Vector);
  // A bias is repeated by the product that starts from it.
  if (isa<BroadcastOp>(op) && isRepeatedRow(op->getResult(0)) &&
      llvm::all_of(op->getUses(), [&](OpOperand &use) {
        auto carried = getCarriedPosition(use);
        return isa<DotOp>(use.getOwner()) ||
               (carried && carriedSums.contains({carried->first, carried->second}));
      }))
    return CoreKind::Cube;
  return CoreKind::Vector;
}

std::optional<CoreKind> CoreAssignment::getCore(Value tile) const {
  if (isCarriedSums(tile))
    return CoreKind::Cube;
  Operation *op = tile.getDefiningOp();
  return !op || op->getNumRegions() != 0 ? CoreKind::Vector : getCore(op);
}

SmallVector<Crossing> CoreAssignment::getCrossings() const {
  SmallVector<Crossing> crossings;
  auto visit = [&](Value tile) {
    std::optional<CoreKind> from = isTile(tile) ? getCore(tile) : std::nullopt;
    if (!from)
      return;
    CoreKind to = *from == CoreKind::Cube ? CoreKind::Vector : CoreKind::Cube;
    bool crosses = llvm::any_of(tile.getUses(), [&](OpOperand &use) {
      if (auto carried = getCarriedPosition(use))
        return getCore(Value(carried->first.getCarried()[carried->second])) == to;
      return getCore(use.getOwner()) == to;
    });
    if (crosses)
      crossings.push_back({tile, to});
  };
  func::FuncOp walked = kernel;
  walked.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The results of a loop are made after what its body makes.
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        visit(argument);
    if (op->getNumRegions() == 0)
      llvm::for_each(op->getResults(), visit);
  });
  walked.walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      llvm::for_each(op->getResults(), visit);
  });
  return crossings;
}
