// Which form of the chip each tile op takes, and the scratch that form needs (tile stage,
// analysis).
#include "attn/Dialect/Tile/Analysis/OpForms.h"
#include "attn/Dialect/Tile/Analysis/Layout.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static TileType getTileType(Value value) { return cast<TileType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

bool tile::isBinary(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp>(op);
}

bool tile::isUnary(Operation *op) { return isa<ExpOp, LogOp, SqrtOp, RsqrtOp, AbsOp>(op); }

bool tile::isSplat(Value value) { return value.getDefiningOp<SplatOp>() != nullptr; }

/// The form of a full operand of type `full` with another of type `other`.
static BinaryForm getMixedForm(TileType full, TileType other) {
  if (other.getColCount() != 1)
    return BinaryForm::Row;
  // A single value is the column of a one-row tile.
  return other.getRowCount() == full.getRowCount() ? BinaryForm::Column : BinaryForm::One;
}

BinaryShape tile::getBinaryShape(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  TileType left = getTileType(lhs), right = getTileType(rhs),
           result = getTileType(op->getResult(0));
  if (left == result && isSplat(rhs))
    return {BinaryForm::Scalar, false};
  if (right == result && isSplat(lhs))
    return {BinaryForm::Scalar, true};
  if (left == result && right == result)
    return {BinaryForm::Elements, false};
  if (left == result)
    return {getMixedForm(left, right), false};
  if (right == result)
    return {getMixedForm(right, left), true};
  return {BinaryForm::Outer, !isColumn(left)};
}

bool tile::isScalarUse(OpOperand &use) {
  if (!isBinary(use.getOwner()) || !isSplat(use.get()))
    return false;
  BinaryShape shape = getBinaryShape(use.getOwner());
  return shape.form == BinaryForm::Scalar && use.getOperandNumber() == shape.getOtherOperand();
}

std::optional<APFloat> tile::getSplatConstant(Value value) {
  auto splat = value.getDefiningOp<SplatOp>();
  FloatAttr constant;
  if (!splat || !matchPattern(splat.getValue(), m_Constant(&constant)))
    return std::nullopt;
  return constant.getValue();
}

bool tile::hasExactReciprocal(const APFloat &divisor) { return divisor.getExactInverse(nullptr); }

/// Whether a division first fills its result with the divisor or dividend, and so may not write
/// over what it still reads.
static bool fillsBeforeDividing(Operation *op, BinaryShape shape) {
  if (!isa<DivOp>(op))
    return false;
  if (shape.form == BinaryForm::Column)
    return shape.swapped;
  if (shape.form != BinaryForm::Scalar)
    return false;
  std::optional<APFloat> divisor = getSplatConstant(op->getOperand(1));
  return shape.swapped || !divisor || !hasExactReciprocal(*divisor);
}

bool tile::mayWriteOver(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isUnary(op))
    return true;
  if (!isBinary(op))
    return false;
  BinaryShape shape = getBinaryShape(op);
  if (shape.form == BinaryForm::Elements)
    return true;
  return shape.form != BinaryForm::Outer && use.getOperandNumber() == shape.getFullOperand() &&
         !fillsBeforeDividing(op, shape);
}

bool tile::keepsComposites(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  return kernel && kernel->hasAttr("tile.keep_composites");
}

bool tile::absorbsProduct(ReduceOp sum, MulOp product) {
  // Every 64 columns are an instruction of their own for all rows, which pays for many short rows.
  constexpr int64_t fewestRows = 8, mostColumns = 256;
  TileType type = sum.getInput().getType();
  return sum.getKind() == ReduceKind::Sum && sum.getAxis() == 1 && type.isBound() &&
         !keepsComposites(sum) && type.getRowCount() >= fewestRows &&
         type.getColCount() > productColumns && type.getColCount() <= mostColumns &&
         getBinaryShape(product).form == BinaryForm::Elements;
}

//===----------------------------------------------------------------------===//
// Transfers and parts
//===----------------------------------------------------------------------===//

/// The span among the operands of an index list that selects `dimension`, or null.
static SpanType getSpan(ArrayRef<int64_t> kinds, OperandRange indices, int64_t dimension) {
  auto operand = indices.begin();
  for (int64_t at = 0; at < dimension; ++at)
    operand += kinds[at] != FullIndex;
  return kinds[dimension] == SpanIndex ? cast<SpanType>((*operand).getType()) : SpanType();
}

static Selection getSelection(ArrayType array, ArrayRef<int64_t> kinds, OperandRange indices,
                              TileType tile) {
  SmallVector<int64_t, 2> kept;
  for (auto [dimension, kind] : llvm::enumerate(kinds))
    if (kind != ScalarIndex)
      kept.push_back(dimension);
  Selection selection;
  bool isOneRow = kept.size() == 1 && kinds[kept[0]] != SpanIndex;
  if (!kept.empty() && !isOneRow)
    selection.rowDimension = kept[0];
  if (isOneRow || kept.size() == 2)
    selection.colDimension = kept.back();

  int64_t last = array.getRank() - 1;
  if (isColumn(tile) && tile.getRowCount() > 1) {
    SpanType span = getSpan(kinds, indices, kept[0]);
    // A transfer to local memory starts at a block, which the first row that exists need not.
    bool isRun = kept.size() == 1 && kept[0] == last && !span.getMapped() && !span.getFilled();
    selection.form = isRun ? TransferForm::ContiguousColumn : TransferForm::StridedColumn;
  } else if (tile.getColCount() == 1 ||
             (selection.colDimension == last && kinds[last] != SpanIndex)) {
    selection.form = TransferForm::Rows;
  }
  return selection;
}

Selection tile::getSelection(LoadOp op) {
  return ::getSelection(op.getArray().getType(), op.getKinds(), op.getIndices(),
                        op.getResult().getType());
}

Selection tile::getSelection(StoreOp op) {
  return ::getSelection(op.getArray().getType(), op.getKinds(), op.getIndices(),
                        op.getValue().getType());
}

bool tile::isFilled(LoadOp op) {
  int64_t row = getSelection(op).rowDimension;
  SpanType span = row < 0 ? SpanType() : getSpan(op.getKinds(), op.getIndices(), row);
  return (span && (span.getFilled() || keepsComposites(op))) || hasUnfilledBlock(op);
}

bool tile::hasUnfilledBlock(LoadOp op) {
  TileType type = op.getResult().getType();
  int64_t perBlock = 32 / getElementBytes(type);
  return keepsComposites(op) && !isColumn(type) &&
         getPitch(type) - llvm::alignTo(type.getColCount(), perBlock) != 0;
}

/// Looks through at most `depth` ops, so that shared operands cannot make the search explode.
static bool isMultipleOf(Value index, int64_t factor, int depth) {
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number)))
    return number.getSignificantBits() <= 64 && number.getSExtValue() % factor == 0;
  Operation *op = index.getDefiningOp();
  if (!op || depth == 0)
    return false;
  auto holds = [&](Value operand) { return isMultipleOf(operand, factor, depth - 1); };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return llvm::all_of(op->getOperands(), holds);
  return isa<arith::MulIOp>(op) && llvm::any_of(op->getOperands(), holds);
}

bool tile::isMultipleOf(Value index, int64_t factor) {
  constexpr int maxDepth = 8;
  return ::isMultipleOf(index, factor, maxDepth);
}

/// Whether `size` elements from `offset` on can be worked on in whole units of `unit` without
/// touching what lies behind them: they are whole units themselves, or the last of the `limit`
/// elements.
static bool isWholeRun(Value offset, int64_t size, int64_t limit, int64_t unit) {
  APInt start;
  return size == limit || size % unit == 0 ||
         (matchPattern(offset, m_ConstantInt(&start)) && start.isSignedIntN(62) &&
          start.getSExtValue() % unit == 0 && start.getSExtValue() + size == limit);
}

/// A part as the tile that it is.
static PartForm getStraightForm(TileType part, TileType whole, Value row, Value col) {
  constexpr int64_t rowUnit = 16;
  int64_t blockElements = 32 / getElementBytes(whole);
  if (isColumn(whole)) {
    if (isMultipleOf(row, blockElements) &&
        isWholeRun(row, part.getRowCount(), whole.getRowCount(), blockElements))
      return PartForm::InPlace;
    return isa<FloatType>(whole.getElementType()) ? PartForm::Blocks : PartForm::Unsupported;
  }
  // Rows start at a block, so only the column counts.
  if (!isMultipleOf(col, blockElements) ||
      !isWholeRun(col, part.getColCount(), whole.getColCount(), rowUnit) ||
      (isColumn(part) && part.getRowCount() > 1))
    return PartForm::Unsupported;
  return part.getRowCount() == 1 || part.getColCount() == whole.getColCount() ? PartForm::InPlace
                                                                              : PartForm::Rows;
}

/// A row that is seen as a column, or a column that is seen as a row; `part` in the order of the
/// whole. Both hold their elements one behind the other, but a row is worked on in units of 16.
static PartForm getTransposedForm(TileType part, TileType whole, Value row, Value col) {
  constexpr int64_t rowUnit = 16;
  bool isF32 = whole.getElementType().isF32();
  int64_t blockElements = 32 / getElementBytes(whole);
  if (isColumn(whole)) {
    if (!isMultipleOf(row, blockElements))
      return isa<FloatType>(whole.getElementType()) ? PartForm::Blocks : PartForm::Unsupported;
    if (part.getRowCount() % rowUnit == 0)
      return PartForm::InPlace;
    return isF32 ? PartForm::Elements : PartForm::Unsupported;
  }
  bool isRow = part.getRowCount() == 1 && isMultipleOf(col, blockElements);
  bool isSafe = isF32 || isWholeRun(col, part.getColCount(), whole.getColCount(), rowUnit);
  return isRow && isSafe ? PartForm::InPlace : PartForm::Unsupported;
}

template <typename Op> static PartForm getForm(Op op, TileType whole) {
  TileType part = op.getPartType();
  return op.getTransposed() ? getTransposedForm(part, whole, op.getRow(), op.getCol())
                            : getStraightForm(part, whole, op.getRow(), op.getCol());
}

PartForm tile::getPartForm(ExtractOp op) { return getForm(op, op.getInput().getType()); }
PartForm tile::getPartForm(InsertOp op) { return getForm(op, op.getWhole().getType()); }

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// What kept composites need to spread a column to blocks or to gather it from them.
static ScratchNeed getColumnNeed(TileType column) {
  int64_t elements = llvm::alignTo(column.getRowCount() * column.getColCount(), 8);
  Type f32 = Float32Type::get(column.getContext());
  return {"column", f32,
          std::max(getRowBroadcastScratchElements(elements),
                   getKeptReduceScratchElements(elements, 1))};
}

/// One block per row, for the transfer of a strided column.
static ScratchNeed getBlockPerRow(TileType column, int64_t rows) {
  return {"blocks", column.getElementType(), rows * (32 / getElementBytes(column)), true};
}

/// The blocks that were just needed and their column, as f32.
static void addWideNeeds(TileType column, SmallVectorImpl<ScratchNeed> &needs) {
  Type f32 = Float32Type::get(column.getContext());
  needs.push_back({"wide_blocks", f32, needs.back().elements});
  needs.push_back(
      {"wide_column", f32, static_cast<int64_t>(llvm::alignTo(column.getRowCount(), 8))});
}

static void addTransferNeeds(Operation *op, SmallVectorImpl<ScratchNeed> &needs) {
  bool isKept = keepsComposites(op);
  if (auto load = dyn_cast<LoadOp>(op);
      load && getSelection(load).form == TransferForm::StridedColumn) {
    TileType type = load.getResult().getType();
    needs.push_back(getBlockPerRow(type, type.getRowCount()));
    // The chip cannot add bf16, and composites take f32 only: such a column is gathered as f32.
    if (type.getElementType().isBF16() || (isKept && !type.getElementType().isF32()))
      addWideNeeds(type, needs);
    if (isKept)
      needs.push_back(getColumnNeed(type));
  }
  if (auto store = dyn_cast<StoreOp>(op);
      store && getSelection(store).form == TransferForm::StridedColumn) {
    TileType type = store.getValue().getType();
    needs.push_back(getBlockPerRow(type, llvm::alignTo(type.getRowCount(), 8)));
    if (isKept && !type.getElementType().isF32())
      addWideNeeds(type, needs);
    if (isKept)
      needs.push_back(getColumnNeed(type));
  }
}

/// One block per element of a column, as many as the chip spreads at once.
static ScratchNeed getSpreadBlocks(const char *purpose, TileType type) {
  int64_t elements = type.getRowCount() * type.getColCount();
  return {purpose, Float32Type::get(type.getContext()), getRowBroadcastScratchElements(elements)};
}

/// A column as f32, as whole blocks.
static ScratchNeed getWideColumn(const char *purpose, TileType type) {
  int64_t elements = llvm::alignTo(type.getRowCount() * type.getColCount(), 8);
  return {purpose, Float32Type::get(type.getContext()), elements};
}

static void addPartNeeds(Operation *op, SmallVectorImpl<ScratchNeed> &needs) {
  auto extract = dyn_cast<ExtractOp>(op);
  auto insert = dyn_cast<InsertOp>(op);
  bool isThroughBlocks = (extract && getPartForm(extract) == PartForm::Blocks) ||
                         (insert && getPartForm(insert) == PartForm::Blocks);
  if (!isThroughBlocks)
    return;
  TileType whole = extract ? extract.getInput().getType() : insert.getWhole().getType();
  bool isNarrow = !whole.getElementType().isF32();
  needs.push_back(getSpreadBlocks("blocks", whole));
  if (insert)
    needs.push_back(getSpreadBlocks("part_blocks", insert.getPart().getType()));
  if (isNarrow)
    needs.push_back(getWideColumn("wide", whole));
  if (insert && isNarrow) {
    TileType part = insert.getPart().getType();
    needs.push_back(getWideColumn("wide_part", part));
    if (isSplat(insert.getPart()))
      needs.push_back({"part", part.getElementType(), getBufferElements(part)});
  }
  if (keepsComposites(op))
    needs.push_back(getColumnNeed(whole));
}

static void addReduceNeeds(ReduceOp op, bool absorbsProduct, SmallVectorImpl<ScratchNeed> &needs) {
  Type f32 = Float32Type::get(op.getContext());
  TileType input = op.getInput().getType();
  int64_t rows = input.getRowCount(), cols = input.getColCount();
  auto getElements =
      keepsComposites(op) ? getKeptReduceScratchElements : getRowReduceScratchElements;
  if (absorbsProduct) {
    cols = productColumns;
    needs.push_back({"products", f32, rows * cols});
  }
  if (op.getAxis() == 1 && cols > 1)
    needs.push_back({"reduce", f32, getElements(rows, cols)});
  // Down a column: its rows, with neutral elements behind the valid ones, are reduced as one row.
  if (op.getAxis() == 0 && cols == 1 && rows > 1) {
    needs.push_back({"neutral", f32, getBufferElements(input)});
    needs.push_back({"reduce", f32, getElements(1, rows)});
  }
}

static void addBinaryNeeds(Operation *op, SmallVectorImpl<ScratchNeed> &needs) {
  Type f32 = Float32Type::get(op->getContext());
  TileType result = getTileType(op->getResult(0));
  switch (getBinaryShape(op).form) {
  case BinaryForm::Elements:
  case BinaryForm::Scalar:
  case BinaryForm::Row:
    return;
  case BinaryForm::Column:
  case BinaryForm::Outer:
    needs.push_back({"broadcast", f32, getRowBroadcastScratchElements(result.getRowCount())});
    return;
  case BinaryForm::One:
    // The single value is spread to a row, or to a column where the result is one.
    needs.push_back(
        {"spread", f32, isColumn(result) ? getBufferElements(result) : getPitch(result)});
    needs.push_back({"broadcast", f32, getRowBroadcastScratchElements(1)});
    return;
  }
}

SmallVector<ScratchNeed> tile::getScratchNeeds(Operation *op, MulOp fusedProduct) {
  SmallVector<ScratchNeed> needs;
  addTransferNeeds(op, needs);
  addPartNeeds(op, needs);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    addReduceNeeds(reduce, fusedProduct != nullptr, needs);
  if (isBinary(op))
    addBinaryNeeds(fusedProduct ? fusedProduct.getOperation() : op, needs);
  if (auto rsqrt = dyn_cast<RsqrtOp>(op)) {
    TileType type = rsqrt.getResult().getType();
    needs.push_back({"one", type.getElementType(), getBufferElements(type)});
  }
  return needs;
}
