// The pass `jit-expand-exponentials`: exp and log as arithmetic that works on vectors. CPU stage,
// on vectors.
#include "WordBuilder.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <limits>

namespace attn {
#define GEN_PASS_DEF_EXPANDEXPONENTIALSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using attn::jit::WordBuilder;

namespace {

/// log(2) as a sum: the first part has so few bits that its product with an exponent is exact.
constexpr float log2High = 0.693359375f, log2Low = -2.12194440e-4f;
constexpr unsigned mantissaBits = 23;

/// Arithmetic on f32 numbers, scalar or one per lane, and on their bits.
struct FloatBuilder : WordBuilder {
  using WordBuilder::WordBuilder;

  Value number(float value) { return toFloat(constant(llvm::bit_cast<uint32_t>(value))); }
  Value add(Value lhs, Value rhs) { return arith::AddFOp::create(builder, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return arith::MulFOp::create(builder, lhs, rhs); }
  Value mulAdd(Value lhs, Value rhs, Value addend) {
    return math::FmaOp::create(builder, lhs, rhs, addend);
  }
  Value compareFloat(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(builder, predicate, lhs, rhs);
  }
  /// The polynomial with the given coefficients, that of the highest power first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value result = number(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = mulAdd(result, x, number(coefficient));
    return result;
  }
  /// 2 to the power of a word that is an exponent of normal numbers.
  Value powerOfTwo(Value exponent) {
    Value biased = apply<arith::AddIOp>(exponent, 127);
    return toFloat(apply<arith::ShLIOp>(biased, mantissaBits));
  }
};

bool isF32(Type type) {
  return getElementTypeOrSelf(type).isF32() && (type.isF32() || isa<VectorType>(type));
}

/// Lanes of the vectors that AVX-512 multiplies by powers of two.
constexpr int64_t scaledLanes = 16;

/// With x = n log(2) + r and |r| <= log(2) / 2, exp(x) is 2^n times a polynomial of r. NaN passes
/// through all of it.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context, bool scales) : OpRewritePattern(context), scales(scales) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()))
      return failure();
    FloatBuilder build(rewriter, op.getLoc(), op.getType());
    // Below the first the result is 0, above the second infinite.
    Value least = build.number(-104.0f), most = build.number(89.0f);
    Value x = op.getOperand();
    x = build.select(build.compareFloat(arith::CmpFPredicate::OLT, x, least), least, x);
    x = build.select(build.compareFloat(arith::CmpFPredicate::OGT, x, most), most, x);
    // The last place of a sum with 1.5 * 2^23 is 1: it rounds to an integer, which then is in
    // the lowest bits.
    constexpr float shift = 12582912.0f;
    Value shifted = build.mulAdd(x, build.number(1.44269504088896341f), build.number(shift));
    Value n = build.add(shifted, build.number(-shift));
    Value r = build.mulAdd(n, build.number(-log2High), x);
    r = build.mulAdd(n, build.number(-log2Low), r);
    Value tail = build.polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                      4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
    Value power = build.mulAdd(tail, build.mul(r, r), r);
    power = build.add(power, build.number(1.0f));
    auto vector = dyn_cast<VectorType>(op.getType());
    if (scales && vector && vector.getNumElements() == scaledLanes) {
      rewriter.replaceOp(op, scale(build, power, n));
      return success();
    }
    Value exponent =
        build.apply<arith::SubIOp>(build.fromFloat(shifted), build.fromFloat(build.number(shift)));
    // In two steps, since 2^n itself may be no normal number: only the second step rounds.
    Value half = build.apply<arith::ShRSIOp>(exponent, 1);
    Value rest = build.apply<arith::SubIOp>(exponent, half);
    Value result = build.mul(build.mul(power, build.powerOfTwo(half)), build.powerOfTwo(rest));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// `power` times 2^n by one instruction, which rounds once: the same bits as in two steps.
  static Value scale(FloatBuilder &build, Value power, Value n) {
    constexpr int64_t allLanes = -1, currentRounding = 4;
    ImplicitLocOpBuilder &builder = build.builder;
    Value mask = arith::ConstantIntOp::create(builder, builder.getI16Type(), allLanes);
    Value rounding = arith::ConstantIntOp::create(builder, builder.getI32Type(), currentRounding);
    return LLVM::CallIntrinsicOp::create(
               builder, power.getType(),
               builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               {power, n, power, mask, rounding})
        .getResult(0);
  }

  bool scales;
};

/// With x = 2^e m and m near 1, log(x) is e log(2) plus a polynomial of m - 1.
struct ExpandLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()))
      return failure();
    FloatBuilder build(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand(), zero = build.number(0.0f);
    // Subnormal numbers are scaled to normal ones.
    constexpr uint32_t scaling = 25;
    Value isSmall = build.compareFloat(arith::CmpFPredicate::OLT, x,
                                       build.number(std::numeric_limits<float>::min()));
    Value scaled = build.mul(x, build.number(1u << scaling));
    Value bits = build.fromFloat(build.select(isSmall, scaled, x));
    // Counted from the square root of 1/2, so that m lies between it and its double.
    Value fromRoot = build.apply<arith::SubIOp>(bits, llvm::bit_cast<uint32_t>(0.70710678118f));
    Value exponent = build.apply<arith::ShRSIOp>(fromRoot, mantissaBits);
    Value m = build.toFloat(
        build.apply<arith::SubIOp>(bits, build.apply<arith::ShLIOp>(exponent, mantissaBits)));
    exponent = build.apply<arith::SubIOp>(
        exponent, build.select(isSmall, build.constant(scaling), build.constant(0)));
    Value e = arith::SIToFPOp::create(build.builder, x.getType(), exponent);
    Value f = build.add(m, build.number(-1.0f)), square = build.mul(f, f);
    Value tail = build.polynomial(f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                                      -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                                      2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
    Value result = build.mul(build.mul(tail, f), square);
    result = build.mulAdd(e, build.number(log2Low), result);
    result = build.mulAdd(square, build.number(-0.5f), result);
    result = build.mulAdd(e, build.number(log2High), build.add(f, result));
    rewriter.replaceOp(op, selectSpecial(build, x, zero, result));
    return success();
  }

private:
  /// The result for a positive number, and what the limits are for all others.
  Value selectSpecial(FloatBuilder &build, Value x, Value zero, Value result) const {
    Value infinity = build.number(std::numeric_limits<float>::infinity());
    Value isInfinite = build.compareFloat(arith::CmpFPredicate::OEQ, x, infinity);
    Value isZero = build.compareFloat(arith::CmpFPredicate::OEQ, x, zero);
    Value isNone = build.compareFloat(arith::CmpFPredicate::ULT, x, zero); // NaN as well
    result = build.select(isInfinite, infinity, result);
    result = build.select(isZero, build.number(-std::numeric_limits<float>::infinity()), result);
    return build.select(isNone, build.number(std::numeric_limits<float>::quiet_NaN()), result);
  }
};

struct ExpandExponentialsPass : attn::impl::ExpandExponentialsPassBase<ExpandExponentialsPass> {
  using ExpandExponentialsPassBase::ExpandExponentialsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp>(&getContext(), scales);
    patterns.add<ExpandLog>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
