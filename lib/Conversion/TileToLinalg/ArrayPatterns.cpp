// Patterns of `convert-tile-to-linalg` for arrays: their sizes, loads and stores.
#include "Patterns.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Whole cache lines, and whole vectors of any width.
constexpr int64_t bufferAlignmentBytes = 64;

/// The entry of a table of addresses as a memref: `shape` has base address 0, so the address
/// becomes its offset.
Value createTableEntry(OpBuilder &builder, Location loc, Value table, Value shape, Value entry) {
  auto type = cast<MemRefType>(shape.getType());
  Value address = memref::LoadOp::create(builder, loc, table, entry);
  Value bytes = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), address);
  Value size = arith::ConstantIndexOp::create(builder, loc, type.getElementTypeBitWidth() / 8);
  Value offset = arith::DivUIOp::create(builder, loc, bytes, size);
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, shape);
  auto [strides, zero] = type.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, strides);
  auto resultType = MemRefType::get(type.getShape(), type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(builder, loc, resultType, shape, OpFoldResult(offset),
                                           metadata.getConstifiedMixedSizes(),
                                           metadata.getConstifiedMixedStrides());
}

/// Adds the dimensions of size 1 that a tile has and the array has not: a span alone is a column,
/// anything else alone is a row.
Value expandToTile(OpBuilder &builder, Location loc, Value view, ArrayRef<OpFoldResult> kept,
                   bool isColumn) {
  if (kept.size() == 2)
    return view;
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes = {one, one};
  SmallVector<ReassociationIndices> reassociation;
  if (kept.size() == 1) {
    sizes[isColumn ? 0 : 1] = kept.front();
    reassociation = {{0, 1}};
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::ExpandShapeOp::create(builder, loc, shape, view, reassociation, sizes);
}

/// What a tile has of an array: `rows` rows from row `first` of the tile on, of `cols` columns.
/// Other rows do not exist, and are zero where `filled`.
struct ExistingPart {
  OpFoldResult first, rows, cols;
  bool filled = false;
};

/// Where row `row` of a span's tile is in the array.
Value createArrayRow(OpBuilder &builder, Location loc, const SpanParts &span, Value row) {
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  };
  Value index = row ? add(span.base, row) : span.base;
  if (!span.step)
    return index;
  return add(span.offset, arith::MulIOp::create(builder, loc, span.step, index));
}

/// Loads and stores: the array and what the index list selects of it, dimension by dimension.
class Access {
public:
  template <typename OpTy>
  Access(OpTy op, typename OpConversionPattern<OpTy>::OneToNOpAdaptor adaptor,
         ConversionPatternRewriter &rewriter)
      : op(op), original(op.getArray()), array(op.getArray().getType()),
        converted(adaptor.getArray()), kinds(op.getKinds()), isBounded(op.getBounded()) {
    auto index = adaptor.getIndices().begin();
    auto given = op.getIndices().begin();
    for (int64_t kind : kinds) {
      Value operand = kind == FullIndex ? Value() : *given++;
      indices.push_back(kind == FullIndex ? ValueRange() : *index++);
      spans.push_back(operand ? dyn_cast<SpanType>(operand.getType()) : SpanType());
      if (auto rows = operand ? operand.getDefiningOp<ListRowsOp>() : ListRowsOp())
        setList(rows, rewriter);
    }
  }

  /// Which rows and columns of a tile exist.
  ExistingPart getExisting(OpBuilder &builder, TileType tile) const {
    ExistingPart result = {builder.getIndexAttr(0), builder.getIndexAttr(tile.getRowCount()),
                           builder.getIndexAttr(tile.getColCount())};
    Selection selection = getSelection(kinds);
    if (int64_t col = selection.colDimension; col >= 0 && kinds[col] == SpanIndex)
      result.cols = getAsOpFoldResult(getSpan(col).count);
    if (selection.rowDimension < 0 || kinds[selection.rowDimension] != SpanIndex)
      return result;
    SpanParts span = getSpan(selection.rowDimension);
    result.rows = getAsOpFoldResult(span.count);
    if (span.missing) {
      result.first = span.missing;
      result.filled = true;
    }
    return result;
  }

  using TakeView = function_ref<void(Value view, OpFoldResult first, OpFoldResult rows)>;

  /// Calls `take` with views of rank 2 that hold the existing rows, and the rows of the tile they
  /// are: one view, or in a loop one per row where each has an address of its own.
  void forEachView(OpBuilder &builder, const ExistingPart &existing, TakeView take) const {
    Location loc = op->getLoc();
    auto takeEntry = [&](Value entry, OpFoldResult first, OpFoldResult rows, Run listed = {}) {
      Value source = createTableEntry(builder, loc, converted[0], converted[1], entry);
      take(createView(builder, source, 1, listed), first, rows);
    };
    bool isTableOfRows = array.getTable() && spans[0];
    if (!isTableOfRows && !list) {
      if (array.getTable())
        return takeEntry(indices[0].front(), existing.first, existing.rows);
      return take(createView(builder, converted[0], 0), existing.first, existing.rows);
    }
    forEachRun(builder, [&](Value row, OpFoldResult rows) {
      Value index = createArrayRow(builder, loc, getSpan(getSelection(kinds).rowDimension), row);
      if (isTableOfRows)
        return takeEntry(index, row, rows);
      Run listed = {createListedRow(builder, index, rows), rows};
      if (array.getTable())
        takeEntry(indices[0].front(), row, rows, listed);
      else
        take(createView(builder, converted[0], 0, listed), row, rows);
    });
  }

private:
  /// Rows of the array that follow each other: the first, null where there are none, and how many.
  struct Run {
    Value first;
    OpFoldResult rows;
  };

  /// Calls `take` for each run of existing rows of a tile that follow each other in the array, with
  /// its first row and the number of its rows: in a loop, but for a single one.
  void forEachRun(OpBuilder &builder, function_ref<void(Value row, OpFoldResult rows)> take) const {
    Location loc = op->getLoc();
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    SpanParts span = getSpan(getSelection(kinds).rowDimension);
    ListRowsOp rows = list;
    int64_t length = rows ? rows.getRun() : 1;
    if (rows && length == cast<IntegerAttr>(rows.getType().getSize()).getInt() && !span.missing)
      return take(constant(0), getAsOpFoldResult(span.count));
    Value from = span.missing ? span.missing : constant(0);
    Value to = arith::AddIOp::create(builder, loc, from, span.count);
    auto loop = scf::ForOp::create(builder, loc, from, to, constant(length));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    if (length == 1)
      return take(loop.getInductionVar(), builder.getIndexAttr(1));
    Value left = arith::SubIOp::create(builder, loc, to, loop.getInductionVar());
    take(loop.getInductionVar(),
         arith::MinSIOp::create(builder, loc, left, constant(length)).getResult());
  }

  void setList(ListRowsOp rows, ConversionPatternRewriter &rewriter) {
    list = rows;
    listArray = rewriter.getRemappedValue(rows.getArray());
    for (auto [kind, index] : llvm::zip_equal(rows.getKinds(), rows.getIndices()))
      listIndices.push_back(kind == SpanIndex ? Value() : rewriter.getRemappedValue(index));
    if (rows.getSize())
      listSize = rewriter.getRemappedValue(rows.getSize());
  }

  /// The row of the array that the list has at a place, the first of some that follow each other.
  Value createListedRow(OpBuilder &builder, Value place, OpFoldResult amount) const {
    Location loc = op->getLoc();
    ListRowsOp rows = list;
    int64_t dimension = getSelection(kinds).rowDimension;
    Value size, entry = place;
    if (listSize) {
      // A size below 1 does no harm.
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      size = arith::MaxSIOp::create(builder, loc, listSize, one);
      entry = arith::DivSIOp::create(builder, loc, place, size);
      if (isBounded)
        entry = createBoundIndex(builder, loc, entry, BoundKind::Index, rows.getArray(),
                                 rows.getSpanDimension());
    }
    SmallVector<Value> at = llvm::map_to_vector(
        listIndices, [&](Value index) -> Value { return index ? index : entry; });
    Value row = createLoadIndex(builder, loc, rows.getArray().getType(), listArray, at);
    if (!size)
      return isBounded ? createBoundIndex(builder, loc, row, BoundKind::Index, original, dimension)
                       : row;
    row = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, row, size),
                                arith::RemSIOp::create(builder, loc, place, size));
    if (!isBounded)
      return row;
    Value number = getValueOrCreateConstantIndexOp(builder, loc, amount);
    Value end = arith::AddIOp::create(builder, loc, row, number);
    end = createBoundIndex(builder, loc, end, BoundKind::End, original, dimension);
    return createBoundIndex(builder, loc, arith::SubIOp::create(builder, loc, end, number),
                            BoundKind::First, original, dimension);
  }

  SpanParts getSpan(size_t dimension) const {
    return SpanParts::get(spans[dimension], indices[dimension]);
  }

  /// The view that the dimensions from `begin` on select of `source`, which has no others; of its
  /// rows only `listed` where that is given.
  Value createView(OpBuilder &builder, Value source, size_t begin, Run listed = {}) const {
    Location loc = op->getLoc();
    OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets, sizes, steps, kept;
    bool isColumn = false;
    for (size_t dimension = begin; dimension < kinds.size(); ++dimension) {
      int64_t kind = kinds[dimension];
      int64_t size = kind == FullIndex ? array.getShape()[dimension] : std::max<int64_t>(kind, 1);
      offsets.push_back(kind == FullIndex ? zero : getAsOpFoldResult(indices[dimension].front()));
      sizes.push_back(builder.getIndexAttr(size));
      steps.push_back(one);
      if (kind == SpanIndex) {
        SpanParts span = getSpan(dimension);
        offsets.back() = getAsOpFoldResult(createArrayRow(builder, loc, span, span.missing));
        sizes.back() = getAsOpFoldResult(span.count);
        if (span.step)
          steps.back() = getAsOpFoldResult(span.step);
        isColumn = static_cast<int64_t>(dimension) == getSelection(kinds).rowDimension;
        if (listed.first && isColumn) {
          offsets.back() = listed.first;
          sizes.back() = listed.rows;
        }
      }
      if (kind != ScalarIndex)
        kept.push_back(sizes.back());
    }
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(kept, dynamic, shape);
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        shape, cast<MemRefType>(source.getType()), offsets, sizes, steps);
    Value view = memref::SubViewOp::create(builder, loc, type, source, offsets, sizes, steps);
    return expandToTile(builder, loc, view, kept, isColumn);
  }

  Operation *op;
  Value original;
  ArrayType array;
  ValueRange converted;
  ArrayRef<int64_t> kinds;
  bool isBounded;
  // The list that says which rows are meant, null where none does: it, and its converted parts.
  ListRowsOp list;
  Value listArray;
  SmallVector<Value> listIndices;
  Value listSize;
  // Per dimension: the converted index, and its type where it is a span.
  SmallVector<ValueRange> indices;
  SmallVector<SpanType> spans;
};

/// Rows of a tile: `rows` of them, from `first` on, and their first `cols` columns.
struct RowPart {
  RowPart(OpBuilder &builder, OpFoldResult first, OpFoldResult rows, OpFoldResult cols)
      : offsets({first, builder.getIndexAttr(0)}), sizes({rows, cols}),
        steps(2, builder.getIndexAttr(1)) {}
  SmallVector<OpFoldResult> offsets, sizes, steps;

  bool isAllOf(TileType tile) const {
    return getConstantIntValue(sizes[0]) == tile.getRowCount() &&
           getConstantIntValue(sizes[1]) == tile.getColCount();
  }
};

struct ConvertLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TileType tile = op.getType();
    Access access(op, adaptor, rewriter);
    auto type = getTypeConverter()->convertType<RankedTensorType>(tile);
    Value buffer = memref::AllocOp::create(rewriter, loc,
                                           MemRefType::get(type.getShape(), type.getElementType()),
                                           rewriter.getI64IntegerAttr(bufferAlignmentBytes));
    auto getPart = [&](OpFoldResult first, OpFoldResult rows, OpFoldResult cols) -> Value {
      RowPart part(rewriter, first, rows, cols);
      if (part.isAllOf(tile))
        return buffer;
      return memref::SubViewOp::create(rewriter, loc, buffer, part.offsets, part.sizes, part.steps);
    };
    ExistingPart existing = access.getExisting(rewriter, tile);
    OpFoldResult allColumns = rewriter.getIndexAttr(tile.getColCount());
    if (existing.cols != allColumns && !isOnlyMultiplied(op))
      fillColumns(rewriter, loc, tile, existing.cols, buffer);
    if (existing.filled)
      fillRows(rewriter, loc, tile, existing, [&](OpFoldResult first, OpFoldResult rows) {
        return getPart(first, rows, allColumns);
      });
    access.forEachView(rewriter, existing, [&](Value view, OpFoldResult first, OpFoldResult rows) {
      memref::CopyOp::create(rewriter, loc, view, getPart(first, rows, existing.cols));
    });
    rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(op, type, buffer, /*restrict=*/true,
                                                           /*writable=*/true);
    return success();
  }

private:
  /// Whether only products read the tile: they take nothing but what exists.
  static bool isOnlyMultiplied(LoadOp op) {
    return llvm::all_of(op->getUsers(), llvm::IsaPred<DotOp>);
  }

  static Value createZero(OpBuilder &builder, Location loc, TileType tile) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(tile.getElementType()));
  }

  /// Writes zeros after the columns that exist, in all rows.
  static void fillColumns(ConversionPatternRewriter &rewriter, Location loc, TileType tile,
                          OpFoldResult cols, Value buffer) {
    Value first = getValueOrCreateConstantIndexOp(rewriter, loc, cols);
    Value size = arith::ConstantIndexOp::create(rewriter, loc, tile.getColCount());
    Value after = arith::SubIOp::create(rewriter, loc, size, first);
    SmallVector<OpFoldResult> offsets = {rewriter.getIndexAttr(0), first},
                              sizes = {rewriter.getIndexAttr(tile.getRowCount()), after},
                              steps(2, rewriter.getIndexAttr(1));
    Value missing = memref::SubViewOp::create(rewriter, loc, buffer, offsets, sizes, steps);
    linalg::FillOp::create(rewriter, loc, createZero(rewriter, loc, tile), missing);
  }

  /// Writes zeros before and after the rows that exist.
  static void fillRows(ConversionPatternRewriter &rewriter, Location loc, TileType tile,
                       const ExistingPart &existing,
                       function_ref<Value(OpFoldResult, OpFoldResult)> getPart) {
    Value zero = createZero(rewriter, loc, tile);
    Value first = getValueOrCreateConstantIndexOp(rewriter, loc, existing.first);
    Value rows = getValueOrCreateConstantIndexOp(rewriter, loc, existing.rows);
    Value size = arith::ConstantIndexOp::create(rewriter, loc, tile.getRowCount());
    Value end = arith::AddIOp::create(rewriter, loc, first, rows);
    Value after = arith::SubIOp::create(rewriter, loc, size, end);
    linalg::FillOp::create(rewriter, loc, zero, getPart(rewriter.getIndexAttr(0), first));
    linalg::FillOp::create(rewriter, loc, zero, getPart(end, after));
  }
};

struct ConvertStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TileType tile = op.getValue().getType();
    Access access(op, adaptor, rewriter);
    ExistingPart existing = access.getExisting(rewriter, tile);
    auto storePart = [&](Value view, OpFoldResult first, OpFoldResult rows) {
      Value value = adaptor.getValue().front();
      RowPart part(rewriter, first, rows, existing.cols);
      if (!part.isAllOf(tile))
        value = tensor::ExtractSliceOp::create(rewriter, loc, value, part.offsets, part.sizes,
                                               part.steps);
      bufferization::MaterializeInDestinationOp::create(rewriter, loc, /*result=*/Type(), value,
                                                        view, /*restrict=*/true, /*writable=*/true);
    };
    access.forEachView(rewriter, existing, storePart);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertDim : OpConversionPattern<DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DimOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t dimension = op.getDimension();
    Value source = adaptor.getArray().front();
    // The table itself has the first dimension; the others are those of an entry.
    if (op.getArray().getType().getTable() && dimension > 0) {
      source = adaptor.getArray().back();
      --dimension;
    }
    rewriter.replaceOpWithNewOp<memref::DimOp>(op, source, dimension);
    return success();
  }
};

} // namespace

void attn::populateArrayPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvertLoad, ConvertStore, ConvertDim>(converter, patterns.getContext());
}
