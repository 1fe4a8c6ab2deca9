// Columns that a span lacks, on the chip: scratch, cost and instructions (tile on the chip,
// family).
#include "attn/Dialect/Ascend/IR/Instructions.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;
using ascend::BitwiseKind;

namespace {

/// Instructions start at data blocks and columns end anywhere, so what is missing is left out bit
/// by bit: a row has all bits of the columns that exist, another the number in those that do not.
/// Tiles that have all columns pay for a comparison.
class FillLowering {
public:
  FillLowering(Lowering &lowering, FillColumnsOp op)
      : lowering(lowering), op(op), type(op.getResult().getType()),
        pitch(lowering.model.getPitch(type)), dst(lowering.getMemory(op.getResult())),
        existing(lowering.spans[op.getSpan()].end) {}

  /// A number whose bits must be put in: those of 0 are what is left.
  static bool hasBits(FillColumnsOp op) { return !op.getValue().isPosZero(); }

  void lower() {
    if (lowering.assignment.getPlace(op.getInput()) != lowering.assignment.getPlace(op.getResult()))
      lowering.copyTile(dst, op.getInput());
    lowering.ifLess(existing, type.getColCount(), [&] { fill(); });
  }

private:
  void fill() {
    Value all = lowering.constant(pitch);
    Value kept = lowering.getScratch(op, Scratch::TakenBits);
    lowering.emitDuplicate(kept, lowering.word(0), all);
    lowering.emitDuplicate(kept, lowering.word(-1), existing);
    combine(BitwiseKind::And, kept);
    if (!hasBits(op))
      return;
    Value number = lowering.getScratch(op, Scratch::OtherBits);
    lowering.emitDuplicate(number, lowering.constant(op.getValue().convertToFloat()), all);
    lowering.emitDuplicate(number, lowering.constant(0.0f), existing);
    combine(BitwiseKind::Or, number);
  }

  /// Every row with the same one: a repeat of columns at a time, or where rows are further apart
  /// than a repeat reaches, a row at a time.
  void combine(BitwiseKind kind, Value row) {
    const ChipModel &model = lowering.model;
    const Chip &chip = model.getChip();
    int64_t lanes = model.getLanes(), rowBlocks = pitch / model.getBlockLanes();
    Value rows = lowering.getRows(op.getResult());
    if (rowBlocks > chip.maxRepeatStride || type.getRowCount() == 1)
      return lowering.forEachChunk(rows, type.getRowCount(), 1, [&](Value first, Value) {
        Value part = lowering.slice(dst, lowering.scale(first, pitch));
        lowering.create<ascend::BitwiseOp>(kind, part, part, row, lowering.constant(pitch),
                                           IntegerAttr(), DenseI64ArrayAttr());
      });
    lowering.forEachChunk(
        rows, type.getRowCount(), chip.maxRepeats, [&](Value first, Value amount) {
          for (int64_t col = 0; col < pitch; col += lanes) {
            Value offset = lowering.add(lowering.scale(first, pitch), lowering.constant(col));
            Value part = lowering.slice(dst, offset);
            lowering.create<ascend::BitwiseOp>(
                kind, part, part, lowering.slice(row, lowering.constant(col)), amount,
                lowering.builder.getI64IntegerAttr(std::min(lanes, pitch - col)),
                lowering.builder.getDenseI64ArrayAttr({1, 1, 1, rowBlocks, rowBlocks, 0}));
          }
        });
  }

  Lowering &lowering;
  FillColumnsOp op;
  TileType type;
  int64_t pitch;
  Value dst, existing;
};

struct FillColumnsOnChip : OnChipOpInterface::ExternalModel<FillColumnsOnChip, FillColumnsOp> {
  void addScratch(Operation *op, const ChipModel &model, MulOp,
                  SmallVectorImpl<ScratchNeed> &needs) const {
    auto fill = cast<FillColumnsOp>(op);
    int64_t pitch = model.getPitch(fill.getResult().getType());
    needs.push_back({Scratch::TakenBits, IntegerType::get(op->getContext(), 32), pitch});
    if (FillLowering::hasBits(fill))
      needs.push_back({Scratch::OtherBits, Float32Type::get(op->getContext()), pitch});
  }
  bool mayWriteOver(Operation *, OpOperand &) const { return true; }
  /// That of a comparison: few tiles lack columns.
  OpCost getCost(Operation *, const ChipModel &, const CostModel &) const { return {}; }
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    lowering.limitRows(op->getResult(0));
    FillLowering(lowering, cast<FillColumnsOp>(op)).lower();
    return success();
  }
};

} // namespace

void onchip::registerColumnTails(MLIRContext *context) {
  FillColumnsOp::attachInterface<FillColumnsOnChip>(*context);
}
