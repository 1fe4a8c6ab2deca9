// The pass `jit-expand-narrow-floats`: conversions of bf16 and f16 as integer arithmetic. CPU
// stage, on vectors.
#include "WordBuilder.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_EXPANDNARROWFLOATSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using attn::jit::WordBuilder;

namespace {

bool converts(Type narrow, Type wide) {
  return (isa<FloatType>(narrow) || isa<VectorType>(narrow)) &&
         getElementTypeOrSelf(narrow).isF16() && getElementTypeOrSelf(wide).isF32();
}

/// The exponent is rebased by a float multiplication, which is exact for normal and subnormal
/// numbers; infinities and NaN keep their full exponent.
struct ExpandF16Extension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getIn().getType(), op.getType()))
      return failure();
    WordBuilder word(rewriter, op.getLoc(), op.getType());
    Type halfBits = WordBuilder::withElement(op.getType(), rewriter.getI16Type());
    Value bits = arith::BitcastOp::create(word.builder, halfBits, op.getIn());
    Value wide = arith::ExtUIOp::create(word.builder, word.type, bits);
    Value sign = word.apply<arith::ShLIOp>(word.apply<arith::AndIOp>(wide, 0x8000), 16);
    Value magnitude = word.apply<arith::ShLIOp>(word.apply<arith::AndIOp>(wide, 0x7fff), 13);
    // 2^112 is the distance of the two exponents' biases.
    Value scaled = arith::MulFOp::create(word.builder, word.toFloat(magnitude),
                                         word.toFloat(word.constant(0x77800000)));
    Value finite = word.fromFloat(scaled);
    Value special = word.apply<arith::OrIOp>(magnitude, 0x7f800000);
    Value isSpecial = word.compare(arith::CmpIPredicate::uge, magnitude, 0x0f800000);
    Value result = word.apply<arith::OrIOp>(sign, word.select(isSpecial, special, finite));
    rewriter.replaceOp(op, word.toFloat(result));
    return success();
  }
};

/// Rounds to nearest even. Subnormal results are rounded by a float addition that aligns their
/// bits.
struct ExpandF16Truncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!converts(op.getType(), op.getIn().getType()))
      return failure();
    WordBuilder word(rewriter, op.getLoc(), op.getIn().getType());
    Value bits = word.fromFloat(op.getIn());
    Value sign = word.apply<arith::ShRUIOp>(word.apply<arith::AndIOp>(bits, 0x80000000u), 16);
    Value magnitude = word.apply<arith::AndIOp>(bits, 0x7fffffff);
    // Normal: rebase the exponent, add half of the last place, or just less where the result is
    // even.
    Value odd = word.apply<arith::AndIOp>(word.apply<arith::ShRUIOp>(magnitude, 13), 1);
    Value biased = word.apply<arith::AddIOp>(magnitude, 0xc8000fffu);
    Value normal = word.apply<arith::ShRUIOp>(word.apply<arith::AddIOp>(biased, odd), 13);
    // Subnormal: the unit in the last place of 0.5 is that of the smallest f16.
    Value aligned = arith::AddFOp::create(word.builder, word.toFloat(magnitude),
                                          word.toFloat(word.constant(0x3f000000)));
    Value subnormal = word.apply<arith::SubIOp>(word.fromFloat(aligned), 0x3f000000);
    Value isSmall = word.compare(arith::CmpIPredicate::ult, magnitude, 0x38800000);
    Value finite = word.select(isSmall, subnormal, normal);
    Value isNan = word.compare(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
    Value special = word.select(isNan, word.constant(0x7e00), word.constant(0x7c00));
    Value isLarge = word.compare(arith::CmpIPredicate::uge, magnitude, 0x47800000);
    Value result = word.apply<arith::OrIOp>(sign, word.select(isLarge, special, finite));
    Type halfBits = WordBuilder::withElement(op.getType(), rewriter.getI16Type());
    Value half = arith::TruncIOp::create(word.builder, halfBits, result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

struct ExpandNarrowFloatsPass : attn::impl::ExpandNarrowFloatsPassBase<ExpandNarrowFloatsPass> {
  using ExpandNarrowFloatsPassBase::ExpandNarrowFloatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    if (expandF16)
      patterns.add<ExpandF16Extension, ExpandF16Truncation>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
