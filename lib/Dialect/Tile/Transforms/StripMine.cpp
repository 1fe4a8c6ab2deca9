// Computes long rows in strips of columns, as a StripPlan says (tile stage).
#include "attn/Dialect/Tile/Transforms/StripMine.h"
#include "attn/Dialect/Tile/Analysis/Reduction.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// One strip that is being computed: its columns, and what has been computed of it.
struct Strip {
  Strip(Value offset, int64_t columns, Strip *outer = nullptr)
      : offset(offset), columns(columns), outer(outer) {}

  Value offset;
  int64_t columns;
  Strip *outer;                // the strip around a loop that was moved into it
  IRMapping narrow;            // of values inside such a loop
  DenseMap<Value, Value> rows; // row to its strip

  Value lookup(Value row) const {
    if (Value found = rows.lookup(row))
      return found;
    return outer ? outer->lookup(row) : Value();
  }
};

class StripMiner {
public:
  StripMiner(func::FuncOp kernel, const StripPlan &plan, int64_t columns, int64_t stages)
      : kernel(kernel), plan(plan), columns(columns), stages(stages), builder(kernel.getContext()) {
  }

  void run() {
    SmallVector<Operation *> replaced = findReplaced();
    Block &body = kernel.getBody().front();
    mineBlock(body);
    SmallVector<Operation *> emptiedLoops = dropSpilled();
    for (Operation *op : replaced)
      op->dropAllUses();
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    for (Operation *loop : llvm::reverse(emptiedLoops))
      loop->erase();
  }

private:
  TileType stripType(TileType row, int64_t cols) {
    return TileType::get(row.getContext(), row.getRows(), getDim(row.getContext(), cols),
                         row.getElementType());
  }
  Value makeIndex(int64_t number, Location loc) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }

  SmallVector<Operation *> findReplaced();
  SmallVector<Operation *> dropSpilled();
  void mineBlock(Block &block);
  void mineBefore(Operation *op);
  void mineRoots(ArrayRef<StripRoot> roots, int64_t sweep);
  void emitRoot(const StripRoot &root, Strip &strip, Value &carried);
  void emitLoop(Location loc, int64_t count, SmallVectorImpl<Value> &carried,
                function_ref<void(Value, int64_t)> emitStrip);
  Value makeNeutral(ReduceOp op);
  BlockArgument getReplacedRow(const StripRoot &root, int64_t sweep);

  Value materialize(Value row, Strip &strip);
  Value materializeOp(Operation *op, Value row, Strip &strip);
  Value materializeLoop(RangeOp loop, Value row, Strip &strip);
  SmallVector<Value> getOperands(Operation *op, Strip &strip);
  void sliceColumns(ArrayRef<int64_t> kinds, SmallVectorImpl<Value> &indices,
                    SmallVectorImpl<int64_t> &newKinds, const Strip &strip, Location loc);
  Value loadStrip(LoadOp load, Strip &strip);
  Value makeRampStrip(Value row, const Strip &strip);
  void storeStrip(StoreOp store, Strip &strip);

  Value getSpillArray(BlockArgument carried);

  func::FuncOp kernel;
  const StripPlan &plan;
  int64_t columns, stages;
  OpBuilder builder;
  DenseMap<Value, Value> wholes;      // kept rows, as they are at this point
  DenseMap<Value, Value> spillArrays; // carried rows, and the loops' results
  DenseMap<Type, Value> ramps;        // of strips, by their type
  Value blockId;
};

} // namespace

//===----------------------------------------------------------------------===//
// Strips of single values
//===----------------------------------------------------------------------===//

Value StripMiner::materialize(Value row, Strip &strip) {
  if (!plan.isWide(row)) {
    for (Strip *scope = &strip; scope; scope = scope->outer)
      if (Value mapped = scope->narrow.lookupOrNull(row))
        return mapped;
    return row;
  }
  if (Value found = strip.lookup(row))
    return found;
  auto type = stripType(cast<TileType>(row.getType()), strip.columns);
  Operation *op = row.getDefiningOp();
  Value made;
  if (Value whole = wholes.lookup(row); whole && !isa_and_present<SplatOp>(op)) {
    Value zero = makeIndex(0, row.getLoc());
    made = ExtractOp::create(builder, row.getLoc(), type, whole, zero, strip.offset);
  } else if (Value array = spillArrays.lookup(row)) {
    int64_t kinds[] = {ScalarIndex, strip.columns};
    made = LoadOp::create(builder, row.getLoc(), type, array, ValueRange{blockId, strip.offset},
                          builder.getDenseI64ArrayAttr(kinds));
  } else {
    made = materializeOp(op, row, strip);
  }
  strip.rows[row] = made;
  return made;
}

Value StripMiner::materializeOp(Operation *op, Value row, Strip &strip) {
  if (auto loop = dyn_cast<RangeOp>(op))
    return materializeLoop(loop, row, strip);
  if (auto load = dyn_cast<LoadOp>(op))
    return loadStrip(load, strip);
  if (isa<RampOp>(op))
    return makeRampStrip(row, strip);
  SmallVector<Value> operands = getOperands(op, strip);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(stripType(cast<TileType>(row.getType()), strip.columns));
  return copy->getResult(0);
}

SmallVector<Value> StripMiner::getOperands(Operation *op, Strip &strip) {
  return llvm::map_to_vector(op->getOperands(),
                             [&](Value operand) { return materialize(operand, strip); });
}

/// The loop inside the strip: it carries strips, and what is not wide is computed once per strip.
Value StripMiner::materializeLoop(RangeOp loop, Value row, Strip &strip) {
  SmallVector<Value> inits;
  for (Value init : loop.getInits())
    inits.push_back(materialize(init, strip));
  for (Value captured : getCaptured(loop))
    materialize(captured, strip);
  auto inner =
      RangeOp::create(builder, loop.getLoc(), TypeRange(ValueRange(inits)),
                      materialize(loop.getLower(), strip), materialize(loop.getUpper(), strip),
                      inits, loop.getBlockAttr(), loop.getStagesAttr(), loop.getParallelAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&inner.getBody());
  Strip nested(strip.offset, strip.columns, &strip);
  Value index = loop.getInductionVar();
  nested.narrow.map(index, body->addArgument(index.getType(), index.getLoc()));
  for (auto [argument, init] : llvm::zip_equal(loop.getCarried(), inits))
    nested.rows[argument] = body->addArgument(init.getType(), argument.getLoc());
  for (Operation &op : loop.getBody().front().without_terminator()) {
    if (plan.isOnDemand(&op))
      continue;
    SmallVector<Value> operands = getOperands(&op, nested);
    Operation *copy = builder.clone(op);
    copy->setOperands(operands);
    for (auto [old, made] : llvm::zip_equal(op.getResults(), copy->getResults()))
      nested.narrow.map(old, made);
  }
  SmallVector<Value> next;
  for (Value value : loop.getYield().getValues())
    next.push_back(materialize(value, nested));
  YieldOp::create(builder, loop.getYield().getLoc(), next);
  for (auto [old, made] : llvm::zip_equal(loop.getResults(), inner.getResults()))
    strip.rows[old] = made;
  return strip.rows[row];
}

/// Takes the strip's columns where the whole row was taken.
void StripMiner::sliceColumns(ArrayRef<int64_t> kinds, SmallVectorImpl<Value> &indices,
                              SmallVectorImpl<int64_t> &newKinds, const Strip &strip,
                              Location loc) {
  int64_t dimension = getSelection(kinds).colDimension;
  auto operand = indices.begin();
  for (int64_t current = 0; current < dimension; ++current)
    operand += kinds[current] != FullIndex;
  newKinds.assign(kinds.begin(), kinds.end());
  newKinds[dimension] = strip.columns;
  if (kinds[dimension] == FullIndex)
    indices.insert(operand, strip.offset);
  else
    *operand = arith::AddIOp::create(builder, loc, *operand, strip.offset);
}

/// The numbers of the strip's columns: where it starts, and a ramp that all strips have in common.
Value StripMiner::makeRampStrip(Value row, const Strip &strip) {
  Location loc = row.getLoc();
  TileType type = stripType(cast<TileType>(row.getType()), strip.columns);
  IntegerAttr one = getDim(type.getContext(), 1);
  Value &ramp = ramps[type];
  if (!ramp) {
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front());
    ramp = RampOp::create(entry, loc, type);
  }
  Value start = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), strip.offset);
  start = arith::SIToFPOp::create(builder, loc, builder.getF32Type(), start);
  Value first = SplatOp::create(
      builder, loc, TileType::get(type.getContext(), one, one, type.getElementType()), start);
  return AddOp::create(builder, loc, type, ramp, first);
}

Value StripMiner::loadStrip(LoadOp load, Strip &strip) {
  SmallVector<Value> indices = llvm::map_to_vector(
      load.getIndices(), [&](Value index) { return materialize(index, strip); });
  SmallVector<int64_t> kinds;
  sliceColumns(load.getKinds(), indices, kinds, strip, load.getLoc());
  return LoadOp::create(builder, load.getLoc(),
                        stripType(load.getResult().getType(), strip.columns), load.getArray(),
                        indices, builder.getDenseI64ArrayAttr(kinds));
}

void StripMiner::storeStrip(StoreOp store, Strip &strip) {
  Value value = materialize(store.getValue(), strip);
  SmallVector<Value> indices(store.getIndices());
  SmallVector<int64_t> kinds;
  sliceColumns(store.getKinds(), indices, kinds, strip, store.getLoc());
  StoreOp::create(builder, store.getLoc(), value, store.getArray(), indices,
                  builder.getDenseI64ArrayAttr(kinds));
}

//===----------------------------------------------------------------------===//
// Spilled rows
//===----------------------------------------------------------------------===//

/// The workspace of a spilled row, one per block: a new argument of the kernel.
Value StripMiner::getSpillArray(BlockArgument carried) {
  if (Value made = spillArrays.lookup(carried))
    return made;
  MLIRContext *context = kernel.getContext();
  auto row = cast<TileType>(carried.getType());
  auto type =
      ArrayType::get(context, {ShapedType::kDynamic, plan.getWidth()}, row.getElementType());
  Attribute dims[] = {StringAttr::get(context, launch::blocksDim),
                      getDim(context, plan.getWidth())};
  NamedAttribute attributes[] = {{launch::dimsName, ArrayAttr::get(context, dims)},
                                 {launch::workspaceName, UnitAttr::get(context)}};
  unsigned number = kernel.getNumArguments();
  (void)kernel.insertArgument(number, type, DictionaryAttr::get(context, attributes),
                              carried.getLoc());
  if (!blockId) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    blockId = BlockIdOp::create(builder, kernel.getLoc(), builder.getIndexType());
  }
  auto loop = cast<RangeOp>(carried.getOwner()->getParentOp());
  Value array = kernel.getArgument(number);
  spillArrays[loop.getResult(carried.getArgNumber() - 1)] = array;
  return spillArrays[carried] = array;
}

/// Takes spilled rows out of the loops that carried them; gives the loops that were replaced.
SmallVector<Operation *> StripMiner::dropSpilled() {
  llvm::SetVector<Operation *> loops;
  for (auto [row, array] : spillArrays)
    if (auto carried = dyn_cast<BlockArgument>(row))
      loops.insert(carried.getOwner()->getParentOp());
  SmallVector<Operation *> emptied;
  for (Operation *op : loops) {
    auto loop = cast<RangeOp>(op);
    CarriedReplacements dropped(loop.getInits().size());
    for (auto [carried, replacement] : llvm::zip_equal(loop.getCarried(), dropped))
      if (spillArrays.contains(carried))
        replacement.emplace();
    rebuildYield(rebuildLoop(loop, dropped), dropped);
    emptied.push_back(loop);
  }
  return emptied;
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// What a reduction over no columns gives.
Value StripMiner::makeNeutral(ReduceOp op) {
  Value value = arith::ConstantOp::create(builder, op.getLoc(),
                                          builder.getF32FloatAttr(getNeutral(op.getKind())));
  return SplatOp::create(builder, op.getLoc(), op.getResult().getType(), value);
}

static Value combine(OpBuilder &builder, ReduceOp op, Value a, Value b) {
  Type type = op.getResult().getType();
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return AddOp::create(builder, op.getLoc(), type, a, b);
  case ReduceKind::Max:
    return MaximumOp::create(builder, op.getLoc(), type, a, b);
  case ReduceKind::Min:
    return MinimumOp::create(builder, op.getLoc(), type, a, b);
  }
  llvm_unreachable("all kinds can be combined");
}

/// The carried row whose place a kept row takes: the next value of that row, which nothing reads
/// later.
BlockArgument StripMiner::getReplacedRow(const StripRoot &root, int64_t sweep) {
  if (root.kind != StripRoot::Keep)
    return {};
  for (OpOperand &use : root.value.getUses()) {
    auto yield = dyn_cast<YieldOp>(use.getOwner());
    auto loop = yield ? dyn_cast<RangeOp>(yield->getParentOp()) : RangeOp();
    if (!loop || yield->getBlock() != root.op->getBlock() || plan.isOnDemand(loop))
      continue;
    BlockArgument carried = loop.getCarried()[use.getOperandNumber()];
    bool isYielded = llvm::is_contained(yield.getValues(), carried);
    if (plan.isKept(carried) && plan.getLastRead(carried) <= sweep && !isYielded)
      return carried;
  }
  return {};
}

/// Computes what one strip adds to a root; `carried` is what the strips before have made of it.
void StripMiner::emitRoot(const StripRoot &root, Strip &strip, Value &carried) {
  Location loc = root.op->getLoc();
  if (root.kind == StripRoot::Store)
    return storeStrip(cast<StoreOp>(root.op), strip);
  Value value = materialize(root.value, strip);
  if (auto reduce = dyn_cast<ReduceOp>(root.op); reduce && root.kind == StripRoot::Reduce) {
    Value part =
        ReduceOp::create(builder, loc, reduce.getResult().getType(), reduce.getKind(), value,
                         /*axis=*/1);
    carried = carried ? combine(builder, reduce, carried, part) : part;
  } else if (root.kind == StripRoot::Keep) {
    carried = InsertOp::create(builder, root.value.getLoc(), carried.getType(), value, carried,
                               makeIndex(0, loc), strip.offset);
  } else {
    int64_t kinds[] = {ScalarIndex, strip.columns};
    StoreOp::create(builder, loc, value, getSpillArray(root.carried),
                    ValueRange{blockId, strip.offset}, builder.getDenseI64ArrayAttr(kinds));
  }
}

void StripMiner::mineRoots(ArrayRef<StripRoot> given, int64_t sweep) {
  // What overwrites a row comes after what still reads it.
  auto overwrites = [](const StripRoot &root) {
    return root.kind == StripRoot::Keep || root.kind == StripRoot::Spill;
  };
  SmallVector<StripRoot> roots;
  llvm::copy_if(given, std::back_inserter(roots), std::not_fn(overwrites));
  llvm::copy_if(given, std::back_inserter(roots), overwrites);
  Location loc = roots.front().op->getLoc();
  int64_t full = plan.getWidth() / columns, tail = plan.getWidth() % columns;
  if (tail == 1 && full > 0) { // a single column would be no row
    full -= 1;
    tail += columns;
  }
  SmallVector<Value> carried(roots.size());
  SmallVector<BlockArgument> replaced;
  for (auto [root, value] : llvm::zip_equal(roots, carried)) {
    replaced.push_back(getReplacedRow(root, sweep));
    if (root.kind == StripRoot::Keep)
      value = replaced.back()
                  ? wholes.lookup(replaced.back())
                  : UndefinedOp::create(builder, root.value.getLoc(), root.value.getType());
    else if (root.kind == StripRoot::Reduce && full > 0)
      value = makeNeutral(cast<ReduceOp>(root.op));
  }
  auto emitStrip = [&](Value offset, int64_t cols) {
    Strip strip(offset, cols);
    for (auto [row, value] : llvm::zip_equal(replaced, carried))
      if (row)
        wholes[row] = value;
    for (auto [root, value] : llvm::zip_equal(roots, carried))
      emitRoot(root, strip, value);
  };
  if (full > 0)
    emitLoop(loc, full, carried, emitStrip);
  if (tail != 0)
    emitStrip(makeIndex(full * columns, loc), tail);
  for (auto [root, value] : llvm::zip_equal(roots, carried)) {
    if (root.kind == StripRoot::Reduce)
      root.op->getResult(0).replaceAllUsesWith(value);
    if (root.kind == StripRoot::Keep)
      wholes[root.value] = value;
  }
}

/// A loop over `count` whole strips; `carried` are its initial values and then its results.
void StripMiner::emitLoop(Location loc, int64_t count, SmallVectorImpl<Value> &carried,
                          function_ref<void(Value, int64_t)> emitStrip) {
  SmallVector<Value> inits;
  llvm::copy_if(carried, std::back_inserter(inits), [](Value value) { return value != nullptr; });
  auto loop = RangeOp::create(builder, loc, TypeRange(ValueRange(inits)), makeIndex(0, loc),
                              makeIndex(count, loc), inits, Attribute(),
                              builder.getI64IntegerAttr(stages), UnitAttr());
  auto assign = [&](auto values) {
    auto next = values.begin();
    for (Value &value : carried)
      if (value)
        value = *next++;
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&loop.getBody());
    Value number = body->addArgument(builder.getIndexType(), loc);
    for (Value init : inits)
      body->addArgument(init.getType(), init.getLoc());
    assign(loop.getCarried());
    Value offset = arith::MulIOp::create(builder, loc, number, makeIndex(columns, loc));
    emitStrip(offset, columns);
    SmallVector<Value> next;
    llvm::copy_if(carried, std::back_inserter(next), [](Value value) { return value != nullptr; });
    YieldOp::create(builder, loc, next);
  }
  assign(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The ops that strips take the place of.
SmallVector<Operation *> StripMiner::findReplaced() {
  SmallVector<Operation *> replaced;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isWholeRow = isWholeRowOp(op) && plan.isKept(op->getResult(0));
    auto reduce = dyn_cast<ReduceOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if ((plan.isOnDemand(op) && !isWholeRow) || (reduce && plan.isWide(reduce.getInput())) ||
        (store && plan.isWide(store.getValue())))
      replaced.push_back(op);
    return plan.isOnDemand(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return replaced;
}

/// Puts an op that is not computed in strips to its new place.
void StripMiner::mineBefore(Operation *op) {
  op->moveBefore(op->getBlock()->getTerminator());
  if (isWholeRowOp(op) && plan.isWide(op->getResult(0)))
    wholes[op->getResult(0)] = op->getResult(0);
  if (auto loop = dyn_cast<RangeOp>(op))
    for (auto [number, carried] : llvm::enumerate(loop.getCarried()))
      if (plan.isKept(carried)) {
        loop.getInitsMutable()[number].set(wholes.lookup(loop.getInits()[number]));
        wholes[carried] = carried;
        wholes[loop.getResult(number)] = loop.getResult(number);
      }
  if (isa<RangeOp, GridOp>(op))
    mineBlock(op->getRegion(0).front());
}

void StripMiner::mineBlock(Block &block) {
  for (auto [number, sweep] : llvm::enumerate(plan.getSweeps(block))) {
    for (Operation *op : sweep.before)
      mineBefore(op);
    builder.setInsertionPoint(block.getTerminator());
    if (!sweep.roots.empty())
      mineRoots(sweep.roots, number);
  }
  auto loop = dyn_cast<RangeOp>(block.getParentOp());
  if (!loop)
    return;
  for (OpOperand &next : loop.getYield()->getOpOperands())
    if (plan.isKept(loop.getCarried()[next.getOperandNumber()]))
      next.set(wholes.lookup(next.get()));
}

void tile::stripMine(func::FuncOp kernel, const StripPlan &plan, int64_t columns, int64_t stages) {
  StripMiner(kernel, plan, columns, stages).run();
}
