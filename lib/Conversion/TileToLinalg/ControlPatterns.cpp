// Patterns of `convert-tile-to-linalg` for functions, loops, conditions, spans, sizes and the place
// of a block in its launch.
#include "Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

SmallVector<Value> flatten(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// Converts the signature, appends the two block arguments of a kernel and drops the tile dialect's
/// attributes. The description of an argument stays with the first of the arguments it becomes.
struct ConvertFunction : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::FuncOp function, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FunctionType type = function.getFunctionType();
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertSignatureArgs(type.getInputs(), signature)) ||
        failed(getTypeConverter()->convertTypes(type.getResults(), results)))
      return rewriter.notifyMatchFailure(function, "has a type that cannot be converted");
    SmallVector<DictionaryAttr> attributes(signature.getConvertedTypes().size());
    for (unsigned input = 0; input < type.getNumInputs(); ++input)
      if (std::optional<TypeConverter::SignatureConversion::InputMapping> mapping =
              signature.getInputMapping(input))
        attributes[mapping->inputNo] = function.getArgAttrDict(input);
    if (isKernel(function)) {
      signature.addInputs({rewriter.getIndexType(), rewriter.getIndexType()});
      attributes.append(2, DictionaryAttr());
    }
    if (!function.isExternal() &&
        failed(rewriter.convertRegionTypes(&function.getBody(), *getTypeConverter(), &signature)))
      return rewriter.notifyMatchFailure(function, "has a body that cannot be converted");
    rewriter.modifyOpInPlace(function, [&] {
      function.setFunctionType(rewriter.getFunctionType(signature.getConvertedTypes(), results));
      function.setAllArgAttrs(attributes);
      SmallVector<StringAttr> names;
      for (NamedAttribute attribute : function->getDiscardableAttrs())
        if (attribute.getNameDialect() &&
            attribute.getNameDialect()->getNamespace() == TileDialect::getDialectNamespace())
          names.push_back(attribute.getName());
      for (StringAttr name : names)
        function->removeAttr(name);
    });
    return success();
  }
};

/// The two arguments that `ConvertFunction` appends are last.
template <typename OpTy, unsigned fromEnd> struct ConvertBlockPlace : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto function = op->template getParentOfType<func::FuncOp>();
    rewriter.replaceOp(op, function.getArgument(function.getNumArguments() - fromEnd));
    return success();
  }
};

/// `min(size, limit - base)`; a span of a loop is never empty, any other may be.
Value createValidLength(OpBuilder &builder, Location loc, int64_t size, Value base, Value limit,
                        bool mayBeEmpty) {
  if (size == 1 && !mayBeEmpty)
    return arith::ConstantIndexOp::create(builder, loc, 1);
  MLIRContext *context = builder.getContext();
  AffineExpr d0, d1;
  bindDims(context, d0, d1);
  Value valid = affine::AffineMinOp::create(
      builder, loc, AffineMap::get(2, 0, {getAffineConstantExpr(size, context), d1 - d0}, context),
      ValueRange{base, limit});
  if (!mayBeEmpty)
    return valid;
  return arith::MaxSIOp::create(builder, loc, valid,
                                arith::ConstantIndexOp::create(builder, loc, 0));
}

int64_t getSize(SpanType span) { return cast<IntegerAttr>(span.getSize()).getInt(); }

/// The part of a filled span that exists, `first <= index < limit`, within its `size` rows: how
/// many rows are missing before it, and its length.
std::pair<Value, Value> createExistingPart(OpBuilder &builder, Location loc, int64_t size,
                                           Value base, Value first, Value limit) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value rows = arith::ConstantIndexOp::create(builder, loc, size);
  auto clampRow = [&](Value index, Value least) -> Value {
    Value row = arith::SubIOp::create(builder, loc, index, base);
    return arith::MaxSIOp::create(builder, loc, arith::MinSIOp::create(builder, loc, row, rows),
                                  least);
  };
  Value missing = clampRow(first, zero);
  Value end = clampRow(limit, missing);
  return {missing, arith::SubIOp::create(builder, loc, end, missing)};
}

struct ConvertMakeSpan : OpConversionPattern<MakeSpanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeSpanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t size = getSize(op.getType());
    Value base = adaptor.getBase(), limit = adaptor.getLimit();
    SmallVector<Value> values = {base};
    if (Value first = adaptor.getFirst()) {
      auto [missing, count] = createExistingPart(rewriter, op.getLoc(), size, base, first, limit);
      values.append({count, missing});
    } else if (op.isWhole()) {
      values.push_back(arith::ConstantIndexOp::create(rewriter, op.getLoc(), size));
    } else {
      values.push_back(createValidLength(rewriter, op.getLoc(), size, base, limit,
                                         /*mayBeEmpty=*/!op.getNonempty()));
    }
    if (adaptor.getStep())
      values.append({adaptor.getOffset(), adaptor.getStep()});
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertSpanBase : OpConversionPattern<SpanBaseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SpanBaseOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, SpanParts::get(op.getSpan().getType(), adaptor.getSpan()).base);
    return success();
  }
};

struct ConvertSize : OpConversionPattern<SizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SizeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op,
                                                        cast<IntegerAttr>(op.getDim()).getInt());
    return success();
  }
};

struct ConvertRange : OpConversionPattern<RangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RangeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto span = dyn_cast<SpanType>(op.getInductionVar().getType());
    int64_t size = span ? getSize(span) : 1;
    Location loc = op.getLoc();
    Value step = arith::ConstantIndexOp::create(rewriter, loc, size);
    Value upper = adaptor.getUpper().front();
    auto loop = scf::ForOp::create(rewriter, loc, adaptor.getLower().front(), upper, step,
                                   flatten(adaptor.getInitArgs()));

    // The body's values for the old arguments: the loop's own, and what is computed at its start.
    Block *body = loop.getBody();
    if (op.getInits().empty())
      rewriter.eraseOp(body->getTerminator());
    rewriter.setInsertionPointToStart(body);
    TypeConverter::SignatureConversion signature(op.getBody().getNumArguments());
    SmallVector<Value> induction = {loop.getInductionVar()};
    if (span)
      induction.push_back(createValidLength(rewriter, loc, size, loop.getInductionVar(), upper,
                                            /*mayBeEmpty=*/false));
    signature.remapInput(0, induction);
    auto carried = loop.getRegionIterArgs().begin();
    for (auto [index, init] : llvm::enumerate(adaptor.getInitArgs())) {
      SmallVector<Value> values(carried, carried + init.size());
      signature.remapInput(index + 1, values);
      carried += init.size();
    }
    Block *old =
        rewriter.applySignatureConversion(&op.getBody().front(), signature, getTypeConverter());
    rewriter.mergeBlocks(old, body);

    SmallVector<SmallVector<Value>> replacements;
    auto result = loop.getResults().begin();
    for (ValueRange init : adaptor.getInitArgs()) {
      replacements.emplace_back(result, result + init.size());
      result += init.size();
    }
    rewriter.replaceOpWithMultiple(op, std::move(replacements));
    return success();
  }
};

struct ConvertIf : OpConversionPattern<IfOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool hasElse = !op.getElseBody().empty();
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), adaptor.getCondition(), hasElse);
    auto move = [&](Region &from, Block *to) {
      rewriter.eraseOp(to->getTerminator());
      rewriter.mergeBlocks(&from.front(), to);
    };
    move(op.getThenBody(), branch.thenBlock());
    if (hasElse)
      move(op.getElseBody(), branch.elseBlock());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertYield : OpConversionPattern<YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(YieldOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, flatten(adaptor.getValues()));
    return success();
  }
};

} // namespace

SpanParts SpanParts::get(SpanType type, ValueRange values) {
  SpanParts parts;
  parts.base = values[0];
  parts.count = values[1];
  if (type.getFilled())
    parts.missing = values[2];
  if (type.getMapped()) {
    parts.offset = values.drop_back().back();
    parts.step = values.back();
  }
  return parts;
}

void attn::populateControlPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<ConvertFunction, ConvertBlockPlace<BlockIdOp, 2>, ConvertBlockPlace<BlockCountOp, 1>,
           ConvertMakeSpan, ConvertSpanBase, ConvertSize, ConvertRange, ConvertIf, ConvertYield>(
          converter, patterns.getContext());
}
