// Patterns of `convert-tile-to-linalg` for tiles: arithmetic, casts, reductions and parts.
#include "ElementwiseCreation.h"
#include "Patterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Where an operand is read at (row, column) of a result of the given shape: dimensions of size 1
/// are broadcast.
AffineMap getBroadcastMap(Value operand, ArrayRef<int64_t> shape) {
  MLIRContext *context = operand.getContext();
  SmallVector<AffineExpr> results;
  ArrayRef<int64_t> from = cast<RankedTensorType>(operand.getType()).getShape();
  for (auto [dimension, size] : llvm::enumerate(from))
    results.push_back(size == 1 && shape[dimension] != 1 ? getAffineConstantExpr(0, context)
                                                         : getAffineDimExpr(dimension, context));
  return AffineMap::get(shape.size(), 0, results, context);
}

Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
}

} // namespace

Value attn::createElementwise(OpBuilder &builder, Location loc, RankedTensorType type,
                              ValueRange operands, ElementPayload payload) {
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(getBroadcastMap(operand, type.getShape()));
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, operands, createEmpty(builder, loc, type), maps, iterators,
             [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
               linalg::YieldOp::create(body, bodyLoc,
                                       payload(body, bodyLoc, arguments.drop_back()));
             })
      .getResult(0);
}

namespace {

/// The pattern of an op that becomes one scalar op per element.
template <typename TileOp, typename ScalarOp>
struct ConvertElementwise : OpConversionPattern<TileOp> {
  using OpConversionPattern<TileOp>::OpConversionPattern;

  LogicalResult matchAndRewrite(TileOp op, typename TileOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = this->getTypeConverter()->template convertType<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), type, adaptor.getOperands(),
                              [](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
                                return ScalarOp::create(builder, loc, arguments);
                              }));
    return success();
  }
};

/// Square root and division, each correctly rounded.
struct ConvertRsqrt : OpConversionPattern<RsqrtOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RsqrtOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), type, adaptor.getInput(),
                              [](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
                                Value root = math::SqrtOp::create(builder, loc, arguments);
                                Value one = arith::ConstantOp::create(
                                    builder, loc, builder.getFloatAttr(root.getType(), 1.0));
                                return arith::DivFOp::create(builder, loc, one, root);
                              }));
    return success();
  }
};

/// A NaN is not below zero, and stays.
struct ConvertLeakyRelu : OpConversionPattern<LeakyReluOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LeakyReluOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto payload = [&](OpBuilder &builder, Location loc, ValueRange arguments) -> Value {
      Value x = arguments[0];
      Value zero = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(x.getType(), 0.0));
      Value isBelow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, zero);
      Value scaled = arith::MulFOp::create(builder, loc, x, adaptor.getSlope());
      return arith::SelectOp::create(builder, loc, isBelow, scaled, x);
    };
    rewriter.replaceOp(op,
                       createElementwise(rewriter, op.getLoc(), type, adaptor.getInput(), payload));
    return success();
  }
};

/// `value` where it is between `least` and `most`, otherwise the nearer of them.
template <typename Max, typename Min>
Value createClamp(OpBuilder &builder, Location loc, Value value, TypedAttr least, TypedAttr most) {
  Value low = arith::ConstantOp::create(builder, loc, least);
  Value high = arith::ConstantOp::create(builder, loc, most);
  return Min::create(builder, loc, Max::create(builder, loc, value, low), high);
}

/// A float as an integer: rounded to nearest even, the nearest where it does not fit, 0 for NaN.
Value createRounded(OpBuilder &builder, Location loc, Value value, IntegerType to) {
  Type from = value.getType();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(from));
  Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, value, value);
  Value number = arith::SelectOp::create(builder, loc, isNumber, value, zero);
  // The largest float that is at most the largest integer: of 32 bits that is not 2^31.
  llvm::APSInt largest(llvm::APInt::getSignedMaxValue(to.getWidth()), /*isUnsigned=*/false);
  llvm::APFloat most(cast<FloatType>(from).getFloatSemantics());
  most.convertFromAPInt(largest, /*IsSigned=*/true, llvm::APFloat::rmTowardZero);
  double least = -std::ldexp(1.0, static_cast<int>(to.getWidth()) - 1);
  Value inside = createClamp<arith::MaximumFOp, arith::MinimumFOp>(
      builder, loc, math::RoundEvenOp::create(builder, loc, number),
      builder.getFloatAttr(from, least), builder.getFloatAttr(from, most));
  Value converted = arith::FPToSIOp::create(builder, loc, to, inside);
  // Where the largest integer is not a float, what is above all floats below it becomes that.
  llvm::APSInt reached(to.getWidth(), /*isUnsigned=*/false);
  bool isExact;
  most.convertToInteger(reached, llvm::APFloat::rmTowardZero, &isExact);
  if (reached == largest)
    return converted;
  Value last = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(from, most));
  Value isAbove = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, number, last);
  Value greatest = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(to, largest));
  return arith::SelectOp::create(builder, loc, isAbove, greatest, converted);
}

Value createIntegerCast(OpBuilder &builder, Location loc, Value value, IntegerType to) {
  auto from = cast<IntegerType>(value.getType());
  if (from.getWidth() <= to.getWidth())
    return from == to ? value : arith::ExtSIOp::create(builder, loc, to, value);
  int64_t most = llvm::maxIntN(to.getWidth()), least = llvm::minIntN(to.getWidth());
  Value inside = createClamp<arith::MaxSIOp, arith::MinSIOp>(
      builder, loc, value, builder.getIntegerAttr(from, least), builder.getIntegerAttr(from, most));
  return arith::TruncIOp::create(builder, loc, to, inside);
}

/// A scalar of another type; narrowing rounds to nearest even, and to integers gives the nearest.
Value createCast(OpBuilder &builder, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return createIntegerCast(builder, loc, value, cast<IntegerType>(to));
  if (isa<IntegerType>(from)) {
    Value number = arith::SIToFPOp::create(builder, loc, builder.getF32Type(), value);
    return to.isF32() ? number : arith::TruncFOp::create(builder, loc, to, number);
  }
  Value wide = value;
  if (!from.isF32())
    wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  if (to.isF32())
    return wide;
  if (isa<FloatType>(to))
    return arith::TruncFOp::create(builder, loc, to, wide);
  return createRounded(builder, loc, wide, cast<IntegerType>(to));
}

struct ConvertCast : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    if (type == adaptor.getInput().getType()) {
      rewriter.replaceOp(op, adaptor.getInput());
      return success();
    }
    rewriter.replaceOp(
        op, createElementwise(rewriter, op.getLoc(), type, adaptor.getInput(),
                              [&](OpBuilder &builder, Location loc, ValueRange arguments) {
                                return createCast(builder, loc, arguments[0],
                                                  type.getElementType());
                              }));
    return success();
  }
};

struct ConvertSplat : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, adaptor.getValue(),
                                                createEmpty(rewriter, op.getLoc(), type));
    return success();
  }
};

struct ConvertUndefined : OpConversionPattern<UndefinedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UndefinedOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOp(op, createEmpty(rewriter, op.getLoc(), type));
    return success();
  }
};

/// What a reduction starts from, and how it combines two values.
TypedAttr getNeutral(OpBuilder &builder, ReduceKind kind) {
  const llvm::fltSemantics &semantics = builder.getF32Type().getFloatSemantics();
  if (kind == ReduceKind::Sum)
    return builder.getF32FloatAttr(0.0f);
  return builder.getFloatAttr(builder.getF32Type(),
                              APFloat::getInf(semantics, /*Negative=*/kind == ReduceKind::Max));
}

Value createCombine(OpBuilder &builder, Location loc, ReduceKind kind, Value lhs, Value rhs) {
  switch (kind) {
  case ReduceKind::Sum:
    return arith::AddFOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Max:
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  case ReduceKind::Min:
    return arith::MinimumFOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("every kind is handled");
}

struct ConvertReduce : OpConversionPattern<ReduceOp> {
  ConvertReduce(const TypeConverter &converter, MLIRContext *context, const ValidParts &validParts)
      : OpConversionPattern(converter, context), validParts(validParts) {}

  LogicalResult matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    // One element that exists is its own sum, maximum and minimum. What a loop carries is reduced
    // all the same: under a second name it could not stay in its buffer.
    if (type == adaptor.getInput().getType() && validParts.lookup(op).inner.empty() &&
        !isa<BlockArgument>(op.getInput())) {
      rewriter.replaceOp(op, adaptor.getInput());
      return success();
    }
    Value input = getValidPart(op, adaptor.getInput(), rewriter);
    Value neutral = arith::ConstantOp::create(rewriter, loc, getNeutral(rewriter, op.getKind()));
    Value init = linalg::FillOp::create(rewriter, loc, neutral, createEmpty(rewriter, loc, type))
                     .getResult(0);
    SmallVector<AffineExpr> kept = {rewriter.getAffineDimExpr(0), rewriter.getAffineDimExpr(1)};
    kept[op.getAxis()] = rewriter.getAffineConstantExpr(0);
    SmallVector<AffineMap> maps = {rewriter.getMultiDimIdentityMap(2),
                                   AffineMap::get(2, 0, kept, rewriter.getContext())};
    SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
    iterators[op.getAxis()] = utils::IteratorType::reduction;
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, input, init, maps, iterators,
        [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
          linalg::YieldOp::create(
              builder, bodyLoc,
              createCombine(builder, bodyLoc, op.getKind(), arguments[1], arguments[0]));
        });
    return success();
  }

private:
  /// Rows and columns beyond the end of an array hold anything: they must not take part.
  Value getValidPart(ReduceOp op, Value input, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    TileType tile = op.getInput().getType();
    SmallVector<OpFoldResult> sizes = {rewriter.getIndexAttr(tile.getRowCount()),
                                       rewriter.getIndexAttr(tile.getColCount())};
    ArrayRef<Value> spans = validParts.find(op)->second.inner;
    if (!spans.empty())
      sizes[op.getAxis()] = createValidSize(rewriter, loc, *getTypeConverter(), spans, /*size=*/0);
    return createFirstPart(rewriter, loc, input, sizes[0], sizes[1]);
  }

  const ValidParts &validParts;
};

/// Offsets, sizes and steps of a part of a tile.
struct Part {
  Part(OpBuilder &builder, Value row, Value col, TileType type)
      : offsets({getAsOpFoldResult(row), getAsOpFoldResult(col)}),
        sizes(
            getAsIndexOpFoldResult(builder.getContext(), {type.getRowCount(), type.getColCount()})),
        steps(2, builder.getIndexAttr(1)) {}
  SmallVector<OpFoldResult> offsets, sizes, steps;
};

/// The type of a row or a column without its dimension of size 1: what lies between the two where
/// one is taken for the other.
RankedTensorType getFlatType(RankedTensorType type) {
  return RankedTensorType::get({type.getNumElements()}, type.getElementType());
}

/// What joins the two dimensions of a row or a column.
SmallVector<ReassociationIndices> getBothDimensions() { return {{0, 1}}; }

struct ConvertExtract : OpConversionPattern<ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ExtractOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Part part(rewriter, adaptor.getRow(), adaptor.getCol(), op.getPartType());
    RankedTensorType partType = op.getTransposed() ? getFlatType(type) : type;
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), partType, adaptor.getInput(), part.offsets, part.sizes, part.steps);
    if (op.getTransposed())
      slice =
          tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type, slice, getBothDimensions());
    rewriter.replaceOp(op, slice);
    return success();
  }
};

struct ConvertInsert : OpConversionPattern<InsertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InsertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getPart();
    auto type = cast<RankedTensorType>(value.getType());
    if (op.getTransposed())
      value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), getFlatType(type), value,
                                              getBothDimensions());
    Part part(rewriter, adaptor.getRow(), adaptor.getCol(), op.getPartType());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(op, value, adaptor.getWhole(), part.offsets,
                                                       part.sizes, part.steps);
    return success();
  }
};

/// A row and a column hold the same elements in the same order.
struct ConvertTranspose : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Location loc = op.getLoc();
    if (type.getDimSize(0) == 1 || type.getDimSize(1) == 1) {
      Value flat = tensor::CollapseShapeOp::create(rewriter, loc, getFlatType(type),
                                                   adaptor.getInput(), getBothDimensions());
      rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, type, flat, getBothDimensions());
      return success();
    }
    Value empty = createEmpty(rewriter, loc, type);
    rewriter.replaceOp(op, linalg::TransposeOp::create(rewriter, loc, adaptor.getInput(), empty,
                                                       ArrayRef<int64_t>{1, 0})
                               ->getResults());
    return success();
  }
};

} // namespace

void attn::populateValuePatterns(const TypeConverter &converter, const ValidParts &validParts,
                                 RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<ConvertElementwise<AddOp, arith::AddFOp>, ConvertElementwise<SubOp, arith::SubFOp>,
           ConvertElementwise<MulOp, arith::MulFOp>, ConvertElementwise<DivOp, arith::DivFOp>,
           ConvertElementwise<MaximumOp, arith::MaximumFOp>,
           ConvertElementwise<MinimumOp, arith::MinimumFOp>, ConvertElementwise<ExpOp, math::ExpOp>,
           ConvertElementwise<LogOp, math::LogOp>, ConvertElementwise<SqrtOp, math::SqrtOp>,
           ConvertElementwise<AbsOp, math::AbsFOp>, ConvertRsqrt, ConvertLeakyRelu, ConvertCast,
           ConvertSplat, ConvertUndefined, ConvertExtract, ConvertInsert, ConvertTranspose>(
          converter, context);
  patterns.add<ConvertReduce>(converter, context, validParts);
}
