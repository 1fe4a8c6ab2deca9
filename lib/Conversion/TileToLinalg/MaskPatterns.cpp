// Patterns of `convert-tile-to-linalg` for masks, what they are made of, and what chooses by them.
#include "ElementwiseCreation.h"
#include "Patterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Rows and columns of a tile fit 32 bits, and then as many lanes as floats have hold them.
Value toWord(OpBuilder &builder, Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

/// A tap is that of an existing row where `missing <= row + tap < missing + count`.
struct ConvertBandMask : OpConversionPattern<BandMaskOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BandMaskOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    SpanParts span = SpanParts::get(op.getWindow().getType(), adaptor.getWindow());
    Value missing = toWord(rewriter, loc, span.missing), count = toWord(rewriter, loc, span.count);
    auto payload = [&](OpBuilder &builder, Location at, ValueRange) -> Value {
      // The order of the two loops does not matter to their sum.
      Value row = toWord(builder, at, linalg::IndexOp::create(builder, at, 0));
      Value tap = toWord(builder, at, linalg::IndexOp::create(builder, at, 1));
      Value ofWindow = arith::AddIOp::create(builder, at, row, tap);
      Value existing = arith::SubIOp::create(builder, at, ofWindow, missing);
      // Unsigned, a row before the first is after the last.
      Value exists = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::ult, existing, count);
      return arith::UIToFPOp::create(builder, at, type.getElementType(), exists);
    };
    rewriter.replaceOp(op, createElementwise(rewriter, loc, type, {}, payload));
    return success();
  }
};

struct ConvertRamp : OpConversionPattern<RampOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RampOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t along = type.getDimSize(0) == 1 ? 1 : 0;
    auto payload = [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
      Value number = toWord(builder, loc, linalg::IndexOp::create(builder, loc, along));
      return arith::SIToFPOp::create(builder, loc, type.getElementType(), number);
    };
    rewriter.replaceOp(op, createElementwise(rewriter, op.getLoc(), type, {}, payload));
    return success();
  }
};

/// Nothing holds for NaN.
arith::CmpFPredicate getPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::Less:
    return arith::CmpFPredicate::OLT;
  case CompareKind::LessEqual:
    return arith::CmpFPredicate::OLE;
  case CompareKind::Greater:
    return arith::CmpFPredicate::OGT;
  case CompareKind::GreaterEqual:
    return arith::CmpFPredicate::OGE;
  case CompareKind::Equal:
    return arith::CmpFPredicate::OEQ;
  }
  llvm_unreachable("all kinds are listed");
}

struct ConvertCompare : OpConversionPattern<CompareOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CompareOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto payload = [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
      Value holds = arith::CmpFOp::create(builder, loc, getPredicate(op.getKind()), arguments[0],
                                          arguments[1]);
      return arith::UIToFPOp::create(builder, loc, type.getElementType(), holds);
    };
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), type, adaptor.getOperands(), payload));
    return success();
  }
};

struct ConvertSelect : OpConversionPattern<SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto payload = [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
      Value none = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
      Value holds =
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, arguments[0], none);
      return arith::SelectOp::create(builder, loc, holds, arguments[1], arguments[2]);
    };
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), type, adaptor.getOperands(), payload));
    return success();
  }
};

struct ConvertFillColumns : OpConversionPattern<FillColumnsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FillColumnsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    SpanParts span = SpanParts::get(op.getSpan().getType(), adaptor.getSpan());
    Value count = toWord(rewriter, loc, span.count);
    auto payload = [&](OpBuilder &builder, Location at, ValueRange arguments) -> Value {
      Value col = toWord(builder, at, linalg::IndexOp::create(builder, at, 1));
      Value exists = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::slt, col, count);
      Value number = arith::ConstantOp::create(builder, at, op.getValueAttr());
      return arith::SelectOp::create(builder, at, exists, arguments[0], number);
    };
    rewriter.replaceOp(op, createElementwise(rewriter, loc, type, adaptor.getInput(), payload));
    return success();
  }
};

} // namespace

void attn::populateMaskPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvertBandMask, ConvertCompare, ConvertFillColumns, ConvertRamp, ConvertSelect>(
      converter, patterns.getContext());
}
