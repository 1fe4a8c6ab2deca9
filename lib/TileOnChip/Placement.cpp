// Which kind of core works on every tile of a kernel, and where it lies there (tile on the chip,
// analysis).
#include "attn/TileOnChip/Placement.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/CoreAssignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace attn::onchip {

class Placer {
public:
  Placer(func::FuncOp kernel, const ChipModel &model, Placement &result)
      : kernel(kernel), model(model), result(result) {}

  LogicalResult run();

private:
  void placeSums();
  bool placeCarriedSums();
  bool addSums(Value value);
  LogicalResult placeOperand(DotOp dot, OpOperand &use);
  LogicalResult placeStart(Operation *user, Value start);
  LogicalResult placeStarts();
  LogicalResult placeOutputs(Value value, SumsOutput output);
  LogicalResult placeConversion(Operation *op, SumsOutput output);
  LogicalResult verifyOutput(Value value);
  LogicalResult verifyAll();

  func::FuncOp kernel;
  const ChipModel &model;
  Placement &result;
  llvm::SmallVector<Value> sums;
};

} // namespace attn::onchip

static LogicalResult emitNeedsVectorCores(Operation *op, const Twine &what = "") {
  return op->emitOpError() << what << "needs vector cores: tile-split-cores must run first";
}

int64_t onchip::getFractalUnit(Type elementType) {
  // Sums of narrow integers are as large as their operands have room for.
  int64_t bytes = elementType.isInteger(32) ? 1 : elementType.getIntOrFloatBitWidth() / 8;
  return std::max(architecture::fractalRows, architecture::getElementsPerBlock(bytes));
}

static CubePlace getFractals(LocalMemory memory, TileType type) {
  int64_t unit = getFractalUnit(type.getElementType());
  int64_t rows = llvm::alignTo(type.getRowCount(), unit);
  int64_t cols = llvm::alignTo(type.getColCount(), unit);
  return {memory, CubeLayout::Fractals, rows, cols, rows * cols, /*pitch=*/rows};
}

static CubePlace getRow(LocalMemory memory, TileType type) {
  int64_t cols = llvm::alignTo(type.getColCount(), getFractalUnit(type.getElementType()));
  int64_t elements = cols;
  // In L1 it takes whole fractals, so that those after it begin at one.
  if (memory == LocalMemory::L1)
    elements = llvm::alignTo(cols, architecture::fractalBytes / getElementBytes(type));
  return {memory, CubeLayout::Row, 1, cols, elements, /*pitch=*/1};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

bool Placer::addSums(Value value) {
  if (!result.places.try_emplace(value, getFractals(LocalMemory::L0C, getTileType(value))).second)
    return false;
  sums.push_back(value);
  return true;
}

/// What a loop carries is sums where the next value is, or where a product adds to it.
bool Placer::placeCarriedSums() {
  bool grows = false;
  kernel.walk([&](RangeOp range) {
    for (auto [argument, next, output] :
         llvm::zip_equal(range.getCarried(), range.getYield().getValues(), range.getResults())) {
      bool isAddedTo = llvm::any_of(argument.getUses(), [](OpOperand &use) {
        auto dot = dyn_cast<DotOp>(use.getOwner());
        return dot && dot.getAcc() == use.get();
      });
      if (!isAddedTo && !result.isSums(argument) && !result.isSums(next) && !result.isSums(output))
        continue;
      grows |= addSums(argument);
      grows |= addSums(output);
    }
    // A loop inside carries what the one around hands it.
    for (auto [init, argument] : llvm::zip_equal(range.getInits(), range.getCarried()))
      if (result.isSums(argument) && isa<BlockArgument>(init))
        grows |= addSums(init);
  });
  return grows;
}

void Placer::placeSums() {
  kernel.walk([&](DotOp dot) { addSums(dot.getResult()); });
  while (placeCarriedSums())
    ;
}

//===----------------------------------------------------------------------===//
// What goes into a product
//===----------------------------------------------------------------------===//

LogicalResult Placer::placeOperand(DotOp dot, OpOperand &use) {
  Value operand = use.get();
  if (result.places.contains(operand) && !result.isSums(operand))
    return success();
  if (result.isSums(operand))
    return dot.emitOpError() << "multiplies sums of another product as "
                             << getTileType(operand).getElementType()
                             << ", which cannot lie in L1; cast both operands to f16 or bf16, or "
                                "compute something with the sums before (* 1.0), which takes them "
                                "to vector cores";
  // Casts are placed with the sums that they convert.
  if (result.outputs.contains(operand)) {
    Type type = getTileType(operand).getElementType();
    if (!type.isF16() && !type.isBF16())
      return dot.emitOpError() << "multiplies another product as " << type
                               << ", which cannot lie in L1; f16 and bf16 can";
    if (failed(verifyOutput(operand)))
      return failure();
    result.places[operand] = getFractals(LocalMemory::L1, getTileType(operand));
    return success();
  }
  if (isZeroSplat(operand)) {
    result.places[operand] = getFractals(LocalMemory::L1, getTileType(operand));
    result.cubeOps.insert(operand.getDefiningOp());
    return success();
  }
  auto extract = operand.getDefiningOp<ExtractOp>();
  bool isPart = extract && (isOperandPart(extract) || isOperandRows(extract));
  auto load = (isPart ? extract.getInput() : operand).getDefiningOp<LoadOp>();
  if (!load)
    return emitNeedsVectorCores(operand.getDefiningOp() ? operand.getDefiningOp() : dot,
                                "is an operand of a product and ");
  CubePlace whole = getFractals(LocalMemory::L1, load.getResult().getType());
  result.places[load.getResult()] = whole;
  result.cubeOps.insert(load);
  if (isPart) {
    CubePlace &part = result.places[operand] = getFractals(LocalMemory::L1, getTileType(operand));
    part.pitch = whole.pitch;
    result.cubeOps.insert(extract);
  }
  return success();
}

/// `start` is what the sums of `user`, a product or a loop, begin with.
LogicalResult Placer::placeStart(Operation *user, Value start) {
  if (result.isSums(start))
    return success();
  if (isZeroSplat(start)) {
    result.starts.insert(start);
    result.cubeOps.insert(start.getDefiningOp());
    return success();
  }
  auto broadcast = start.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return emitNeedsVectorCores(start.getDefiningOp() ? start.getDefiningOp() : user,
                                "is what a product adds to and ");
  auto load = broadcast.getRow().getDefiningOp<LoadOp>();
  if (!load)
    return emitNeedsVectorCores(broadcast, "repeats a row that was not just loaded and ");
  result.starts.insert(start);
  result.places[load.getResult()] = getRow(LocalMemory::L1, load.getResult().getType());
  // A product that is kept takes the row from there itself.
  if (model.keepsComposites())
    result.starts.insert(load.getResult());
  else
    result.places[start] = getRow(LocalMemory::BT, load.getResult().getType());
  result.cubeOps.insert(load);
  result.cubeOps.insert(broadcast);
  return success();
}

LogicalResult Placer::placeStarts() {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto dot = dyn_cast<DotOp>(op); dot && dot.getAcc())
      return placeStart(op, dot.getAcc());
    if (auto range = dyn_cast<RangeOp>(op))
      for (auto [init, argument, next] :
           llvm::zip_equal(range.getInits(), range.getCarried(), range.getYield().getValues())) {
        if (!result.isSums(argument))
          continue;
        if (failed(placeStart(op, init)))
          return failure();
        if (!result.isSums(next))
          return emitNeedsVectorCores(next.getDefiningOp() ? next.getDefiningOp() : op,
                                      "becomes what a product adds to and ");
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// What becomes of sums
//===----------------------------------------------------------------------===//

/// Checks that `value`, which is stored or multiplied, is something that sums can leave L0C as.
LogicalResult Placer::verifyOutput(Value value) {
  if (result.getOutput(value).canBe(getTileType(value).getElementType()))
    return success();
  return emitNeedsVectorCores(value.getDefiningOp(),
                              "turns sums into what they cannot leave L0C as and ");
}

/// Follows sums, converted as `output` says, to where they are stored or multiplied.
LogicalResult Placer::placeOutputs(Value value, SumsOutput output) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<StoreOp>(user)) {
      if (failed(verifyOutput(value)))
        return failure();
      result.cubeOps.insert(user);
    } else if (isa<CastOp, MaximumOp, MulOp>(user) && failed(placeConversion(user, output))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Placer::placeConversion(Operation *op, SumsOutput output) {
  std::optional<SumsOutput> next = output.getNext(op);
  if (!next)
    return emitNeedsVectorCores(op);
  Value converted = op->getResult(0);
  result.outputs[converted] = *next;
  result.cubeOps.insert(op);
  return placeOutputs(converted, *next);
}

//===----------------------------------------------------------------------===//
// All together
//===----------------------------------------------------------------------===//

/// Everything that works on tiles must be something that cube cores do.
LogicalResult Placer::verifyAll() {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    auto isTile = [](Value value) { return isa<TileType>(value.getType()); };
    bool hasTiles =
        llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile);
    if (!hasTiles || isa<DotOp>(op) || result.isOnCube(op))
      return WalkResult::advance();
    if (isa<RangeOp, YieldOp>(op)) {
      for (Value operand : op->getOperands())
        if (isTile(operand) && !result.isSums(operand) && !result.isStart(operand))
          return emitNeedsVectorCores(op, "hands on a tile that is not a sum of products and ");
      return WalkResult::advance();
    }
    // The zero of a maximum and the number that sums are multiplied with are not written.
    if (auto splat = dyn_cast<SplatOp>(op);
        splat && llvm::all_of(op->getUsers(), [&](Operation *user) {
          return isa<MaximumOp, MulOp>(user) && result.isOnCube(user);
        })) {
      result.cubeOps.insert(op);
      result.starts.insert(splat.getResult());
      return WalkResult::advance();
    }
    return emitNeedsVectorCores(op);
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Placer::run() {
  placeSums();
  if (failed(placeStarts()))
    return failure();
  for (Value value : sums)
    if (failed(placeOutputs(value, {value})))
      return failure();
  WalkResult walk = kernel.walk([&](DotOp dot) -> WalkResult {
    result.cubeOps.insert(dot);
    return failure(failed(placeOperand(dot, dot.getAMutable())) ||
                   failed(placeOperand(dot, dot.getBMutable())));
  });
  return failure(walk.wasInterrupted() || failed(verifyAll()));
}

FailureOr<Placement> Placement::create(func::FuncOp kernel, const ChipModel &model) {
  Placement placement;
  if (!model.getChip().isHost && hasProducts(kernel) &&
      failed(Placer(kernel, model, placement).run()))
    return failure();
  return placement;
}

std::optional<CubePlace> Placement::getPlace(Value tile) const {
  auto found = places.find(tile);
  return found == places.end() ? std::nullopt : std::optional(found->second);
}

bool Placement::isSums(Value tile) const {
  auto found = places.find(tile);
  return found != places.end() && found->second.memory == LocalMemory::L0C;
}

SumsOutput Placement::getOutput(Value tile) const {
  auto found = outputs.find(tile);
  return found == outputs.end() ? SumsOutput{tile} : found->second;
}
