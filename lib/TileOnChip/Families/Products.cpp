// Products of matrices on cube cores, and the rows that their sums start from (tile on the chip,
// family).
#include "attn/Machine/Architecture.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Rows m, columns n and depth k of a product, as its operands have room for.
namespace {
struct ProductRoom {
  ProductRoom(DotOp dot, const Placement &placement) {
    CubePlace left = *placement.getPlace(dot.getA()), right = *placement.getPlace(dot.getB());
    m = dot.getTransposeA() ? left.cols : left.rows;
    k = dot.getTransposeA() ? left.rows : left.cols;
    n = dot.getTransposeB() ? right.rows : right.cols;
    leftPitch = left.pitch;
    rightPitch = right.pitch;
  }
  int64_t m, n, k;
  int64_t leftPitch, rightPitch;
};
} // namespace

/// The k that are multiplied at a time: as many as half of L0A and half of L0B take, so that the
/// next ones are loaded meanwhile.
static int64_t getPart(DotOp dot, const ProductRoom &room, const Chip &chip) {
  int64_t bytes = getElementBytes(dot.getA().getType());
  int64_t unit = std::max(architecture::fractalRows, architecture::getElementsPerBlock(bytes));
  // Squares of 8 bits come in the order of L0A one at a time only.
  if (bytes == 1 && dot.getTransposeA())
    return unit;
  int64_t left = chip.getUsableBytes(LocalMemory::L0A) / 2 / (room.m * bytes);
  int64_t right = chip.getUsableBytes(LocalMemory::L0B) / 2 / (room.n * bytes);
  return std::clamp<int64_t>(llvm::alignDown(std::min(left, right), unit), unit, room.k);
}

/// Whether sums are still to be started where a product adds to `sums`.
static Value isStillToStart(Lowering &lowering, Value sums) {
  const Placement &placement = lowering.getPlacement();
  auto constant = [&](bool value) -> Value {
    return arith::ConstantOp::create(lowering.entry, lowering.loc,
                                     lowering.builder.getBoolAttr(value));
  };
  if (!sums || placement.isStart(sums))
    return constant(true);
  auto argument = dyn_cast<BlockArgument>(sums);
  auto range = argument ? dyn_cast<RangeOp>(argument.getOwner()->getParentOp()) : RangeOp();
  if (!range)
    return constant(false);
  unsigned number = argument.getArgNumber() - 1;
  Value before = isStillToStart(lowering, range.getInits()[number]);
  if (range.getYield().getValues()[number] == argument || matchPattern(before, m_Zero()))
    return before;
  Value index = range.getBlock() ? lowering.spans[range.getInductionVar()].base
                                 : lowering.scalars.lookup(range.getInductionVar());
  Value isFirst = lowering.create<arith::CmpIOp>(arith::CmpIPredicate::eq, index,
                                                 lowering.scalars.lookup(range.getLower()));
  return matchPattern(before, m_One())
             ? isFirst
             : lowering.create<arith::AndIOp>(before, isFirst).getResult();
}

/// The row that the sums of a product start from, repeated; null where they start from zeros.
static BroadcastOp getBias(DotOp dot) {
  Value sums = dot.getAcc();
  while (auto argument = dyn_cast_if_present<BlockArgument>(sums)) {
    auto range = cast<RangeOp>(argument.getOwner()->getParentOp());
    sums = range.getInits()[argument.getArgNumber() - 1];
  }
  return sums ? sums.getDefiningOp<BroadcastOp>() : BroadcastOp();
}

/// Where the product finds that row: in the bias table, or where it is kept in L1.
static Value getBiasMemory(Lowering &lowering, DotOp dot) {
  BroadcastOp bias = getBias(dot);
  if (!bias)
    return {};
  return lowering.getMemory(lowering.getPlacement().isRepeatedRow(bias) ? bias.getRow()
                                                                        : bias.getResult());
}

namespace {

struct DotOnChip : OnChipOpInterface::ExternalModel<DotOnChip, DotOp> {
  /// Sums are added to where they are.
  bool mayWriteOver(Operation *op, OpOperand &use) const {
    return use.get() == cast<DotOp>(op).getAcc();
  }
  LogicalResult lower(Operation *op, Lowering &) const {
    return op->emitOpError("runs on cube cores only");
  }
};

struct DotOnCube : OnCubeOpInterface::ExternalModel<DotOnCube, DotOp> {
  void addCubeScratch(Operation *op, const ChipModel &model, const Placement &placement,
                      SmallVectorImpl<ScratchNeed> &needs) const {
    auto dot = cast<DotOp>(op);
    ProductRoom room(dot, placement);
    int64_t part = getPart(dot, room, model.getChip());
    Type element = dot.getA().getType().getElementType();
    needs.push_back({Scratch::Left, element, room.m * part, /*isTransferred=*/false,
                     LocalMemory::L0A, /*slots=*/2});
    needs.push_back({Scratch::Right, element, room.n * part, /*isTransferred=*/false,
                     LocalMemory::L0B, /*slots=*/2});
    // Kept, the product fills the bias table itself.
    if (BroadcastOp bias = getBias(dot); bias && placement.isRepeatedRow(bias))
      needs.push_back({Scratch::Bias, bias.getRow().getType().getElementType(), room.n,
                       /*isTransferred=*/false, LocalMemory::BT, /*slots=*/1});
  }
  unsigned getCubeWritingPipes(Operation *) const { return ProductPipe; }
  OpCost getCubeCost(Operation *op, const ChipModel &model, const Placement &placement,
                     const CostModel &costs) const {
    auto dot = cast<DotOp>(op);
    ProductRoom room(dot, placement);
    int64_t parts = llvm::divideCeil(room.k, getPart(dot, room, model.getChip()));
    return costs.getProduct(room.m, room.n, room.k, getElementBytes(dot.getA().getType()), parts);
  }
  unsigned getCubeReadingPipes(Operation *op, Value tile) const {
    return tile == cast<DotOp>(op).getAcc() ? ProductPipe : FeedPipe;
  }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    auto dot = cast<DotOp>(op);
    ProductRoom room(dot, lowering.getPlacement());
    auto inner = cast<IntegerAttr>(dot.getLeftInner()).getInt();
    Value k = lowering.getLimit(lowering.getRowLimits().getInnerSpans(dot), inner);
    // Without any k the first of the zeros is taken: sums that nothing is added to become zero.
    k = lowering.max(k, lowering.constant(int64_t(1)));
    // L0A takes transposed f32 in pairs of fractals; what is missing are zeros in both operands.
    if (dot.getTransposeA() && dot.getA().getType().getElementType().isF32())
      k = lowering.alignTo(k, architecture::fractalRows);
    lowering.create<ascend::MatmulOp>(
        lowering.getMemory(dot.getResult()), lowering.getMemory(dot.getA()),
        lowering.getMemory(dot.getB()), lowering.getScratch(op, Scratch::Left),
        lowering.getScratch(op, Scratch::Right), getBiasMemory(lowering, dot),
        lowering.getExtent(dot.getResult(), ProductExtents::Rows),
        lowering.getExtent(dot.getResult(), ProductExtents::Cols), k,
        isStillToStart(lowering, dot.getAcc()), ArrayRef<int64_t>{room.leftPitch, room.rightPitch},
        dot.getTransposeA(), dot.getTransposeB());
    return success();
  }
};

/// Column blocks of an operand that was loaded, which follow each other, or rows of all of them.
struct ExtractOnCube : OnCubeOpInterface::ExternalModel<ExtractOnCube, ExtractOp> {
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    auto extract = cast<ExtractOp>(op);
    int64_t pitch = lowering.getPlacement().getPlace(extract.getInput())->pitch;
    int64_t perBlock =
        lowering.model.getBlockElements(extract.getResult().getType().getElementType());
    Value first = lowering.add(lowering.scale(lowering.scalars.lookup(extract.getCol()), pitch),
                               lowering.scale(lowering.scalars.lookup(extract.getRow()), perBlock));
    lowering.setView(extract.getResult(),
                     lowering.slice(lowering.getMemory(extract.getInput()), first));
    return success();
  }
};

/// On vector cores each row is a copy of its own. A single element, which becomes a column, is
/// spread by multiplying ones.
struct BroadcastOnChip : OnChipOpInterface::ExternalModel<BroadcastOnChip, BroadcastOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    TileType type = cast<BroadcastOp>(op).getType();
    if (isColumn(type))
      needs.push_back({Scratch::Broadcast, type.getElementType(), model.getBroadcastScratch(1)});
  }
  OpCost getCost(Operation *op, const ChipModel &model, const CostModel &costs) const {
    OpCost cost;
    TileType type = cast<BroadcastOp>(op).getType();
    cost.vectorCycles =
        costs.getCycles(VectorFamily::Duplicate, type.getRowCount(), model.getRepeats(type));
    return cost;
  }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto broadcast = cast<BroadcastOp>(op);
    TileType type = broadcast.getType();
    Value dst = lowering.getMemory(broadcast.getResult());
    Value row = lowering.getMemory(broadcast.getRow());
    if (isColumn(type)) {
      if (!type.getElementType().isF32())
        return op->emitOpError("repeats a single element of ")
               << type.getElementType() << ", which vector cores do in f32 only: cast it first";
      int64_t elements = lowering.model.getBufferElements(type);
      lowering.emitDuplicate(dst, lowering.constant(1.0f), lowering.constant(elements));
      lowering.create<ascend::RowBinaryOp>(ascend::BinaryKind::Mul, dst, dst, row,
                                           lowering.getScratch(op, Scratch::Broadcast),
                                           lowering.constant(int64_t(1)), elements, elements);
      return success();
    }
    int64_t pitch = lowering.model.getPitch(type);
    lowering.forEachChunk(
        lowering.constant(type.getRowCount()), type.getRowCount(), 1, [&](Value first, Value) {
          lowering.create<ascend::CopyOp>(lowering.slice(dst, lowering.scale(first, pitch)), row,
                                          lowering.constant(pitch));
        });
    return success();
  }
};

struct BroadcastOnCube : OnCubeOpInterface::ExternalModel<BroadcastOnCube, BroadcastOp> {
  unsigned getCubeWritingPipes(Operation *) const { return FeedPipe; }
  unsigned getCubeReadingPipes(Operation *, Value) const { return FeedPipe; }
  OpCost getCubeCost(Operation *op, const ChipModel &, const Placement &,
                     const CostModel &costs) const {
    TileType row = cast<BroadcastOp>(op).getRow().getType();
    return costs.getBiasLoad(row.getColCount() * getElementBytes(row));
  }
  LogicalResult lowerOnCube(Operation *op, Lowering &lowering) const {
    auto broadcast = cast<BroadcastOp>(op);
    if (lowering.getPlacement().isRepeatedRow(broadcast))
      return success();
    int64_t cols = lowering.getPlacement().getPlace(broadcast.getResult())->cols;
    lowering.create<ascend::LoadBiasOp>(lowering.getMemory(broadcast.getResult()),
                                        lowering.getMemory(broadcast.getRow()),
                                        lowering.constant(cols));
    return success();
  }
};

} // namespace

void onchip::registerProducts(MLIRContext *context) {
  DotOp::attachInterface<DotOnChip>(*context);
  DotOp::attachInterface<DotOnCube>(*context);
  ExtractOp::attachInterface<ExtractOnCube>(*context);
  BroadcastOp::attachInterface<BroadcastOnChip>(*context);
  BroadcastOp::attachInterface<BroadcastOnCube>(*context);
}
