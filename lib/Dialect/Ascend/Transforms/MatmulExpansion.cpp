// Products of matrices in L1 as loads to L0A and L0B and products of parts (ascend stage, part of
// ascend-expand-composites).
#include "MatmulExpansion.h"
#include "Slices.h"
#include "attn/Machine/Architecture.h"
#include "attn/Machine/Costs.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

using architecture::fractalRows;

namespace {

/// While the cube multiplies one part, the next is loaded.
constexpr int64_t partStages = 2;

/// Writes out one product. Offsets are in elements; fractals of operands have 16 rows of
/// `perBlock` elements.
class MatmulWriter {
public:
  MatmulWriter(MatmulOp op, const IndexRanges &ranges, int64_t group)
      : op(op), ranges(ranges), group(group), builder(op), location(op.getLoc()),
        bytes(getBytes(op.getA())), perBlock(architecture::getElementsPerBlock(bytes)),
        fractal(architecture::fractalBytes / bytes), unit(std::max(fractalRows, perBlock)) {}

  LogicalResult write();

private:
  struct RightFractals {
    int64_t loads;
    bool isByDepth;
  };

  static int64_t getBytes(Value memory) {
    return cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  }
  LogicalResult setPart();
  std::optional<int64_t> getMost(Value extent);

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, location, value); }
  Value scale(Value value, int64_t by) {
    return by == 1 ? value : builder.createOrFold<arith::MulIOp>(location, value, constant(by));
  }
  Value divideCeil(Value value, int64_t by) {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      return constant(llvm::divideCeil(*known, by));
    return arith::CeilDivSIOp::create(builder, location, value, constant(by));
  }
  Value alignTo(Value value, int64_t to) { return scale(divideCeil(value, to), to); }
  Value slice(Value buffer, Value offset) { return createSlice(builder, location, buffer, offset); }
  Value slice(Value buffer, int64_t offset) { return slice(buffer, constant(offset)); }
  /// Writes the load that `body` makes for each of the numbers below `count`, which are at most
  /// `most`, to different places.
  void forEach(Value count, int64_t most, function_ref<void(Value)> body);

  void chooseLoads();
  OperandLoads getLeft(LoadForm form);
  OperandLoads getRight(LoadForm form);
  bool hasLeftFractals();
  std::optional<RightFractals> getRightFractals();
  void loadLeft();
  void loadRight();
  void loadRightTurned();
  void loadRightByFractals();
  void loadFractals(Value dst, Value src, Value repeat, int64_t sourceStride,
                    bool isTurned = false);
  void loadSquares(Value dst, Value src, Value repeat, ArrayRef<int64_t> strides);

  MatmulOp op;
  const IndexRanges &ranges;
  /// The number of loads that keep apart, and whether there are some of which that must be said.
  int64_t group;
  bool keepsApart = false;
  OpBuilder builder;
  Location location;
  int64_t bytes, perBlock, fractal;
  /// Rows and columns are loaded in multiples of this, whichever way round.
  int64_t unit;
  /// The most that m and n can be.
  int64_t mostRows = 0, mostCols = 0;
  /// The k of a part; of the current one, where it begins and how many it has.
  int64_t part = 0;
  Value first, amount;
  /// How the operands are loaded, and which of them goes first.
  LoadForm leftForm = LoadForm::Whole, rightForm = LoadForm::Whole;
  bool isRightFirst = false;
};

} // namespace

void MatmulWriter::forEach(Value count, int64_t most, function_ref<void(Value)> body) {
  if (most == 1) {
    body(constant(0));
    return;
  }
  auto loop = scf::ForOp::create(builder, location, constant(0), count, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  keepsApart = true;
}

void MatmulWriter::loadFractals(Value dst, Value src, Value repeat, int64_t sourceStride,
                                bool isTurned) {
  LoadFractalsOp::create(builder, location, dst, src, repeat, ArrayRef<int64_t>{1, sourceStride},
                         isTurned);
}

void MatmulWriter::loadSquares(Value dst, Value src, Value repeat, ArrayRef<int64_t> strides) {
  LoadSquaresOp::create(builder, location, dst, src, repeat, strides);
}

//===----------------------------------------------------------------------===//
// How operands are loaded
//===----------------------------------------------------------------------===//

/// Whether loads of fractals can bring the left operand, one for every row block. Only fractals of
/// 16 bits are turned over one by one; an unknown number of loads would take a loop.
bool MatmulWriter::hasLeftFractals() {
  return (!op.getTransposeA() || bytes == 2) &&
         (mostRows == fractalRows || getConstantIntValue(op.getM()));
}

/// How loads of fractals, each turned over, bring the right operand: one for every 16 columns or
/// one for every 16 of k, whatever is less and known. Nothing where neither is.
std::optional<MatmulWriter::RightFractals> MatmulWriter::getRightFractals() {
  std::optional<RightFractals> byColumns;
  if (bytes != 2)
    return byColumns;
  if (mostCols == fractalRows || getConstantIntValue(op.getN()))
    byColumns = {mostCols / fractalRows, /*isByDepth=*/false};
  std::optional<int64_t> k = getConstantIntValue(op.getK());
  int64_t blocksOfK = part / fractalRows;
  if (k && *k % part == 0 && (!byColumns || blocksOfK < byColumns->loads))
    return RightFractals{blocksOfK, /*isByDepth=*/true};
  return byColumns;
}

OperandLoads MatmulWriter::getLeft(LoadForm form) {
  int64_t loads = form == LoadForm::Whole ? 1 : mostRows / fractalRows;
  return {form, loads, mostRows * part * bytes / Costs().loadToL0ABytesPerCycle};
}

OperandLoads MatmulWriter::getRight(LoadForm form) {
  int64_t loads = 1;
  if (op.getTransposeB() && getConstantIntValue(op.getN()) != op.getRows()[1])
    loads = part / perBlock;
  else if (!op.getTransposeB() && form == LoadForm::Fractals)
    loads = bytes == 1 ? part / unit : getRightFractals()->loads;
  return {form, loads, mostCols * part * bytes / Costs().loadToL0BBytesPerCycle};
}

/// Takes what has both operands of the first part in L0A and L0B soonest, by the fewest loads. What
/// is loaded first pays for the start of the pipe, and the other one follows at once: only its
/// number of loads counts. Later parts are loaded while the cube multiplies; of them only what it
/// takes to issue their loads is left. Products that go on from other sums follow each other: their
/// first part is loaded while the cube multiplies, too, so that nothing pays for more loads.
void MatmulWriter::chooseLoads() {
  // In the order of L0B already, or in squares: by fractals anyway.
  bool isRightInFractals = op.getTransposeB() || bytes == 1;
  LoadForm right = isRightInFractals ? LoadForm::Fractals : LoadForm::Whole;
  rightForm = right;
  bool startsSums = matchPattern(op.getInit(), m_One());
  Costs costs;
  // Of an unknown number of parts, as many as fill the queue of the pipe.
  std::optional<int64_t> k = ranges.getUpperBound(op.getK());
  double laterParts = k ? llvm::divideCeil(*k, part) - 1 : costs.queueDepth;
  auto estimate = [&](const OperandLoads &first, const OperandLoads &second) {
    int64_t count = first.count + second.count;
    double cycles = getLoadsToL0Cycles(costs, first, second) + laterParts * count * costs.issue;
    return std::pair(cycles, count);
  };
  auto best = estimate(getLeft(leftForm), getRight(rightForm));
  // Squares of the left operand are its only form.
  if (bytes == 1 && op.getTransposeA())
    return;
  auto isBetter = [&](const OperandLoads &first, const OperandLoads &second) {
    auto found = estimate(first, second);
    if (found >= best || (!startsSums && found.second > best.second))
      return false;
    best = found;
    return true;
  };
  if (hasLeftFractals() && isBetter(getLeft(LoadForm::Fractals), getRight(right)))
    leftForm = LoadForm::Fractals;
  if (!startsSums || (!isRightInFractals && !getRightFractals()))
    return;
  if (isBetter(getRight(LoadForm::Fractals), getLeft(LoadForm::Whole))) {
    isRightFirst = true;
    leftForm = LoadForm::Whole;
    rightForm = LoadForm::Fractals;
  }
}

/// The left operand in the order of L0A: row blocks, in each one fractal after the other along k.
void MatmulWriter::loadLeft() {
  int64_t room = op.getRows()[0];
  bool isTurned = op.getTransposeA();
  Value dst = op.getScratchA(), m = op.getM();
  Value src = slice(op.getA(), scale(first, isTurned ? perBlock : room));
  if (bytes == 1 && isTurned) {
    loadSquares(dst, src, divideCeil(m, unit), {2, room / unit, 1});
    return;
  }
  if (leftForm == LoadForm::Fractals) {
    Value blocksOfK = divideCeil(amount, perBlock);
    int64_t loads = mostRows / fractalRows, distance = isTurned ? room * perBlock : fractal;
    for (int64_t block = 0; block < loads; ++block)
      loadFractals(slice(dst, scale(blocksOfK, block * fractal)), slice(src, block * distance),
                   blocksOfK, isTurned ? 1 : room / fractalRows, isTurned);
    keepsApart |= loads > 1;
    return;
  }
  LoadTileOp::create(builder, location, dst, src, isTurned ? alignTo(amount, fractalRows) : m,
                     isTurned ? m : alignTo(amount, perBlock), room, isTurned);
}

/// Rows of n with k along them are in the order of L0B already: all of them are one run, of fewer
/// there is one for every block of k.
void MatmulWriter::loadRightTurned() {
  int64_t room = op.getRows()[1];
  Value dst = op.getScratchB(), src = slice(op.getB(), scale(first, room));
  Value blocksOfK = divideCeil(amount, perBlock), blocks = divideCeil(op.getN(), fractalRows);
  auto loadAll = [&] { loadFractals(dst, src, scale(blocksOfK, room / fractalRows), 1); };
  auto loadEach = [&] {
    forEach(blocksOfK, part / perBlock, [&](Value block) {
      Value to = builder.createOrFold<arith::MulIOp>(location, block, scale(blocks, fractal));
      loadFractals(slice(dst, to), slice(src, scale(block, room * perBlock)), blocks, 1);
    });
  };
  if (std::optional<int64_t> n = getConstantIntValue(op.getN()))
    return *n == room ? loadAll() : loadEach();
  if (mostCols < room)
    return loadEach();
  Value isFull =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, op.getN(), constant(room));
  auto branch = scf::IfOp::create(builder, location, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  loadAll();
  builder.setInsertionPointToStart(branch.elseBlock());
  loadEach();
  keepsApart = true;
}

/// Fractals of the right operand, turned over one by one.
void MatmulWriter::loadRightByFractals() {
  int64_t blocksOfRows = op.getRows()[1] / fractalRows, blocks = mostCols / fractalRows;
  Value dst = op.getScratchB(), src = slice(op.getB(), scale(first, perBlock));
  auto load = [&](Value to, int64_t from, Value repeat, ArrayRef<int64_t> strides) {
    LoadFractalsOp::create(builder, location, slice(dst, to), slice(src, from * fractal), repeat,
                           strides, /*transpose=*/true);
  };
  auto [loads, isByDepth] = *getRightFractals();
  Value columns = divideCeil(op.getN(), fractalRows), blocksOfK = divideCeil(amount, fractalRows);
  for (int64_t block = 0; block < loads; ++block) {
    if (isByDepth)
      load(scale(columns, block * fractal), block, columns, {1, blocksOfRows});
    else
      load(constant(block * fractal), block * blocksOfRows, blocksOfK, {blocks, 1});
  }
  keepsApart |= loads > 1;
}

/// The right operand in the order of L0B: for every block of k one fractal per 16 columns.
void MatmulWriter::loadRight() {
  if (op.getTransposeB())
    return loadRightTurned();
  if (bytes == 2 && rightForm == LoadForm::Fractals)
    return loadRightByFractals();
  int64_t room = op.getRows()[1];
  Value dst = op.getScratchB(), n = op.getN();
  Value src = slice(op.getB(), scale(first, perBlock));
  if (bytes != 1) {
    LoadTileOp::create(builder, location, dst, src, alignTo(amount, fractalRows), n, room,
                       /*transpose=*/false);
    return;
  }
  Value rowOfK = scale(divideCeil(n, fractalRows), fractal);
  forEach(divideCeil(amount, unit), part / unit, [&](Value block) {
    Value to = builder.createOrFold<arith::MulIOp>(location, block, rowOfK);
    loadSquares(slice(dst, to), slice(src, scale(block, unit * perBlock)), divideCeil(n, unit),
                {2, room / unit, 1});
  });
}

/// The most that an extent of the product can be, in whole fractals.
std::optional<int64_t> MatmulWriter::getMost(Value extent) {
  std::optional<int64_t> most = ranges.getUpperBound(extent);
  bool isWhole = most && *most >= unit && *most % unit == 0;
  return isWhole ? most : std::nullopt;
}

/// Takes m and n, and as much of k at a time as both scratch buffers hold.
LogicalResult MatmulWriter::setPart() {
  std::optional<int64_t> rows = getMost(op.getM()), cols = getMost(op.getN());
  if (!rows || !cols)
    return op.emitOpError() << "must have numbers of rows and columns that are multiples of "
                            << unit << ", as its operands have room for";
  mostRows = *rows;
  mostCols = *cols;
  auto getElements = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.hasStaticShape() ? type.getNumElements() : 0;
  };
  part = llvm::alignDown(
      std::min(getElements(op.getScratchA()) / mostRows, getElements(op.getScratchB()) / mostCols),
      unit);
  // The second fractal of a square would lie among those of the next k.
  if (bytes == 1 && op.getTransposeA())
    part = std::min(part, unit);
  if (part < unit)
    return op.emitOpError() << "has scratch that does not hold " << unit << " of its k";
  return success();
}

LogicalResult MatmulWriter::write() {
  if (failed(setPart()))
    return failure();
  chooseLoads();
  auto loop = scf::ForOp::create(builder, location, constant(0), op.getK(), constant(part));
  loop->setAttr("ascend.stages", builder.getI64IntegerAttr(partStages));
  builder.setInsertionPointToStart(loop.getBody());
  first = loop.getInductionVar();
  std::optional<int64_t> k = getConstantIntValue(op.getK());
  amount = constant(part);
  if (!k || *k % part != 0) {
    Value left = arith::SubIOp::create(builder, location, op.getK(), first);
    amount = arith::MinSIOp::create(builder, location, left, amount);
    // The loop sees to it; said again, it bounds what is counted from it.
    amount = arith::MaxSIOp::create(builder, location, amount, constant(1));
  }
  if (isRightFirst)
    loadRight();
  loadLeft();
  if (!isRightFirst)
    loadRight();
  // No two loads of one part write the same bytes, whatever numbers their places depend on.
  if (keepsApart)
    loop.walk([&](InstructionOpInterface load) {
      load->setAttr(apartName, builder.getI64IntegerAttr(group));
    });
  Value init = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, first,
                                     loop.getLowerBound());
  init = builder.createOrFold<arith::AndIOp>(location, op.getInit(), init);
  MmadOp::create(builder, location, op.getDst(), op.getScratchA(), op.getScratchB(), op.getBias(),
                 op.getM(), op.getN(), amount, init);
  return success();
}

LogicalResult ascend::expandMatmul(MatmulOp op, const IndexRanges &ranges, int64_t group) {
  if (op.getBias() && getSpace(op.getBias().getType()) != Space::BT)
    return op.emitOpError("has its bias in L1, which only a product that is kept takes there");
  return MatmulWriter(op, ranges, group).write();
}
