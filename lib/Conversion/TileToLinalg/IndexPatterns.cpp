// Patterns of `convert-tile-to-linalg` for integers from memory, and indices brought inside arrays.
#include "Patterns.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

Value createConstant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

struct ConvertLoadIndex : OpConversionPattern<LoadIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = op.getArray().getType().getElementType(), index = rewriter.getIndexType();
    Value value = memref::LoadOp::create(rewriter, loc, adaptor.getArray(), adaptor.getIndices());
    Value number = element.isUnsignedInteger()
                       ? Value(arith::IndexCastUIOp::create(rewriter, loc, index, value))
                       : Value(arith::IndexCastOp::create(rewriter, loc, index, value));
    if (element.isInteger(64)) {
      number = arith::MinSIOp::create(
          rewriter, loc, number,
          createConstant(rewriter, loc, std::numeric_limits<int32_t>::max()));
      number = arith::MaxSIOp::create(
          rewriter, loc, number,
          createConstant(rewriter, loc, std::numeric_limits<int32_t>::min()));
    }
    rewriter.replaceOp(op, number);
    return success();
  }
};

struct ConvertBoundIndex : OpConversionPattern<BoundIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BoundIndexOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value inside = adaptor.getIndex().front();
    if (op.getKind() != BoundKind::First) {
      Value end =
          DimOp::create(rewriter, loc, rewriter.getIndexType(), op.getArray(), op.getDimension());
      if (op.getKind() == BoundKind::Index)
        end = arith::SubIOp::create(rewriter, loc, end, createConstant(rewriter, loc, 1));
      inside = arith::MinSIOp::create(rewriter, loc, inside, end);
    }
    if (op.getKind() != BoundKind::End)
      inside = arith::MaxSIOp::create(rewriter, loc, inside, createConstant(rewriter, loc, 0));
    rewriter.replaceOp(op, inside);
    return success();
  }
};

} // namespace

void attn::populateIndexPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvertLoadIndex, ConvertBoundIndex>(converter, patterns.getContext());
}
