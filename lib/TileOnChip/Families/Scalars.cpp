// Spans, sizes, dimensions and block numbers on the chip (tile on the chip, family).
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

namespace {

struct MakeSpanOnChip : OnChipOpInterface::ExternalModel<MakeSpanOnChip, MakeSpanOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto make = cast<MakeSpanOp>(op);
    auto size = dyn_cast<IntegerAttr>(make.getResult().getType().getSize());
    if (!size)
      return make.emitOpError("has an unbound block size: tile-fit-tiles must run first");
    SpanBounds span;
    span.base = lowering.scalars.lookup(make.getBase());
    if (Value first = make.getFirst())
      span.missing = lowering.clamp(lowering.subtract(lowering.scalars.lookup(first), span.base),
                                    size.getInt());
    Value limit = lowering.scalars.lookup(make.getLimit());
    span.end = lowering.clamp(lowering.subtract(limit, span.base), size.getInt(), span.missing);
    if (make.getStep()) {
      span.offset = lowering.scalars.lookup(make.getOffset());
      span.step = lowering.scalars.lookup(make.getStep());
    }
    lowering.spans[make.getResult()] = span;
    return success();
  }
};

struct SpanBaseOnChip : OnChipOpInterface::ExternalModel<SpanBaseOnChip, SpanBaseOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto base = cast<SpanBaseOp>(op);
    lowering.scalars.map(base.getResult(), lowering.spans[base.getSpan()].base);
    return success();
  }
};

struct SizeOnChip : OnChipOpInterface::ExternalModel<SizeOnChip, SizeOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto size = dyn_cast<IntegerAttr>(cast<SizeOp>(op).getDim());
    if (!size)
      return op->emitOpError("is an unbound block size: tile-fit-tiles must run first");
    lowering.scalars.map(op->getResult(0), lowering.constant(size.getInt()));
    return success();
  }
};

struct DimOnChip : OnChipOpInterface::ExternalModel<DimOnChip, DimOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto dim = cast<DimOp>(op);
    int64_t size = dim.getArray().getType().getShape()[dim.getDimension()];
    if (!ShapedType::isDynamic(size)) {
      lowering.scalars.map(dim.getResult(), lowering.constant(size));
      return success();
    }
    Value array = lowering.scalars.lookup(dim.getArray());
    lowering.scalars.map(
        dim.getResult(),
        lowering.create<ascend::DimOp>(lowering.builder.getIndexType(), array, dim.getDimension()));
    return success();
  }
};

/// An op without operands that has its like on the chip.
template <typename Op, typename ChipOp>
struct NumberOnChip : OnChipOpInterface::ExternalModel<NumberOnChip<Op, ChipOp>, Op> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    lowering.scalars.map(op->getResult(0),
                         lowering.create<ChipOp>(lowering.builder.getIndexType()));
    return success();
  }
};

} // namespace

void onchip::registerScalars(MLIRContext *context) {
  MakeSpanOp::attachInterface<MakeSpanOnChip>(*context);
  SpanBaseOp::attachInterface<SpanBaseOnChip>(*context);
  SizeOp::attachInterface<SizeOnChip>(*context);
  DimOp::attachInterface<DimOnChip>(*context);
  SubBlockIdOp::attachInterface<NumberOnChip<SubBlockIdOp, ascend::SubBlockIdOp>>(*context);
  BlockIdOp::attachInterface<NumberOnChip<BlockIdOp, ascend::BlockIdOp>>(*context);
  BlockCountOp::attachInterface<NumberOnChip<BlockCountOp, ascend::BlockCountOp>>(*context);
}
