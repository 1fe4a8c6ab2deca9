// Writes the exchange of tiles between cube and vector cores into a kernel (tile on the chip).
#include "attn/TileOnChip/Transforms/Exchange.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace attn;
using namespace attn::onchip;
using namespace attn::tile;

void onchip::detachAccumulators(func::FuncOp kernel) {
  // A product that goes on from another one may have become a start or no longer be one.
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    CoreAssignment assignment(kernel);
    kernel.walk([&](DotOp dot) {
      if (hasChanged || !dot.getAcc() || assignment.isStart(dot.getAcc()))
        return;
      OpBuilder builder(dot);
      builder.setInsertionPointAfter(dot);
      Value start = dot.getAcc();
      dot.getAccMutable().clear();
      auto sum = AddOp::create(builder, dot.getLoc(), dot.getType(), start, dot.getResult());
      dot.getResult().replaceAllUsesExcept(sum.getResult(), sum);
      hasChanged = true;
    });
  }
}

namespace {

/// Writes one channel after the other.
class ExchangeWriter {
public:
  ExchangeWriter(func::FuncOp kernel, const CoreAssignment &assignment, const ExchangePlan &plan)
      : kernel(kernel), assignment(assignment), plan(plan), limits(kernel),
        builder(kernel.getLoc(), kernel.getContext()) {}

  void run();

private:
  void write(const Channel &channel);
  Value addRing(const Channel &channel);
  Value makeSlot(const Channel &channel);
  Value countOf(Value span);
  void addPlace(const Channel &channel, Value ring, SmallVectorImpl<Value> &indices,
                SmallVectorImpl<int64_t> &kinds);
  void addLimit(ArrayRef<Value> spans, int64_t size, SmallVectorImpl<Value> &indices,
                SmallVectorImpl<int64_t> &kinds);
  bool isTaken(OpOperand &use, const Channel &channel) const;
  void setLevel(Operation *op, const ExchangeBlock &in, int64_t level) {
    if (!in.levels.empty())
      op->setAttr(levelName, builder.getI64IntegerAttr(level));
  }
  void signal(CoreKind core, int64_t flag, const ExchangeBlock &in, int64_t level,
              bool loads = false) {
    auto op = SignalOp::create(builder, flag, loads);
    op->setAttr(coreName, builder.getStringAttr(getCoreName(core)));
    setLevel(op, in, level);
  }
  void await(CoreKind core, int64_t flag, const ExchangeBlock &in, int64_t level) {
    auto op = AwaitOp::create(builder, flag);
    op->setAttr(coreName, builder.getStringAttr(getCoreName(core)));
    setLevel(op, in, level);
  }
  void moveFills(const Channel &channel, LoadOp load, Value columns);
  void writeFlagsOfLevels(size_t number);
  void writeCredits(const Channel &channel);
  void order(const ExchangeBlock &in);
  void settleLoops();

  func::FuncOp kernel;
  const CoreAssignment &assignment;
  const ExchangePlan &plan;
  RowLimits limits;
  ImplicitLocOpBuilder builder;
};

} // namespace

static CoreKind getOther(CoreKind core) {
  return core == CoreKind::Cube ? CoreKind::Vector : CoreKind::Cube;
}

/// A workspace of the group with the slots of a channel.
Value ExchangeWriter::addRing(const Channel &channel) {
  auto type = cast<TileType>(channel.tile.getType());
  int64_t shape[] = {ShapedType::kDynamic, channel.slots, type.getRowCount(), type.getColCount()};
  Attribute dims[] = {builder.getStringAttr(launch::groupsDim), getDim(type.getContext(), shape[1]),
                      getDim(type.getContext(), shape[2]), getDim(type.getContext(), shape[3])};
  NamedAttribute attributes[] = {
      builder.getNamedAttr(launch::dimsName, builder.getArrayAttr(dims)),
      builder.getNamedAttr(launch::workspaceName, builder.getUnitAttr())};
  unsigned number = kernel.getNumArguments();
  std::string name = getSourceName(channel.tile) + "_exchange";
  llvm::replace(name, '.', '_');
  (void)kernel.insertArgument(number,
                              ArrayType::get(type.getContext(), shape, type.getElementType()),
                              builder.getDictionaryAttr(attributes),
                              NameLoc::get(builder.getStringAttr(name), channel.tile.getLoc()));
  return kernel.getArgument(number);
}

/// Which slot this iteration of the loop around uses.
Value ExchangeWriter::makeSlot(const Channel &channel) {
  RangeOp loop = plan.getBlocks()[channel.block].loop;
  if (channel.slots == 1 || !loop)
    return arith::ConstantIndexOp::create(builder, 0);
  Value index = loop.getInductionVar();
  if (loop.getBlock())
    index = SpanBaseOp::create(builder, builder.getIndexType(), index);
  index = arith::SubIOp::create(builder, index, loop.getLower());
  if (auto step = loop.getBlock() ? dyn_cast<IntegerAttr>(*loop.getBlock()) : IntegerAttr())
    index = arith::DivUIOp::create(builder, index,
                                   arith::ConstantIndexOp::create(builder, step.getInt()));
  auto turn = arith::RemUIOp::create(builder, index,
                                     arith::ConstantIndexOp::create(builder, channel.slots));
  turn->setAttr(turnName, builder.getUnitAttr());
  return turn;
}

/// How many indices a span has, or more, or none below: as a limit that begins at 0.
Value ExchangeWriter::countOf(Value span) {
  if (auto make = span.getDefiningOp<MakeSpanOp>())
    return arith::SubIOp::create(builder, make.getLimit(), make.getBase());
  auto loop = cast<RangeOp>(cast<BlockArgument>(span).getOwner()->getParentOp());
  Value base = SpanBaseOp::create(builder, builder.getIndexType(), span);
  return arith::SubIOp::create(builder, loop.getUpper(), base);
}

/// All of a dimension of a ring, or what the spans that limit it have.
void ExchangeWriter::addLimit(ArrayRef<Value> spans, int64_t size, SmallVectorImpl<Value> &indices,
                              SmallVectorImpl<int64_t> &kinds) {
  if (spans.empty()) {
    kinds.push_back(FullIndex);
    return;
  }
  Value count;
  bool hasAny = true;
  for (Value span : spans) {
    Value other = countOf(span);
    count = count ? Value(arith::MinSIOp::create(builder, count, other)) : other;
    auto make = span.getDefiningOp<MakeSpanOp>();
    hasAny &= !make || make.getNonempty();
  }
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  auto type = SpanType::get(builder.getContext(), getDim(builder.getContext(), size));
  indices.push_back(MakeSpanOp::create(builder, type, zero, count, hasAny));
  kinds.push_back(SpanIndex);
}

/// Where the tile of this iteration lies in its ring.
void ExchangeWriter::addPlace(const Channel &channel, Value ring, SmallVectorImpl<Value> &indices,
                              SmallVectorImpl<int64_t> &kinds) {
  auto type = cast<TileType>(channel.tile.getType());
  indices.push_back(BlockIdOp::create(builder, builder.getIndexType()));
  indices.push_back(makeSlot(channel));
  kinds.append({ScalarIndex, ScalarIndex});
  addLimit(limits.getSpans(channel.tile), type.getRowCount(), indices, kinds);
  addLimit(limits.getColumnSpans(channel.tile), type.getColCount(), indices, kinds);
}

bool ExchangeWriter::isTaken(OpOperand &use, const Channel &channel) const {
  if (auto carried = getCarriedPosition(use))
    return assignment.getCore(Value(carried->first.getCarried()[carried->second])) == channel.to;
  return assignment.getCore(use.getOwner()) == channel.to;
}

void ExchangeWriter::write(const Channel &channel) {
  const ExchangeBlock &in = plan.getBlocks()[channel.block];
  CoreKind from = getOther(channel.to);
  SmallVector<OpOperand *> taken;
  for (OpOperand &use : channel.tile.getUses())
    if (isTaken(use, channel))
      taken.push_back(&use);
  Value ring = addRing(channel);
  bool isOrdered = in.levels.empty();

  builder.setLoc(channel.tile.getLoc());
  builder.setInsertionPointAfterValue(channel.tile);
  SmallVector<Value> indices;
  SmallVector<int64_t> kinds;
  addPlace(channel, ring, indices, kinds);
  if (isOrdered && channel.freeFlag >= 0)
    await(from, channel.freeFlag, in, 0);
  auto store =
      StoreOp::create(builder, channel.tile, ring, indices, builder.getDenseI64ArrayAttr(kinds));
  store->setAttr(exchangedName, builder.getUnitAttr());
  setLevel(store, in, channel.madeAt);
  if (isOrdered)
    signal(from, channel.fullFlag, in, 0);

  builder.setInsertionPoint(channel.taker);
  indices.clear();
  kinds.clear();
  addPlace(channel, ring, indices, kinds);
  if (isOrdered)
    await(channel.to, channel.fullFlag, in, 0);
  auto load = LoadOp::create(builder, channel.tile.getType(), ring, indices,
                             builder.getDenseI64ArrayAttr(kinds));
  load->setAttr(exchangedName, builder.getUnitAttr());
  setLevel(load, in, channel.takenAt);
  if (isOrdered && channel.freeFlag >= 0)
    signal(channel.to, channel.freeFlag, in, 0, /*loads=*/true);
  for (OpOperand *use : taken)
    use->set(load.getResult());
  if (kinds.back() == SpanIndex)
    moveFills(channel, load, indices.back());
  if (channel.freeFlag >= 0)
    writeCredits(channel);
}

/// Columns that a tile lacks are filled by the span that it lacks them by, which is now that of its
/// ring: as many are missing.
void ExchangeWriter::moveFills(const Channel &channel, LoadOp load, Value columns) {
  ArrayRef<Value> spans = limits.getColumnSpans(channel.tile);
  kernel.walk([&](FillColumnsOp fill) {
    Operation *in = load->getBlock()->findAncestorOpInBlock(*fill);
    if (llvm::is_contained(spans, fill.getSpan()) && in && load->isBeforeInBlock(in))
      fill.getSpanMutable().assign(columns);
  });
}

/// Before a loop all slots are free; after it, nothing may be left of that.
void ExchangeWriter::writeCredits(const Channel &channel) {
  const ExchangeBlock &in = plan.getBlocks()[channel.block];
  ExchangeBlock outside;
  builder.setInsertionPoint(in.loop);
  for (int64_t slot = 0; slot < channel.slots; ++slot)
    signal(channel.to, channel.freeFlag, outside, 0, /*loads=*/true);
  builder.setInsertionPointAfter(in.loop);
  for (int64_t slot = 0; slot < channel.slots; ++slot)
    await(getOther(channel.to), channel.freeFlag, outside, 0);
}

/// A level waits before its first op and signals after its last.
void ExchangeWriter::writeFlagsOfLevels(size_t number) {
  const ExchangeBlock &in = plan.getBlocks()[number];
  if (in.levels.empty())
    return;
  builder.setInsertionPoint(in.block->getTerminator());
  DenseMap<int64_t, int64_t> takenAt; // by flag
  for (const Channel &channel : plan.getChannels()) {
    if (channel.block != number)
      continue;
    builder.setLoc(channel.tile.getLoc());
    auto [entry, isNew] = takenAt.try_emplace(channel.fullFlag, channel.takenAt);
    entry->second = std::min(entry->second, channel.takenAt);
    if (isNew)
      signal(getOther(channel.to), channel.fullFlag, in, channel.madeAt);
    if (channel.freeFlag < 0)
      continue;
    await(getOther(channel.to), channel.freeFlag, in, channel.madeAt);
    signal(channel.to, channel.freeFlag, in, channel.takenAt, /*loads=*/true);
  }
  for (const Channel &channel : plan.getChannels())
    if (auto entry = takenAt.find(channel.fullFlag);
        channel.block == number && entry != takenAt.end()) {
      builder.setLoc(channel.tile.getLoc());
      await(channel.to, channel.fullFlag, in, entry->second);
      takenAt.erase(entry);
    }
}

/// Puts the ops of a block into the order of their levels. In a level come first the loads that
/// wait for nothing, then what it waits for, then its work, and last its signals.
void ExchangeWriter::order(const ExchangeBlock &in) {
  if (in.levels.empty())
    return;
  for (auto &[op, level] : in.levels)
    setLevel(op, in, level);
  // What any core can do goes where it is first needed.
  for (Operation &op : llvm::reverse(in.block->without_terminator())) {
    if (op.hasAttr(levelName) || !llvm::any_of(op.getResultTypes(), llvm::IsaPred<TileType>))
      continue;
    std::optional<int64_t> first;
    for (Operation *user : op.getUsers()) {
      Operation *inBlock = in.block->findAncestorOpInBlock(*user);
      auto level = inBlock ? inBlock->getAttrOfType<IntegerAttr>(levelName) : IntegerAttr();
      if (level)
        first = std::min(first.value_or(level.getInt()), level.getInt());
    }
    if (first)
      setLevel(&op, in, *first);
  }
  auto getKey = [&](Operation *op) -> std::pair<int64_t, int> {
    auto level = op->getAttrOfType<IntegerAttr>(levelName);
    if (!level)
      return {std::numeric_limits<int64_t>::min(), 0};
    bool isSource = !in.levels.contains(op) && !op->hasAttr(exchangedName);
    int rank = isa<AwaitOp>(op) ? 1 : isa<SignalOp>(op) ? 3 : isSource ? 0 : 2;
    return {level.getInt(), rank};
  };
  SmallVector<Operation *> ops;
  for (Operation &op : in.block->without_terminator())
    ops.push_back(&op);
  llvm::stable_sort(ops, [&](Operation *a, Operation *b) { return getKey(a) < getKey(b); });
  for (Operation *op : ops)
    op->moveBefore(in.block->getTerminator());
}

/// Loops that follow each other, such as those that a mask has split one into, may each not run,
/// and which of them do changes from tile to tile. Rather than by flags for all of these cases,
/// they are kept apart by a rest between them.
void ExchangeWriter::settleLoops() {
  DenseMap<Block *, SmallVector<RangeOp>> loops;
  for (const ExchangeBlock &in : plan.getBlocks())
    if (RangeOp loop = in.loop; loop && in.block == &loop.getBody().front())
      loops[loop->getBlock()].push_back(loop);
  for (auto &[block, inBlock] : loops)
    for (RangeOp loop : inBlock)
      if (inBlock.size() > 1)
        loop->setAttr(settledName, builder.getUnitAttr());
}

void ExchangeWriter::run() {
  for (const Channel &channel : plan.getChannels())
    write(channel);
  settleLoops();
  for (auto [number, in] : llvm::enumerate(plan.getBlocks())) {
    writeFlagsOfLevels(number);
    order(in);
    if (RangeOp loop = in.loop; !in.levels.empty() && loop && in.preload > 0) {
      loop->setAttr(preloadName, builder.getI64IntegerAttr(in.preload));
      loop->setAttr(lagName, builder.getI64IntegerAttr(in.lag));
    }
  }
}

LogicalResult onchip::insertExchange(func::FuncOp kernel, const tile::GroupChoice &choice) {
  detachAccumulators(kernel);
  CoreAssignment assignment(kernel);
  FailureOr<ExchangePlan> plan = ExchangePlan::create(kernel, assignment, choice);
  if (failed(plan))
    return failure();
  ExchangeWriter(kernel, assignment, *plan).run();
  return success();
}
