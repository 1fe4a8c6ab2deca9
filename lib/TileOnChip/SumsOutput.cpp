// What may happen to sums of products on their way out of L0C (tile on the chip, analysis).
#include "attn/TileOnChip/SumsOutput.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Machine/Architecture.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

bool onchip::isZeroSplat(Value tile) {
  auto splat = tile.getDefiningOp<SplatOp>();
  if (!splat)
    return false;
  if (std::optional<APFloat> number = getSplatConstant(tile))
    return number->isPosZero();
  APInt integer;
  return matchPattern(splat.getValue(), m_ConstantInt(&integer)) && integer.isZero();
}

/// The number that `op` multiplies with, where the way out has it. The way out looks at fewer bits
/// of it than a float has; that others are lost is not for the compiler to decide.
static std::optional<float> getScale(MulOp op) {
  if (!op.getType().getElementType().isF32())
    return std::nullopt;
  std::optional<APFloat> number = getSplatConstant(op.getRhs());
  if (!number)
    number = getSplatConstant(op.getLhs());
  if (!number || !number->isFiniteNonZero() || number->isNegative() || number->isDenormal())
    return std::nullopt;
  constexpr int unseen =
      std::numeric_limits<float>::digits - 1 - architecture::fixScaleFractionBits;
  uint32_t bits = number->bitcastToAPInt().getZExtValue();
  if (bits >> unseen << unseen != bits)
    return std::nullopt;
  return llvm::bit_cast<float>(bits);
}

std::optional<SumsOutput> SumsOutput::getNext(Operation *op) const {
  SumsOutput next = *this;
  if (auto maximum = dyn_cast<MaximumOp>(op)) {
    if (!isZeroSplat(maximum.getLhs()) && !isZeroSplat(maximum.getRhs()))
      return std::nullopt;
    next.isRectified = true;
    return next;
  }
  if (auto product = dyn_cast<MulOp>(op)) {
    std::optional<float> number = getScale(product);
    if (!number || scale != 1)
      return std::nullopt;
    next.scale = *number;
    return next;
  }
  auto cast = dyn_cast<tile::CastOp>(op);
  Type from = cast ? cast.getInput().getType().getElementType() : Type();
  // What was narrowed before has lost what another conversion would start from.
  return from && (from.isF32() || from.isInteger(32)) ? std::optional(next) : std::nullopt;
}

bool SumsOutput::canBe(Type type) const {
  Type from = cast<TileType>(sums.getType()).getElementType();
  if (type.isInteger(8) || (from.isInteger(32) && type.isF16()))
    return true;
  return scale == 1 && (type == from || (from.isF32() && (type.isF16() || type.isBF16())));
}
