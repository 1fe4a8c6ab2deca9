// Computes the tiles of vector cores in strips of rows, so that transfers of one strip overlap with
// the arithmetic of another (tile on the chip).
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/Transforms/Halves.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// The next strip is loaded while one is computed.
static constexpr int64_t stripStages = 2;

static bool isTall(Value value) {
  auto type = dyn_cast<TileType>(value.getType());
  return type && type.getRowCount() > 1;
}

static bool hasTallTiles(Operation *op) {
  return llvm::any_of(op->getOperands(), isTall) || llvm::any_of(op->getResults(), isTall);
}

namespace {

/// A run of ops of one block that compute row by row on tiles of equally many rows.
class Segment {
public:
  Segment(ArrayRef<Operation *> ops, int64_t rows, int64_t stripRows, bool runsAlways)
      : ops(ops), rows(rows), stripRows(stripRows), runsAlways(runsAlways),
        builder(ops.front()->getLoc(), ops.back()) {}

  void strip();

private:
  /// A tile that is used after the segment, and what the loop over strips fills.
  struct Output {
    Value tile;
    Value start;
    bool isWhole; // the result of an insertion of rows, of which the strips insert their part
  };

  bool isInside(Operation *op) const { return op && members.contains(op); }
  void findOutputs();
  Value getReplaced(Value output) const;
  Value countStrips();
  TileType getStripType(Value tile) const {
    auto type = cast<TileType>(tile.getType());
    return TileType::get(type.getContext(), getDim(type.getContext(), stripRows), type.getCols(),
                         type.getElementType());
  }
  Value narrow(Value span, Value first);
  Value getStrip(Value tile, Value first);
  void clone(Operation *op, Value first);
  template <typename Op> void cloneTransfer(Op op, Value first);

  ArrayRef<Operation *> ops;
  int64_t rows, stripRows;
  bool runsAlways; // with at least one strip, which may have no rows
  ImplicitLocOpBuilder builder;
  llvm::SmallPtrSet<Operation *, 16> members;
  SmallVector<Output> outputs;
  IRMapping map;                        // tiles of the segment to their strips
  llvm::MapVector<Value, Value> wholes; // tiles from outside to what they are in the loop
};

} // namespace

/// The carried tile of the loop around that `output` is the next value of, where nothing outside of
/// the segment takes it: it is changed in its place.
Value Segment::getReplaced(Value output) const {
  auto loop = dyn_cast<RangeOp>(ops.front()->getParentOp());
  if (!loop)
    return {};
  for (auto [carried, next] : llvm::zip_equal(loop.getCarried(), loop.getYield().getValues()))
    if (next == output &&
        llvm::all_of(carried.getUsers(), [&](Operation *user) { return isInside(user); }))
      return carried;
  return {};
}

void Segment::findOutputs() {
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      bool isUsedOutside =
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); });
      if (!isTall(result) || !isUsedOutside)
        continue;
      if (auto insert = dyn_cast<InsertOp>(op); insert && insert.getType().getRowCount() != rows) {
        outputs.push_back({result, insert.getWhole(), true});
        continue;
      }
      Value start = getReplaced(result);
      if (!start)
        start = UndefinedOp::create(builder, result.getLoc(), result.getType());
      outputs.push_back({result, start, false});
    }
}

/// How many strips have rows: those of the spans by which rows are moved.
Value Segment::countStrips() {
  Value most = arith::ConstantIndexOp::create(builder, rows / stripRows);
  Value rowsHere;
  for (Operation *op : ops) {
    Value span;
    if (auto load = dyn_cast<LoadOp>(op); load && isTall(load.getResult()))
      span = getRowSpan(load.getKinds(), load.getIndices());
    else if (auto store = dyn_cast<StoreOp>(op); store && isTall(store.getValue()))
      span = getRowSpan(store.getKinds(), store.getIndices());
    else
      continue;
    auto make = span ? span.getDefiningOp<MakeSpanOp>() : MakeSpanOp();
    if (!make || make.getFirst())
      return most;
    Value count = arith::SubIOp::create(builder, make.getLimit(), make.getBase());
    rowsHere = rowsHere ? Value(arith::MaxSIOp::create(builder, rowsHere, count)) : count;
  }
  if (!rowsHere)
    return most;
  Value strips = arith::CeilDivSIOp::create(builder, rowsHere,
                                            arith::ConstantIndexOp::create(builder, stripRows));
  strips = arith::MinSIOp::create(builder, strips, most);
  if (!runsAlways)
    return strips;
  return arith::MaxSIOp::create(builder, strips, arith::ConstantIndexOp::create(builder, 1));
}

/// The rows of a span that belong to the strip that begins at row `first`.
Value Segment::narrow(Value span, Value first) {
  auto make = span.getDefiningOp<MakeSpanOp>();
  auto of = cast<SpanType>(span.getType());
  auto type = SpanType::get(span.getContext(), getDim(span.getContext(), stripRows), of.getFilled(),
                            of.getMapped());
  Value base = arith::AddIOp::create(builder, make.getBase(), first);
  return MakeSpanOp::create(builder, type, base, make.getLimit(), make.getFirst(), make.getOffset(),
                            make.getStep(), /*nonempty=*/false);
}

/// The strip of a tile that lies outside of the segment.
Value Segment::getStrip(Value tile, Value first) {
  Operation *op = tile.getDefiningOp();
  if (auto splat = dyn_cast_if_present<SplatOp>(op))
    return SplatOp::create(builder, tile.getLoc(), getStripType(tile), splat.getValue());
  if (isa_and_present<UndefinedOp>(op))
    return UndefinedOp::create(builder, tile.getLoc(), getStripType(tile));
  auto found = wholes.find(tile);
  Value whole = found == wholes.end() ? tile : found->second;
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  return ExtractOp::create(builder, tile.getLoc(), getStripType(tile), whole, first, zero,
                           /*transposed=*/false);
}

template <typename Op> void Segment::cloneTransfer(Op op, Value first) {
  SmallVector<Value> indices;
  int64_t row = getSelection(op.getKinds()).rowDimension;
  for (int64_t dimension = 0, end = op.getKinds().size(); dimension < end; ++dimension) {
    Value index = getIndexOperand(op.getKinds(), op.getIndices(), dimension);
    if (index)
      indices.push_back(dimension == row ? narrow(index, first) : index);
  }
  auto copy = cast<Op>(builder.clone(*op.getOperation(), map));
  copy.getIndicesMutable().assign(indices);
}

void Segment::clone(Operation *op, Value first) {
  builder.setLoc(op->getLoc());
  auto insert = dyn_cast<InsertOp>(op);
  auto extract = dyn_cast<ExtractOp>(op);
  bool isStackAccess = (insert && insert.getType().getRowCount() != rows) ||
                       (extract && extract.getInput().getType().getRowCount() != rows);
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (isTall(operand) && !map.contains(operand)) {
      bool isStack = isStackAccess && number == (insert ? 1u : 0u);
      if (!isStack)
        map.map(operand, getStrip(operand, first));
      else if (auto found = wholes.find(operand); found != wholes.end())
        map.map(operand, found->second);
    }
  if (auto load = dyn_cast<LoadOp>(op))
    cloneTransfer(load, first);
  else if (auto store = dyn_cast<StoreOp>(op))
    cloneTransfer(store, first);
  else
    builder.clone(*op, map);
  Operation *copy = op->getNumResults() ? map.lookup(op->getResult(0)).getDefiningOp() : nullptr;
  if (isStackAccess) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(copy);
    unsigned row = insert ? 2 : 1;
    copy->setOperand(row, arith::AddIOp::create(builder, copy->getOperand(row), first));
  }
  // A stack keeps its size; of everything else there is a strip.
  if (copy && isTall(copy->getResult(0)) && !(insert && isStackAccess))
    copy->getResult(0).setType(getStripType(copy->getResult(0)));
}

void Segment::strip() {
  members.insert(ops.begin(), ops.end());
  findOutputs();
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value strips = countStrips();
  SmallVector<Value> starts =
      llvm::map_to_vector(outputs, [](const Output &out) { return out.start; });
  auto loop = RangeOp::create(builder, ValueRange(starts).getTypes(), zero, strips, starts,
                              Attribute(), builder.getI64IntegerAttr(stripStages), UnitAttr());
  Block *body = builder.createBlock(&loop.getBody());
  body->addArgument(builder.getIndexType(), loop.getLoc());
  for (auto [output, start] : llvm::zip_equal(outputs, starts)) {
    Value carried = body->addArgument(start.getType(), output.tile.getLoc());
    wholes[start] = carried;
  }
  Value first = arith::MulIOp::create(builder, loop.getInductionVar(),
                                      arith::ConstantIndexOp::create(builder, stripRows));
  for (Operation *op : ops)
    clone(op, first);
  SmallVector<Value> next;
  for (auto [output, carried] : llvm::zip_equal(outputs, loop.getCarried())) {
    Value made = map.lookup(output.tile);
    next.push_back(output.isWhole
                       ? made
                       : Value(InsertOp::create(builder, output.tile.getLoc(), carried.getType(),
                                                made, carried, first, zero, /*transposed=*/false)));
  }
  YieldOp::create(builder, next);
  for (auto [output, result] : llvm::zip_equal(outputs, loop.getResults()))
    output.tile.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !isInside(use.getOwner()) && !loop->isProperAncestor(use.getOwner());
    });
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The rows that an op computes with: those of its tiles but stacks, from which parts are taken.
static int64_t getRows(Operation *op) {
  if (auto insert = dyn_cast<InsertOp>(op))
    return insert.getPart().getType().getRowCount();
  for (Value result : op->getResults())
    if (isTall(result))
      return getTileType(result).getRowCount();
  for (Value operand : op->getOperands())
    if (isTall(operand))
      return getTileType(operand).getRowCount();
  return 1;
}

/// Whether an op computes each row of its result from the same rows of its operands, and moves rows
/// of a span.
static bool canStrip(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getAxis() == 1;
  if (auto extract = dyn_cast<ExtractOp>(op))
    return !extract.getTransposed();
  if (auto insert = dyn_cast<InsertOp>(op))
    return !insert.getTransposed();
  auto movesSpan = [](auto transfer) {
    Value span = getRowSpan(transfer.getKinds(), transfer.getIndices());
    return span && span.getDefiningOp<MakeSpanOp>();
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return movesSpan(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return movesSpan(store);
  return isElementwise(op) || isa<CastOp, SplatOp, BroadcastOp, FillColumnsOp>(op);
}

/// Where `half` computes something of which an op takes all rows at once (a sum over rows, a row
/// made of a column) while some may be missing. A tile that strips put together does not say which
/// of its rows exist, so that such blocks are left as they are.
static llvm::SmallPtrSet<Block *, 4> findWholeBlocks(func::FuncOp half) {
  RowLimits limits(half);
  SmallVector<Value> open;
  half.walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && !isa<YieldOp, LoadOp, StoreOp>(op) && !canStrip(op))
      llvm::copy_if(op->getOperands(), std::back_inserter(open), [&](Value operand) {
        return isTall(operand) && !limits.getSpans(operand).empty();
      });
  });
  llvm::SmallPtrSet<Block *, 4> blocks;
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value tile = open.pop_back_val();
    if (!isTall(tile) || !seen.insert(tile).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(tile);
    Operation *op = argument ? argument.getOwner()->getParentOp() : tile.getDefiningOp();
    if (auto loop = dyn_cast<RangeOp>(op)) {
      unsigned position =
          argument ? argument.getArgNumber() - 1 : cast<OpResult>(tile).getResultNumber();
      llvm::append_values(open, loop.getInits()[position], loop.getYield().getValues()[position]);
      continue;
    }
    blocks.insert(op->getBlock());
    llvm::append_range(open, op->getOperands());
  }
  return blocks;
}

/// Whether strips are worth a loop: where something is moved while something else is computed.
static bool movesRows(ArrayRef<Operation *> ops) {
  auto isTransfer = [](Operation *op) { return isa<LoadOp, StoreOp>(op); };
  return llvm::any_of(ops, isTransfer) && !llvm::all_of(ops, isTransfer);
}

/// The runs of ops of a block that strips of so many rows cut.
static void forEachSegment(Block &block, int64_t stripRows,
                           llvm::function_ref<void(ArrayRef<Operation *>, int64_t)> take) {
  SmallVector<Operation *> ops;
  int64_t rows = 0;
  auto finish = [&] {
    if (!ops.empty() && rows > stripRows && rows % stripRows == 0 && movesRows(ops))
      take(ops, rows);
    ops.clear();
    rows = 0;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<SignalOp, AwaitOp>(op) || op.getNumRegions() != 0) {
      finish();
      continue;
    }
    // What holds nothing cuts no run: strips have their own.
    if (!hasTallTiles(&op) || isa<YieldOp, UndefinedOp>(op))
      continue;
    bool fits = canStrip(&op) && (rows == 0 || getRows(&op) == rows);
    if (!fits)
      finish();
    if (!canStrip(&op))
      continue;
    rows = getRows(&op);
    ops.push_back(&op);
  }
  finish();
}

/// Whether an array is memory through which the halves of a kernel exchange tiles.
static bool isExchanged(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  return function && function.getArgAttr(argument.getArgNumber(), launch::workspaceName);
}

/// Whether a run hands something on to the other half that it has nothing of: what it signals then
/// says that slots are free whose tiles were taken before it.
static bool answersUnasked(ArrayRef<Operation *> ops) {
  auto hands = [](Operation *op) {
    auto store = dyn_cast<StoreOp>(op);
    return store && isExchanged(store.getArray());
  };
  auto takes = [](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && isExchanged(load.getArray());
  };
  return llvm::any_of(ops, hands) && llvm::none_of(ops, takes);
}

void onchip::stripRows(func::FuncOp vectorHalf, int64_t rows) {
  // Blocks that strips are made of are not looked at again.
  SmallVector<Block *> blocks;
  auto wholeBlocks = findWholeBlocks(vectorHalf);
  vectorHalf.walk<WalkOrder::PreOrder>([&](Block *block) {
    if (!wholeBlocks.contains(block))
      blocks.push_back(block);
  });
  for (Block *block : blocks) {
    // A core without rows of one tile may have taken rows of others: pipes that its strips order
    // must come by before it signals.
    bool runsAlways = false;
    forEachSegment(*block, rows,
                   [&](ArrayRef<Operation *> ops, int64_t) { runsAlways |= answersUnasked(ops); });
    forEachSegment(*block, rows, [&](ArrayRef<Operation *> ops, int64_t rowsOfOps) {
      Segment(ops, rowsOfOps, rows, runsAlways).strip();
    });
  }
}

bool onchip::cutsRows(func::FuncOp vectorHalf, int64_t rows) {
  if (rows == 0)
    return false;
  bool cuts = false;
  auto wholeBlocks = findWholeBlocks(vectorHalf);
  vectorHalf.walk([&](Block *block) {
    if (!wholeBlocks.contains(block))
      forEachSegment(*block, rows, [&](ArrayRef<Operation *>, int64_t) { cuts = true; });
  });
  return cuts;
}
