// Band masks on the chip, and what must be lowered before: band products, softmax states, grids
// (tile on the chip, family).
#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

static constexpr char lowerBands[] = "tile-lower-band-gather";
static constexpr char decomposeSoftmax[] = "tile-decompose-softmax";
static constexpr char clampGrid[] = "tile-clamp-grid";

/// Says that `op` should have been replaced by `pass`.
static LogicalResult emitLeft(Operation *op, StringRef pass) {
  return op->emitOpError() << "must be lowered first by " << pass;
}

namespace {

/// Taps by rows: row r has tap t where row r + t of the window exists. Of each tap's rows, the
/// first up to the end of the window exist, but for those before its start.
struct BandMaskOnChip : OnChipOpInterface::ExternalModel<BandMaskOnChip, BandMaskOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto maskOp = cast<BandMaskOp>(op);
    if (!maskOp.getTransposed())
      return emitLeft(op, lowerBands);
    TileType type = maskOp.getResult().getType();
    int64_t taps = type.getRowCount(), rows = type.getColCount();
    int64_t pitch = lowering.model.getPitch(type);
    const SpanBounds &window = lowering.spans[maskOp.getWindow()];
    Value mask = lowering.getMemory(maskOp.getResult());
    lowering.emitDuplicate(mask, lowering.constant(0.0f), lowering.constant(taps * pitch));
    // All ends before all starts: taps do not wait for each other.
    for (auto [bound, number] : {std::make_pair(window.end, 1.0f), {window.missing, 0.0f}})
      forEachTap(lowering, taps, [&, bound = bound, number = number](Value tap) {
        lowering.emitDuplicate(lowering.slice(mask, lowering.scale(tap, pitch)),
                               lowering.constant(number),
                               lowering.clamp(lowering.subtract(bound, tap), rows));
      });
    return success();
  }

private:
  /// As bands themselves are, few taps are straight code and many are a loop.
  static void forEachTap(Lowering &lowering, int64_t taps, function_ref<void(Value tap)> build) {
    if (taps > mostStraightTaps)
      return lowering.forEachChunk(lowering.constant(taps), taps, 1,
                                   [&](Value tap, Value) { build(tap); });
    for (int64_t tap = 0; tap < taps; ++tap)
      build(lowering.constant(tap));
  }
};

/// An op that an earlier pass replaces.
template <typename Op, const char *pass>
struct ReplacedBefore : OnChipOpInterface::ExternalModel<ReplacedBefore<Op, pass>, Op> {
  LogicalResult lower(Operation *op, Lowering &) const { return emitLeft(op, pass); }
};

} // namespace

void onchip::registerBands(MLIRContext *context) {
  BandMaskOp::attachInterface<BandMaskOnChip>(*context);
  BandDotOp::attachInterface<ReplacedBefore<BandDotOp, lowerBands>>(*context);
  BandMixOp::attachInterface<ReplacedBefore<BandMixOp, lowerBands>>(*context);
  BandSpreadOp::attachInterface<ReplacedBefore<BandSpreadOp, lowerBands>>(*context);
  SoftmaxInitOp::attachInterface<ReplacedBefore<SoftmaxInitOp, decomposeSoftmax>>(*context);
  SoftmaxPushOp::attachInterface<ReplacedBefore<SoftmaxPushOp, decomposeSoftmax>>(*context);
  SoftmaxFinishOp::attachInterface<ReplacedBefore<SoftmaxFinishOp, decomposeSoftmax>>(*context);
  GridOp::attachInterface<ReplacedBefore<GridOp, clampGrid>>(*context);
  AccumulateOp::attachInterface<ReplacedBefore<AccumulateOp, clampGrid>>(*context);
}
