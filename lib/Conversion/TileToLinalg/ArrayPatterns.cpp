// Patterns of `convert-tile-to-linalg` for arrays: their sizes, loads and stores.
#include "Patterns.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// What an index list selects: a rank-2 view of the array, and how many of the tile's rows it has.
struct Selection {
  Value view;
  OpFoldResult rows;
};

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

FailureOr<Selection> createSelection(ConversionPatternRewriter &rewriter, Operation *op,
                                     ArrayType array, ValueRange converted,
                                     ArrayRef<ValueRange> indices, ArrayRef<int64_t> kinds) {
  Location loc = op->getLoc();
  Value source = converted.front();
  ArrayRef<int64_t> shape = array.getShape();
  if (array.getTable()) {
    source = createTableEntry(rewriter, loc, converted[0], converted[1], indices[0].front());
    indices = indices.drop_front();
    kinds = kinds.drop_front();
    shape = shape.drop_front();
  }
  SmallVector<OpFoldResult> offsets, sizes, kept;
  SmallVector<OpFoldResult> steps(shape.size(), rewriter.getIndexAttr(1));
  bool isColumn = false;
  for (auto [size, kind] : llvm::zip_equal(shape, kinds)) {
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(rewriter.getIndexAttr(kind == FullIndex ? size : std::max<int64_t>(kind, 1)));
    if (kind != FullIndex) {
      offsets.back() = getAsOpFoldResult(indices.front().front());
      if (kind == SpanIndex) {
        sizes.back() = getAsOpFoldResult(indices.front().back());
        isColumn = kept.empty();
      }
      indices = indices.drop_front();
    }
    if (kind != ScalarIndex)
      kept.push_back(sizes.back());
    if (kind == SpanIndex && kept.size() == 2)
      return op->emitOpError("selects columns by a span; only rows can have a tail");
  }
  SmallVector<int64_t> keptShape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(kept, dynamic, keptShape);
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      keptShape, cast<MemRefType>(source.getType()), offsets, sizes, steps);
  Value view = memref::SubViewOp::create(rewriter, loc, type, source, offsets, sizes, steps);
  OpFoldResult rows = kept.size() == 2 || isColumn ? kept.front() : rewriter.getIndexAttr(1);
  return Selection{expandToTile(rewriter, loc, view, kept, isColumn), rows};
}

/// The sizes of the valid part of a tile.
SmallVector<OpFoldResult> getValidSizes(OpBuilder &builder, const Selection &selection,
                                        TileType tile) {
  return {selection.rows, builder.getIndexAttr(tile.getColCount())};
}

struct ConvertLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TileType tile = op.getType();
    FailureOr<Selection> selection =
        createSelection(rewriter, op, op.getArray().getType(), adaptor.getArray(),
                        adaptor.getIndices(), op.getKinds());
    if (failed(selection))
      return failure();
    auto type = getTypeConverter()->convertType<RankedTensorType>(tile);
    Value buffer = memref::AllocOp::create(rewriter, loc,
                                           MemRefType::get(type.getShape(), type.getElementType()),
                                           rewriter.getI64IntegerAttr(bufferAlignmentBytes));
    Value valid = buffer;
    if (getConstantIntValue(selection->rows) != tile.getRowCount()) {
      SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
      valid = memref::SubViewOp::create(rewriter, loc, buffer, zeros,
                                        getValidSizes(rewriter, *selection, tile), ones);
    }
    memref::CopyOp::create(rewriter, loc, selection->view, valid);
    rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(op, type, buffer, /*restrict=*/true,
                                                           /*writable=*/true);
    return success();
  }
};

struct ConvertStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TileType tile = op.getValue().getType();
    FailureOr<Selection> selection =
        createSelection(rewriter, op, op.getArray().getType(), adaptor.getArray(),
                        adaptor.getIndices(), op.getKinds());
    if (failed(selection))
      return failure();
    Value value = adaptor.getValue().front();
    if (getConstantIntValue(selection->rows) != tile.getRowCount()) {
      SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
      value = tensor::ExtractSliceOp::create(rewriter, loc, value, zeros,
                                             getValidSizes(rewriter, *selection, tile), ones);
    }
    bufferization::MaterializeInDestinationOp::create(rewriter, loc, /*result=*/Type(), value,
                                                      selection->view, /*restrict=*/true,
                                                      /*writable=*/true);
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
