// How every op of the tile dialect lies on the chip: names of scratch, and the list of families.
#include "attn/TileOnChip/OnChipOpInterface.h"
#include "attn/TileOnChip/Families/Elementwise.h"
#include "attn/TileOnChip/Families/Parts.h"
#include "attn/TileOnChip/Families/Reductions.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Families/Transfers.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;

#include "attn/TileOnChip/OnChipOpInterface.cpp.inc"

StringRef onchip::getName(Scratch scratch) {
  switch (scratch) {
  case Scratch::Aside:
    return "aside";
  case Scratch::Bias:
    return "bias";
  case Scratch::Bits:
    return "bits";
  case Scratch::Blocks:
    return "blocks";
  case Scratch::Broadcast:
    return "broadcast";
  case Scratch::Column:
    return "column";
  case Scratch::Left:
    return "left";
  case Scratch::LeftTail:
    return "left_tail";
  case Scratch::Neutral:
    return "neutral";
  case Scratch::One:
    return "one";
  case Scratch::OtherBits:
    return "other_bits";
  case Scratch::Part:
    return "part";
  case Scratch::PartBlocks:
    return "part_blocks";
  case Scratch::Positive:
    return "positive";
  case Scratch::Products:
    return "products";
  case Scratch::Reduce:
    return "reduce";
  case Scratch::Right:
    return "right";
  case Scratch::RightTail:
    return "right_tail";
  case Scratch::RightTile:
    return "right_tile";
  case Scratch::Spread:
    return "spread";
  case Scratch::TakenBits:
    return "taken_bits";
  case Scratch::Wide:
    return "wide";
  case Scratch::WideBlocks:
    return "wide_blocks";
  case Scratch::WideColumn:
    return "wide_column";
  case Scratch::WidePart:
    return "wide_part";
  case Scratch::Zero:
    return "zero";
  }
  llvm_unreachable("all scratch has a name");
}

/// Every op of the dialect belongs to a family: one without could be neither counted nor lowered.
template <typename... Ops> static void requireModels(MLIRContext *context) {
  auto require = [&](OperationName name) {
    if (!name.hasInterface<OnChipOpInterface>())
      llvm::report_fatal_error(Twine(name.getStringRef()) +
                               " has no model of how it lies on the chip");
  };
  (require(OperationName(Ops::getOperationName(), context)), ...);
}

void onchip::registerOnChipModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tile::TileDialect *) {
    registerBands(context);
    registerColumnTails(context);
    registerCubeTransfers(context);
    registerElementwise(context);
    registerIndices(context);
    registerLoops(context);
    registerMasks(context);
    registerParts(context);
    registerProducts(context);
    registerReductions(context);
    registerScalars(context);
    registerTransfers(context);
    registerTransposes(context);
    requireModels<
#define GET_OP_LIST
#include "attn/Dialect/Tile/IR/TileOps.cpp.inc"
        >(context);
  });
}
