// Loops, what they hand on, conditions, phases, and signals between cores on the chip (tile on the
// chip, family).
#include "attn/TileOnChip/ExchangePlan.h"
#include "attn/TileOnChip/Families/Registration.h"
#include "attn/TileOnChip/Lowering.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

/// Brings the carried tiles into their buffers, before the loop or at its yield, and returns the
/// carried scalars.
static SmallVector<Value> handOn(Lowering &lowering, Operation *op, RangeOp range,
                                 ValueRange sources) {
  const BufferAssignment &assignment = lowering.assignment;
  SmallVector<Value> memories(sources.size());
  for (unsigned number : assignment.getSetAside(op)) {
    memories[number] = lowering.getScratch(op, Scratch::Aside, number);
    lowering.copyTile(memories[number], sources[number]);
  }
  SmallVector<Value> carried;
  for (auto [source, argument, memory] : llvm::zip_equal(sources, range.getCarried(), memories)) {
    if (!isa<TileType>(source.getType()))
      carried.push_back(lowering.scalars.lookup(source));
    else if (!assignment.getPlacement().isStart(source) &&
             assignment.getPlace(source) != assignment.getPlace(argument))
      lowering.copyTile(lowering.getMemory(argument), source, memory);
  }
  return carried;
}

/// A loop by a block size has no tail where its bounds are numbers and a multiple of it apart.
static bool hasNoTail(Value lower, Value upper, int64_t block) {
  std::optional<int64_t> from = getConstantIntValue(lower), to = getConstantIntValue(upper);
  return from && to && (*to - *from) % block == 0;
}

/// Says that the values `from` of the tile function, carried by a loop, are now `to`; tiles lie in
/// their buffers.
static void mapCarried(Lowering &lowering, ValueRange from, ValueRange to) {
  auto next = to.begin();
  for (Value value : from) {
    if (!isa<TileType>(value.getType()))
      lowering.scalars.map(value, *next++);
    else
      lowering.limitRows(value);
  }
}

/// The block size that a loop goes by; 1 where it goes one by one.
static FailureOr<int64_t> getStep(RangeOp op) {
  std::optional<Attribute> block = op.getBlock();
  if (!block)
    return 1;
  auto size = dyn_cast<IntegerAttr>(*block);
  if (!size || size.getInt() < 1)
    return op.emitOpError("has an unbound block size: tile-fit-tiles must run first");
  return size.getInt();
}

/// Whether the first product in a loop starts sums that the loop carries. Such a loop runs at least
/// once: with nothing to sum over, a product of zeros makes the zeros.
static bool startsSums(RangeOp range, const Placement &placement) {
  return llvm::any_of(range.getInits(), [&](Value init) { return placement.isStart(init); });
}

/// Where a loop always runs: lets what its body transfers exist only if it has something to run
/// over. A span has nothing then anyway.
static void limitTransfers(Lowering &lowering, RangeOp range, Value lower, Value upper) {
  Value exists = lowering.clamp(lowering.subtract(upper, lower), 1);
  auto limit = [&](Value &existing) {
    existing = existing ? lowering.multiply(existing, exists) : exists;
  };
  limit(lowering.existingStores);
  if (!range.getBlock())
    limit(lowering.existingLoads);
}

namespace {

struct RangeOnChip : OnChipOpInterface::ExternalModel<RangeOnChip, RangeOp> {
  unsigned getWritingPipes(Operation *, const ChipModel &) const { return NoPipe; }
  unsigned getReadingPipes(Operation *) const { return NoPipe; }

  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto range = cast<RangeOp>(op);
    FailureOr<int64_t> step = getStep(range);
    if (failed(step))
      return failure();
    for (Type type : range.getResultTypes())
      if (!isa<TileType>(type) && !type.isIntOrIndexOrFloat())
        return range.emitOpError() << "carries " << type << ", which has no form on the chip";
    SmallVector<Value> inits = handOn(lowering, op, range, range.getInits());
    Value lower = lowering.scalars.lookup(range.getLower());
    Value upper = lowering.scalars.lookup(range.getUpper());
    Value end = upper;
    llvm::SaveAndRestore stores(lowering.existingStores), loads(lowering.existingLoads);
    if (startsSums(range, lowering.getPlacement())) {
      end = lowering.max(upper, lowering.add(lower, lowering.constant(int64_t(1))));
      if (end != upper)
        limitTransfers(lowering, range, lower, upper);
    }
    auto loop = lowering.create<scf::ForOp>(lower, end, lowering.constant(*step), inits);
    OpBuilder &builder = lowering.builder;
    if (range.getStages() > 1)
      loop->setAttr("ascend.stages", builder.getI64IntegerAttr(range.getStages()));
    if (range.getParallel())
      loop->setAttr("ascend.parallel", builder.getUnitAttr());
    if (range->hasAttr(settledName))
      loop->setAttr("ascend.settled", builder.getUnitAttr());
    loop.getInductionVar().setLoc(range.getInductionVar().getLoc());

    OpBuilder::InsertionGuard guard(builder);
    if (inits.empty())
      builder.setInsertionPoint(loop.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(loop.getBody());
    // A loop that runs once is gone soon: what follows from its index is known now.
    bool runsOnce = loop.getStaticTripCount() == APInt(64, 1);
    Value index = runsOnce ? lower : loop.getInductionVar();
    if (range.getBlock())
      lowering.spans[range.getInductionVar()] = {
          index, hasNoTail(lower, upper, *step)
                     ? lowering.constant(*step)
                     : lowering.clamp(lowering.subtract(upper, index), *step)};
    else
      lowering.scalars.map(range.getInductionVar(), index);
    mapCarried(lowering, range.getCarried(), loop.getRegionIterArgs());
    if (failed(lowering.lowerBlock(range.getBody().front())))
      return failure();
    builder.setInsertionPointAfter(loop);
    mapCarried(lowering, range.getResults(), loop.getResults());
    return success();
  }
};

struct IfOnChip : OnChipOpInterface::ExternalModel<IfOnChip, IfOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto choice = cast<IfOp>(op);
    bool hasElse = !choice.getElseBody().empty();
    auto branch =
        lowering.create<scf::IfOp>(lowering.scalars.lookup(choice.getCondition()), hasElse);
    OpBuilder::InsertionGuard guard(lowering.builder);
    auto lowerBody = [&](Region &from, Block *to) {
      lowering.builder.setInsertionPoint(to->getTerminator());
      return lowering.lowerBlock(from.front());
    };
    if (failed(lowerBody(choice.getThenBody(), branch.thenBlock())))
      return failure();
    return hasElse ? lowerBody(choice.getElseBody(), branch.elseBlock()) : success();
  }
};

struct YieldOnChip : OnChipOpInterface::ExternalModel<YieldOnChip, YieldOp> {
  unsigned getReadingPipes(Operation *) const { return NoPipe; }

  LogicalResult lower(Operation *op, Lowering &lowering) const {
    if (isa<IfOp>(op->getParentOp()))
      return success();
    SmallVector<Value> carried =
        handOn(lowering, op, cast<RangeOp>(op->getParentOp()), op->getOperands());
    if (!carried.empty())
      lowering.create<scf::YieldOp>(carried);
    return success();
  }
};

struct PhaseOnChip : OnChipOpInterface::ExternalModel<PhaseOnChip, PhaseOp> {
  LogicalResult lower(Operation *, Lowering &lowering) const {
    lowering.create<ascend::SyncAllOp>();
    return success();
  }
};

/// The pipe on which a core has moved what it tells of: to local memory, or out of it.
ascend::Pipe getPipe(Operation *op, bool loads) {
  if (loads)
    return ascend::Pipe::MTE2;
  return op->getParentOfType<func::FuncOp>()->hasAttr(halfOfName) ? ascend::Pipe::FIX
                                                                  : ascend::Pipe::MTE3;
}

struct SignalOnChip : OnChipOpInterface::ExternalModel<SignalOnChip, SignalOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    auto signal = cast<SignalOp>(op);
    lowering.create<ascend::CrossSetOp>(getPipe(op, signal.getLoads()), signal.getFlag());
    return success();
  }
};

struct AwaitOnChip : OnChipOpInterface::ExternalModel<AwaitOnChip, AwaitOp> {
  LogicalResult lower(Operation *op, Lowering &lowering) const {
    lowering.create<ascend::CrossWaitOp>(cast<AwaitOp>(op).getFlag(),
                                         /*heard=*/DenseI64ArrayAttr());
    return success();
  }
};

} // namespace

void onchip::registerLoops(MLIRContext *context) {
  RangeOp::attachInterface<RangeOnChip>(*context);
  IfOp::attachInterface<IfOnChip>(*context);
  YieldOp::attachInterface<YieldOnChip>(*context);
  PhaseOp::attachInterface<PhaseOnChip>(*context);
  SignalOp::attachInterface<SignalOnChip>(*context);
  AwaitOp::attachInterface<AwaitOnChip>(*context);
}
