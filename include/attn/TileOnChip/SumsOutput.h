// What may happen to sums of products on their way out of L0C.
#ifndef ATTN_TILEONCHIP_SUMSOUTPUT_H
#define ATTN_TILEONCHIP_SUMSOUTPUT_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace attn::onchip {

/// How sums leave L0C: whose they are, and what happens to them on the way.
struct SumsOutput {
  mlir::Value sums;
  bool isRectified = false;
  /// What they are multiplied with.
  float scale = 1;

  /// The same with what `op` does to a tile that is made of sums this way; none where the way out
  /// has no such step. It may be one only for some types that the sums leave in (`canBe`).
  std::optional<SumsOutput> getNext(mlir::Operation *op) const;

  /// Whether sums may leave as elements of `type`.
  bool canBe(mlir::Type type) const;
};

/// Whether a tile is zeros that nothing computes.
bool isZeroSplat(mlir::Value tile);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_SUMSOUTPUT_H
