// The passes of TileOnChip/Transforms.
#ifndef ATTN_TILEONCHIP_TRANSFORMS_PASSES_H
#define ATTN_TILEONCHIP_TRANSFORMS_PASSES_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/Pass/Pass.h"

namespace attn {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "attn/TileOnChip/Transforms/Passes.h.inc"
} // namespace attn

#endif // ATTN_TILEONCHIP_TRANSFORMS_PASSES_H
