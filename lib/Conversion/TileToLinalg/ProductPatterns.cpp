// Patterns of `convert-tile-to-linalg` for products, and the rows that their sums start from.
#include "Patterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

OpFoldResult attn::createValidSize(OpBuilder &builder, Location loc, const TypeConverter &converter,
                                   ArrayRef<Value> spans, int64_t size) {
  Value valid;
  for (Value span : spans) {
    SmallVector<Type> types;
    (void)converter.convertType(span.getType(), types);
    auto parts = UnrealizedConversionCastOp::create(builder, loc, types, span);
    Value count = SpanParts::get(cast<SpanType>(span.getType()), parts.getResults()).count;
    valid = valid ? arith::MinSIOp::create(builder, loc, valid, count) : count;
  }
  return valid ? OpFoldResult(valid) : builder.getIndexAttr(size);
}

Value attn::createFirstPart(OpBuilder &builder, Location loc, Value tensor, OpFoldResult rows,
                            OpFoldResult cols) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (getConstantIntValue(rows) == type.getDimSize(0) &&
      getConstantIntValue(cols) == type.getDimSize(1))
    return tensor;
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)), ones(2, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, zeros, {rows, cols}, ones);
}

namespace {

/// A product of the parts that exist, as one linalg operation into the part of the accumulator that
/// exists. What of the accumulator no part reaches stays as it is, which nothing may look at.
struct ConvertDot : OpConversionPattern<DotOp> {
  ConvertDot(const TypeConverter &converter, MLIRContext *context, const ValidParts &validParts)
      : OpConversionPattern(converter, context), validParts(validParts) {}

  LogicalResult matchAndRewrite(DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const ValidSpans &spans = validParts.find(op)->second;
    auto getSize = [&](ArrayRef<Value> limits, Attribute dim) {
      return createValidSize(rewriter, loc, *getTypeConverter(), limits,
                             cast<IntegerAttr>(dim).getInt());
    };
    OpFoldResult rows = getSize(spans.rows, op.getLeftRows());
    OpFoldResult inner = getSize(spans.inner, op.getLeftInner());
    OpFoldResult cols = getSize(spans.cols, op.getRightCols());
    auto getPart = [&](Value whole, OpFoldResult first, OpFoldResult second, bool transposed) {
      return createFirstPart(rewriter, loc, whole, transposed ? second : first,
                             transposed ? first : second);
    };
    Value a = getPart(adaptor.getA(), rows, inner, op.getTransposeA());
    Value b = getPart(adaptor.getB(), inner, cols, op.getTransposeB());
    Value whole = adaptor.getAcc() ? adaptor.getAcc() : createZeros(op, rewriter);
    Value acc = getPart(whole, rows, cols, /*transposed=*/false);
    Value product = linalg::MatmulOp::create(rewriter, loc, acc.getType(), ValueRange{a, b}, acc,
                                             getAttributes(op, rewriter))
                        .getResult(0);
    if (acc != whole) {
      SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0)),
          ones(2, rewriter.getIndexAttr(1));
      product = tensor::InsertSliceOp::create(rewriter, loc, product, whole, zeros,
                                              SmallVector<OpFoldResult>{rows, cols}, ones);
    }
    rewriter.replaceOp(op, product);
    return success();
  }

private:
  Value createZeros(DotOp op, ConversionPatternRewriter &rewriter) const {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(type.getElementType()));
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), type.getElementType());
    return linalg::FillOp::create(rewriter, op.getLoc(), zero, empty).getResult(0);
  }

  /// The maps of an operand that is stored transposed; none where both are stored as they are.
  SmallVector<NamedAttribute> getAttributes(DotOp op, Builder &builder) const {
    if (!op.getTransposeA() && !op.getTransposeB())
      return {};
    MLIRContext *context = op.getContext();
    AffineExpr m, n, k;
    bindDims(context, m, n, k);
    auto getMap = [&](AffineExpr first, AffineExpr second, bool transposed) {
      if (transposed)
        std::swap(first, second);
      return AffineMap::get(3, 0, {first, second}, context);
    };
    ArrayAttr maps = builder.getAffineMapArrayAttr(
        {getMap(m, k, op.getTransposeA()), getMap(k, n, op.getTransposeB()), getMap(m, n, false)});
    return {builder.getNamedAttr("indexing_maps", maps)};
  }

  const ValidParts &validParts;
};

struct ConvertBroadcast : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps = {
        AffineMap::get(2, 0, {rewriter.getAffineConstantExpr(0), rewriter.getAffineDimExpr(1)},
                       rewriter.getContext()),
        rewriter.getMultiDimIdentityMap(2)};
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, adaptor.getRow(), empty, maps, iterators,
        [](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
          linalg::YieldOp::create(builder, bodyLoc, arguments[0]);
        });
    return success();
  }
};

} // namespace

void attn::populateProductPatterns(const TypeConverter &converter, const ValidParts &validParts,
                                   RewritePatternSet &patterns) {
  patterns.add<ConvertDot>(converter, patterns.getContext(), validParts);
  patterns.add<ConvertBroadcast>(converter, patterns.getContext());
}
