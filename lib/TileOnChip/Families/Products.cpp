// Products of matrices on the chip, and the rows that their sums start from (tile on the chip,
// family).
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

struct DotOnChip : OnChipOpInterface::ExternalModel<DotOnChip, DotOp> {
  LogicalResult lower(Operation *op, Lowering &) const {
    return op->emitOpError("runs on cube cores, and is not lowered to the chip yet");
  }
};

struct BroadcastOnChip : OnChipOpInterface::ExternalModel<BroadcastOnChip, BroadcastOp> {
  LogicalResult lower(Operation *op, Lowering &) const {
    return op->emitOpError("starts the sum of a product, and is not lowered to the chip yet");
  }
};

} // namespace

void onchip::registerProducts(MLIRContext *context) {
  DotOp::attachInterface<DotOnChip>(*context);
  BroadcastOp::attachInterface<BroadcastOnChip>(*context);
}
