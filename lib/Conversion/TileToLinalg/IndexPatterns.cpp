// Patterns of `convert-tile-to-linalg` for integers from memory, lists of rows, and indices brought
// inside arrays.
#include "Patterns.h"
#include "attn/Cpu/IR/Cpu.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static Value createConstant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

Value attn::createLoadIndex(OpBuilder &builder, Location loc, ArrayType array, Value converted,
                            ValueRange indices) {
  Type element = array.getElementType(), index = builder.getIndexType();
  Value value = memref::LoadOp::create(builder, loc, converted, indices);
  if (element.isUnsignedInteger())
    return arith::IndexCastUIOp::create(builder, loc, index, value);
  Value number = arith::IndexCastOp::create(builder, loc, index, value);
  if (!element.isInteger(64))
    return number;
  Value most = createConstant(builder, loc, std::numeric_limits<int32_t>::max());
  Value least = createConstant(builder, loc, std::numeric_limits<int32_t>::min());
  number = arith::MinSIOp::create(builder, loc, number, most);
  return arith::MaxSIOp::create(builder, loc, number, least);
}

Value attn::createBoundIndex(OpBuilder &builder, Location loc, Value index, BoundKind kind,
                             Value array, int64_t dimension) {
  Value inside = index;
  if (kind != BoundKind::First) {
    Value end = DimOp::create(builder, loc, builder.getIndexType(), array, dimension);
    if (kind == BoundKind::Index)
      end = arith::SubIOp::create(builder, loc, end, createConstant(builder, loc, 1));
    inside = arith::MinSIOp::create(builder, loc, inside, end);
  }
  if (kind != BoundKind::End)
    inside = arith::MaxSIOp::create(builder, loc, inside, createConstant(builder, loc, 0));
  return inside;
}

namespace {

struct ConvertLoadIndex : OpConversionPattern<LoadIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createLoadIndex(rewriter, op.getLoc(), op.getArray().getType(),
                                           adaptor.getArray(), adaptor.getIndices()));
    return success();
  }
};

/// The rows of the list that exist; what the list says is read by loads and stores.
struct ConvertListRows : OpConversionPattern<ListRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ListRowsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    for (auto [kind, values] : llvm::zip_equal(op.getKinds(), adaptor.getIndices()))
      if (kind == SpanIndex)
        rewriter.replaceOpWithMultiple(op, {llvm::to_vector(values)});
    return success();
  }
};

struct ConvertBoundIndex : OpConversionPattern<BoundIndexOp> {
  ConvertBoundIndex(const TypeConverter &converter, MLIRContext *context, bool checkCounts)
      : OpConversionPattern(converter, context), checkCounts(checkCounts) {}

  LogicalResult matchAndRewrite(BoundIndexOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value index = adaptor.getIndex().front(), array = op.getArray();
    if (!checkCounts || op.getKind() != BoundKind::End) {
      rewriter.replaceOp(op, createBoundIndex(rewriter, op.getLoc(), index, op.getKind(), array,
                                              op.getDimension()));
      return success();
    }
    Value limit =
        DimOp::create(rewriter, op.getLoc(), rewriter.getIndexType(), array, op.getDimension());
    Value dimension = createConstant(rewriter, op.getLoc(), op.getDimension());
    rewriter.replaceOpWithNewOp<cpu::CheckCountOp>(op, rewriter.getIndexType(), "list", index,
                                                   limit, dimension, getSourceName(array));
    return success();
  }

private:
  bool checkCounts;
};

struct ConvertBoundCount : OpConversionPattern<BoundCountOp> {
  ConvertBoundCount(const TypeConverter &converter, MLIRContext *context, bool checkCounts)
      : OpConversionPattern(converter, context), checkCounts(checkCounts) {}

  LogicalResult matchAndRewrite(BoundCountOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lower = adaptor.getLower().front(), upper = adaptor.getUpper().front();
    Value step = createConstant(rewriter, loc, op.getStep());
    Value most = createConstant(rewriter, loc, op.getMost());
    Value furthest = arith::AddIOp::create(
        rewriter, loc, lower, createConstant(rewriter, loc, op.getStep() * op.getMost()));
    if (checkCounts) {
      rewriter.replaceOpWithNewOp<cpu::CheckCountOp>(op, rewriter.getIndexType(), "loop", upper,
                                                     furthest, ValueRange{lower, step, most},
                                                     op.getName());
      return success();
    }
    Value isBeyond =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt, upper, furthest);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isBeyond, lower, upper);
    return success();
  }

private:
  bool checkCounts;
};

} // namespace

void attn::populateIndexPatterns(const TypeConverter &converter, bool checkCounts,
                                 RewritePatternSet &patterns) {
  patterns.add<ConvertLoadIndex, ConvertListRows>(converter, patterns.getContext());
  patterns.add<ConvertBoundIndex, ConvertBoundCount>(converter, patterns.getContext(), checkCounts);
}
