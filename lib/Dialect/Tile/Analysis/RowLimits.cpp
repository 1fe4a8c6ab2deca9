// How many rows and columns of each tile of a kernel exist (tile stage, analysis).
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

RowLimits::RowLimits(func::FuncOp kernel) {
  // Limits only grow, and each round hands them on through all loops: a few rounds reach the end.
  bool grows = true;
  while (grows) {
    grows = false;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { grows |= visit(op); });
  }
}

ArrayRef<Value> RowLimits::getSpans(Value tile) const {
  auto found = limits.find(tile);
  return found == limits.end() ? ArrayRef<Value>() : found->second.rows.getArrayRef();
}

ArrayRef<Value> RowLimits::getColumnSpans(Value tile) const {
  auto found = limits.find(tile);
  return found == limits.end() ? ArrayRef<Value>() : found->second.cols.getArrayRef();
}

ArrayRef<Value> RowLimits::getLeftRowSpans(DotOp dot) const {
  return dot.getTransposeA() ? getColumnSpans(dot.getA()) : getSpans(dot.getA());
}

ArrayRef<Value> RowLimits::getRightColumnSpans(DotOp dot) const {
  return dot.getTransposeB() ? getSpans(dot.getB()) : getColumnSpans(dot.getB());
}

SmallVector<Value> RowLimits::getInnerSpans(DotOp dot) const {
  ArrayRef<Value> left = dot.getTransposeA() ? getSpans(dot.getA()) : getColumnSpans(dot.getA());
  ArrayRef<Value> right = dot.getTransposeB() ? getColumnSpans(dot.getB()) : getSpans(dot.getB());
  Spans both(left.begin(), left.end());
  both.insert_range(right);
  return SmallVector<Value>(both.getArrayRef());
}

/// Whether a span is known to have a row: loops only run over spans that have rows.
static bool hasFirstRow(Value span) {
  auto make = span.getDefiningOp<MakeSpanOp>();
  return !make || make.getNonempty();
}

bool RowLimits::hasRows(Value tile) const { return llvm::all_of(getSpans(tile), hasFirstRow); }

/// Whether a load by `span` may lack some of its rows or columns: of one that exists, none can be
/// missing.
static bool mayLack(Value span) {
  auto type = span ? cast<SpanType>(span.getType()) : SpanType();
  auto make = span ? span.getDefiningOp<MakeSpanOp>() : MakeSpanOp();
  if (!type || type.getFilled() || (make && make.isWhole()))
    return false;
  return type.getSize() != getDim(span.getContext(), 1) || !hasFirstRow(span);
}

/// Whether `value` is defined inside the regions of `op`.
static bool isInside(Value value, Operation *op) {
  return op && op->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether a tile is what rows (axis 0) or columns (axis 1) were reduced to: it lacks none.
static bool isReducedAlong(Value tile, int64_t axis) {
  auto reduce = tile.getDefiningOp<ReduceOp>();
  return reduce && static_cast<int64_t>(reduce.getAxis()) == axis;
}

bool RowLimits::hand(Value from, Value to, bool transposed, Operation *outOf) {
  auto source = dyn_cast<TileType>(from.getType()), target = dyn_cast<TileType>(to.getType());
  auto found = limits.find(from);
  if (!source || !target || found == limits.end())
    return false;
  Limits given = found->second;
  Attribute rows = source.getRows(), cols = source.getCols();
  if (transposed) {
    std::swap(given.rows, given.cols);
    std::swap(rows, cols);
  }
  Limits &taken = limits[to];
  bool grows = false;
  for (Value span : given.rows)
    if (rows == target.getRows() && !isReducedAlong(to, 0) && !isInside(span, outOf))
      grows |= taken.rows.insert(span);
  for (Value span : given.cols)
    if (cols == target.getCols() && !isReducedAlong(to, 1) && !isInside(span, outOf))
      grows |= taken.cols.insert(span);
  return grows;
}

bool RowLimits::visitLoop(RangeOp loop) {
  bool grows = false;
  for (auto [init, argument, next, result] : llvm::zip_equal(
           loop.getInits(), loop.getCarried(), loop.getYield().getValues(), loop.getResults())) {
    grows |= hand(init, argument);
    grows |= hand(next, argument, /*transposed=*/false, loop);
    grows |= hand(argument, result);
  }
  return grows;
}

bool RowLimits::visitLoad(LoadOp load) {
  Value rows = getRowSpan(load.getKinds(), load.getIndices());
  // Of listed rows those exist that the span of the list has.
  if (auto listed = rows ? rows.getDefiningOp<ListRowsOp>() : ListRowsOp())
    rows = listed.getSpan();
  Value cols = getColumnSpan(load.getKinds(), load.getIndices());
  bool grows = false;
  if (mayLack(rows))
    grows |= limits[load.getResult()].rows.insert(rows);
  if (mayLack(cols))
    grows |= limits[load.getResult()].cols.insert(cols);
  return grows;
}

/// Rows come from the left operand, columns from the right one, both from an accumulator.
bool RowLimits::visitDot(DotOp dot) {
  bool grows = dot.getAcc() && hand(dot.getAcc(), dot.getResult());
  for (Value span : SmallVector<Value>(getLeftRowSpans(dot)))
    grows |= limits[dot.getResult()].rows.insert(span);
  for (Value span : SmallVector<Value>(getRightColumnSpans(dot)))
    grows |= limits[dot.getResult()].cols.insert(span);
  return grows;
}

bool RowLimits::visit(Operation *op) {
  if (auto loop = dyn_cast<RangeOp>(op))
    return visitLoop(loop);
  if (auto load = dyn_cast<LoadOp>(op))
    return visitLoad(load);
  if (auto dot = dyn_cast<DotOp>(op))
    return visitDot(dot);
  if (op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return hand(transpose.getInput(), result, /*transposed=*/true);
  if (auto extract = dyn_cast<ExtractOp>(op))
    return hand(extract.getInput(), result, extract.getTransposed());
  bool grows = false;
  if (auto insert = dyn_cast<InsertOp>(op)) {
    grows |= hand(insert.getWhole(), result);
    return hand(insert.getPart(), result, insert.getTransposed()) || grows;
  }
  for (Value operand : op->getOperands())
    grows |= hand(operand, result);
  return grows;
}

/// Whether `counting` goes from 0 to the limit of `span` less its base.
static bool countsRows(Value counting, Value span) {
  auto count = counting.getDefiningOp<MakeSpanOp>();
  if (!count || !isConstantIntValue(count.getBase(), 0))
    return false;
  auto difference = count.getLimit().getDefiningOp<arith::SubIOp>();
  if (!difference)
    return false;
  auto make = span.getDefiningOp<MakeSpanOp>();
  auto argument = dyn_cast<BlockArgument>(span);
  auto loop = argument ? dyn_cast<RangeOp>(argument.getOwner()->getParentOp()) : RangeOp();
  if (!make && !loop)
    return false;
  auto base = difference.getRhs().getDefiningOp<SpanBaseOp>();
  bool isFromBase = base ? base.getSpan() == span : make && difference.getRhs() == make.getBase();
  return isFromBase && difference.getLhs() == (make ? make.getLimit() : loop.getUpper());
}

bool tile::haveAsManyRows(Value span, Value other) {
  auto getSize = [](Value value) { return cast<SpanType>(value.getType()).getSize(); };
  return span == other ||
         (getSize(span) == getSize(other) && (countsRows(span, other) || countsRows(other, span)));
}
