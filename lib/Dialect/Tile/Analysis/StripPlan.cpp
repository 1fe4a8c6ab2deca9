// How a kernel whose rows are too long for local memory is computed in strips of columns (tile
// stage, analysis).
#include "attn/Dialect/Tile/Analysis/StripPlan.h"
#include "attn/Dialect/Tile/Analysis/Elementwise.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "llvm/Support/DebugLog.h"
#include <set>

#define DEBUG_TYPE "tile-choose"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

bool tile::isWholeRowOp(Operation *op) { return isa<LoadOp, RampOp, SplatOp, UndefinedOp>(op); }

llvm::SetVector<Value> tile::getCaptured(Operation *op) {
  llvm::SetVector<Value> captured;
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    for (Value operand : inner->getOperands()) {
      Operation *owner = operand.getDefiningOp();
      if (!owner)
        owner = cast<BlockArgument>(operand).getOwner()->getParentOp();
      // A block argument of `op` itself belongs to it; its results and operands do not.
      if (!op->isAncestor(owner))
        captured.insert(operand);
    }
  });
  return captured;
}

bool StripPlan::isWide(Value value) const {
  auto type = dyn_cast<TileType>(value.getType());
  auto cols = type ? dyn_cast<IntegerAttr>(type.getCols()) : IntegerAttr();
  return cols && cols.getInt() == width;
}

bool StripPlan::isSpilled(BlockArgument carried) const {
  Operation *owner = carried.getOwner()->getParentOp();
  return isa<RangeOp>(owner) && !isOnDemand(owner) && isWide(carried) && !isKept(carried);
}

ArrayRef<StripSweep> StripPlan::getSweeps(Block &block) const {
  auto found = sweeps.find(&block);
  return found == sweeps.end() ? ArrayRef<StripSweep>() : ArrayRef<StripSweep>(found->second);
}

namespace attn::tile {

class StripPlanner {
public:
  StripPlanner(func::FuncOp kernel, StripPlan &plan) : kernel(kernel), plan(plan) {}

  /// Finds the ops computed on demand, and what rules strips out.
  bool classify();
  /// Completes what is kept by what follows from it; all rows carried by loops where `keepCarried`.
  bool decideKept(bool keepCarried);
  bool schedule() { return scheduleBlock(kernel.getBody().front()) && checkReads(); }
  SmallVector<Value> findCandidates();
  StringRef getReason() const { return reason; }

private:
  using Context = std::pair<Block *, int64_t>;
  /// The first sweep in which strips of a value may be used, and the first before which all of it
  /// may.
  struct Ready {
    int64_t inStrips = 0;
    int64_t outside = 0;
  };

  bool refuse(const Twine &why) {
    LDBG() << kernel.getName() << " in strips of " << plan.getWidth() << " columns: " << why;
    reason = why.str();
    return false;
  }
  bool hasWide(Operation *op) const;
  bool canInterchange(RangeOp loop) const;
  bool classifyOp(Operation *op);
  bool checkTransfer(Operation *op, Value array, ArrayRef<int64_t> kinds);

  int64_t getReady(Value value, bool inStrips) const;
  int64_t orderAccesses(Operation *op, int64_t sweep, bool inStrips);
  StripSweep &getSweep(Block &block, int64_t number);
  void addRoot(Block &block, int64_t sweep, StripRoot root);
  bool scheduleBlock(Block &block);
  void scheduleOnDemand(Operation *op);
  bool scheduleLoop(Operation *op);
  void scheduleYield(YieldOp yield);
  void demand(Value value, Context context);
  bool checkReads();
  bool isNeededAgain(Value value) const;

  func::FuncOp kernel;
  StripPlan &plan;
  std::string reason;
  DenseMap<Value, Ready> ready;
  DenseMap<Value, int64_t> nextAccess; // of arrays that are written, in the block being scheduled
  int64_t earliest = 0;                // the sweep after the last tile.phase of that IR block
  llvm::MapVector<Value, std::set<Context>> contexts;
  DenseMap<Value, int64_t> spillSweep;
};

} // namespace attn::tile

//===----------------------------------------------------------------------===//
// Classes of ops
//===----------------------------------------------------------------------===//

bool StripPlanner::hasWide(Operation *op) const {
  auto wide = [&](Value value) { return plan.isWide(value); };
  return llvm::any_of(op->getOperands(), wide) || llvm::any_of(op->getResults(), wide);
}

/// Only rows carried, nothing reduced along a row, nothing written: every strip can run the loop
/// alone.
bool StripPlanner::canInterchange(RangeOp loop) const {
  if (loop.getInits().empty() ||
      !llvm::all_of(loop.getInits(), [&](Value v) { return plan.isWide(v); }))
    return false;
  return llvm::all_of(loop.getBody().front().without_terminator(), [&](Operation &op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    bool alongRow = reduce && reduce.getAxis() == 1 && plan.isWide(reduce.getInput());
    return op.getNumRegions() == 0 && !alongRow && (isa<LoadOp>(op) || isPure(&op));
  });
}

bool StripPlanner::checkTransfer(Operation *op, Value array, ArrayRef<int64_t> kinds) {
  int64_t dimension = getSelection(kinds).colDimension;
  if (dimension < 0 || kinds[dimension] == SpanIndex)
    return refuse("the columns of " + op->getName().getStringRef() +
                  " are not a slice of its array");
  // Strips may be loaded later than the row was: nothing may change it.
  auto mayChange = [&](Operation *user) {
    return isa<StoreOp>(user) && !hasPhaseBetween(user, op, kernel);
  };
  if (isa<LoadOp>(op) && llvm::any_of(array.getUsers(), mayChange))
    return refuse("an array is both read in whole rows and written");
  return true;
}

bool StripPlanner::classifyOp(Operation *op) {
  if (auto loop = dyn_cast<RangeOp>(op)) {
    if (canInterchange(loop))
      plan.onDemand.insert(op);
    return true;
  }
  if (isa<GridOp, YieldOp, func::ReturnOp, func::FuncOp>(op) || !hasWide(op))
    return true;
  if (auto load = dyn_cast<LoadOp>(op);
      load && !checkTransfer(op, load.getArray(), load.getKinds()))
    return false;
  if (auto store = dyn_cast<StoreOp>(op))
    return checkTransfer(op, store.getArray(), store.getKinds());
  auto reduce = dyn_cast<ReduceOp>(op);
  if (reduce && reduce.getAxis() == 1)
    return true;
  if (!isElementwise(op) && !isWholeRowOp(op) && !isa<CastOp, ReduceOp>(op))
    return refuse(op->getName().getStringRef() + " cannot be computed in strips");
  plan.onDemand.insert(op);
  return true;
}

bool StripPlanner::classify() {
  WalkResult result = kernel.walk([&](Operation *op) {
    return classifyOp(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool StripPlanner::decideKept(bool keepCarried) {
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](RangeOp loop) {
    if (plan.isOnDemand(loop))
      return WalkResult::advance();
    for (auto [init, argument, next, output] : llvm::zip_equal(
             loop.getInits(), loop.getCarried(), loop.getYield().getValues(), loop.getResults())) {
      if (!plan.isWide(argument))
        continue;
      if (keepCarried)
        plan.kept.insert(argument);
      if (!plan.isKept(argument)) {
        auto rows = dyn_cast<IntegerAttr>(cast<TileType>(argument.getType()).getRows());
        if (rows && rows.getInt() != 1)
          return refuse("only single rows can be spilled"), WalkResult::interrupt();
        if (isa<BlockArgument>(next) && next != argument)
          return refuse("spilled rows change places"), WalkResult::interrupt();
        continue;
      }
      auto outer = dyn_cast<BlockArgument>(init);
      if (outer && !plan.isKept(outer))
        return refuse("a row is kept inside a loop and spilled outside"), WalkResult::interrupt();
      plan.kept.insert_range(ArrayRef<Value>{init, next, output});
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

int64_t StripPlanner::getReady(Value value, bool inStrips) const {
  Ready found = ready.lookup(value); // 0 for what is defined outside the block
  return inStrips ? found.inStrips : found.outside;
}

/// Keeps the order of accesses to arrays that are both read and written: gives the first sweep,
/// from `sweep` on, in which `op` may run.
int64_t StripPlanner::orderAccesses(Operation *op, int64_t sweep, bool inStrips) {
  sweep = std::max(sweep, earliest);
  SmallVector<Value> arrays;
  op->walk([&](Operation *inner) {
    auto load = dyn_cast<LoadOp>(inner);
    auto store = dyn_cast<StoreOp>(inner);
    if (store || (load && isWritten(load.getArray())))
      arrays.push_back(store ? store.getArray() : load.getArray());
  });
  for (Value array : arrays)
    sweep = std::max(sweep, nextAccess.lookup(array));
  for (Value array : arrays)
    nextAccess[array] = inStrips ? sweep + 1 : sweep;
  return sweep;
}

StripSweep &StripPlanner::getSweep(Block &block, int64_t number) {
  SmallVector<StripSweep> &list = plan.sweeps[&block];
  if (static_cast<int64_t>(list.size()) <= number)
    list.resize(number + 1);
  return list[number];
}

void StripPlanner::addRoot(Block &block, int64_t sweep, StripRoot root) {
  getSweep(block, sweep).roots.push_back(root);
  Context context{&block, sweep};
  // The root's own value is computed here even where it is kept.
  contexts[root.value].insert(context);
  Operation *op = root.value.getDefiningOp();
  if (root.kind != StripRoot::Keep)
    return demand(root.value, context);
  for (Value operand : op->getOperands())
    demand(operand, context);
  for (Value captured : getCaptured(op))
    demand(captured, context);
}

/// Notes that strips of `value` are needed in `context`.
void StripPlanner::demand(Value value, Context context) {
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!plan.isWide(current) || !seen.insert(current).second)
      continue;
    contexts[current].insert(context);
    Operation *op = current.getDefiningOp();
    if (!op || plan.isKept(current) || !plan.isOnDemand(op))
      continue;
    worklist.append(op->operand_begin(), op->operand_end());
    llvm::append_range(worklist, getCaptured(op));
  }
}

void StripPlanner::scheduleOnDemand(Operation *op) {
  int64_t sweep = earliest;
  for (Value operand : op->getOperands())
    sweep = std::max(sweep, getReady(operand, /*inStrips=*/true));
  for (Value captured : getCaptured(op))
    sweep = std::max(sweep, getReady(captured, /*inStrips=*/true));
  if (isa<RangeOp>(op))
    sweep = orderAccesses(op, sweep, /*inStrips=*/true);
  for (Value result : op->getResults()) {
    if (!plan.isKept(result) || isWholeRowOp(op)) {
      ready[result] = {sweep, sweep};
      continue;
    }
    addRoot(*op->getBlock(), sweep, {StripRoot::Keep, op, result, {}});
    ready[result] = {sweep, sweep + 1};
  }
  if (isWholeRowOp(op) && plan.isKept(op->getResult(0)))
    getSweep(*op->getBlock(), sweep).before.push_back(op);
}

bool StripPlanner::scheduleLoop(Operation *op) {
  Block &block = *op->getBlock();
  int64_t sweep = 0;
  auto range = dyn_cast<RangeOp>(op);
  for (OpOperand &use : op->getOpOperands()) {
    bool isInit = range && use.getOperandNumber() >= 2;
    BlockArgument carried =
        isInit ? range.getCarried()[use.getOperandNumber() - 2] : BlockArgument();
    if (!isInit || !plan.isSpilled(carried)) {
      sweep = std::max(sweep, getReady(use.get(), /*inStrips=*/false));
      continue;
    }
    int64_t written = getReady(use.get(), /*inStrips=*/true);
    addRoot(block, written, {StripRoot::Spill, op, use.get(), carried});
    sweep = std::max(sweep, written + 1);
  }
  for (Value captured : getCaptured(op))
    sweep = std::max(sweep, getReady(captured, plan.isWide(captured) && !plan.isKept(captured)));
  sweep = orderAccesses(op, sweep, /*inStrips=*/false);
  getSweep(block, sweep).before.push_back(op);
  for (Value result : op->getResults())
    ready[result] = {sweep, sweep};
  DenseMap<Value, int64_t> outerAccess;
  std::swap(outerAccess, nextAccess);
  int64_t outerEarliest = std::exchange(earliest, 0);
  bool holds = scheduleBlock(op->getRegion(0).front());
  earliest = outerEarliest;
  std::swap(outerAccess, nextAccess);
  return holds;
}

void StripPlanner::scheduleYield(YieldOp yield) {
  auto loop = dyn_cast<RangeOp>(yield->getParentOp());
  if (!loop || plan.isOnDemand(loop))
    return;
  for (auto [number, next] : llvm::enumerate(yield.getValues())) {
    BlockArgument argument = loop.getCarried()[number];
    if (!plan.isSpilled(argument) || next == argument)
      continue;
    int64_t sweep = getReady(next, /*inStrips=*/true);
    spillSweep[argument] = sweep;
    addRoot(*yield->getBlock(), sweep, {StripRoot::Spill, yield, next, argument});
  }
}

bool StripPlanner::scheduleBlock(Block &block) {
  getSweep(block, 0);
  for (Operation &op : block.without_terminator()) {
    if (plan.isOnDemand(&op)) {
      scheduleOnDemand(&op);
      continue;
    }
    if (isa<RangeOp, GridOp>(op)) {
      if (!scheduleLoop(&op))
        return false;
      continue;
    }
    if (isa<PhaseOp>(op)) {
      // After every sweep so far, and before all that follows.
      earliest = plan.sweeps[&block].size();
      getSweep(block, earliest).before.push_back(&op);
      continue;
    }
    if (op.getNumRegions() != 0)
      return refuse(op.getName().getStringRef() + " cannot be computed in strips");
    auto reduce = dyn_cast<ReduceOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    bool inStrips = hasWide(&op);
    int64_t sweep = 0;
    for (Value operand : op.getOperands())
      sweep = std::max(sweep, getReady(operand, inStrips));
    sweep = orderAccesses(&op, sweep, inStrips);
    for (Value result : op.getResults())
      ready[result] = {sweep + inStrips, sweep + inStrips};
    if (!inStrips)
      getSweep(block, sweep).before.push_back(&op);
    else if (reduce)
      addRoot(block, sweep, {StripRoot::Reduce, &op, reduce.getInput(), {}});
    else
      addRoot(block, sweep, {StripRoot::Store, &op, store.getValue(), {}});
  }
  if (auto yield = dyn_cast<YieldOp>(block.getTerminator()))
    scheduleYield(yield);
  return true;
}

/// A spilled row is overwritten in place: nothing may read it in a later sweep.
bool StripPlanner::checkReads() {
  for (auto &[value, places] : contexts) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      continue;
    int64_t last = 0;
    for (auto [block, sweep] : places) {
      // A read inside an inner loop is as late as it can be.
      last = std::max(last, block == argument.getOwner() ? sweep : INT64_MAX);
    }
    plan.lastRead[argument] = last;
    auto spilled = spillSweep.find(argument);
    if (spilled != spillSweep.end() && last > spilled->second)
      return refuse("a spilled row is read after it has been replaced");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static CastOp getWidening(Operation *op) {
  auto cast = dyn_cast_if_present<CastOp>(op);
  if (!cast)
    return {};
  Type from = cast.getInput().getType().getElementType(),
       to = cast.getResult().getType().getElementType();
  return to.isF32() && (from.isF16() || from.isBF16()) ? cast : CastOp();
}

bool StripPlanner::isNeededAgain(Value value) const {
  auto found = contexts.find(value);
  Operation *op = value.getDefiningOp();
  if (found == contexts.end() || !op || !plan.isOnDemand(op) ||
      isa<RampOp, SplatOp, UndefinedOp>(op))
    return false;
  return found->second.size() > 1 || found->second.begin()->first != op->getBlock();
}

SmallVector<Value> StripPlanner::findCandidates() {
  SmallVector<Value> carried, rows;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<RangeOp>(op); loop && !plan.isOnDemand(op))
      llvm::copy_if(loop.getCarried(), std::back_inserter(carried),
                    [&](Value value) { return plan.isWide(value); });
    for (Value value : op->getResults()) {
      // A row is kept in its narrowest type, not as what it is widened to.
      CastOp widening = getWidening(op);
      if (!isNeededAgain(value) || (widening && isNeededAgain(widening.getInput())))
        continue;
      // Where all that is made of it is needed in the same places, that is kept instead.
      bool isInterior = true;
      SmallVector<Operation *> users(value.getUsers());
      while (!users.empty()) {
        Operation *user = users.pop_back_val();
        if (getWidening(user)) {
          llvm::append_range(users, user->getUsers());
          continue;
        }
        Value made = user->getNumResults() == 1 ? user->getResult(0) : Value();
        isInterior &= made && isNeededAgain(made) && contexts[made] == contexts[value];
      }
      if (!isInterior)
        rows.push_back(value);
    }
  });
  // Every further candidate doubles the choices.
  constexpr size_t most = 5;
  llvm::append_range(carried, rows);
  carried.resize(std::min(most, carried.size()));
  return carried;
}

std::optional<SmallVector<Value>> StripPlan::findCandidates(func::FuncOp kernel, int64_t width,
                                                            std::string &reason) {
  // A plan with every carried row kept shows which rows are needed again.
  StripPlan plan;
  plan.width = width;
  StripPlanner planner(kernel, plan);
  if (planner.classify() && planner.decideKept(/*keepCarried=*/true) && planner.schedule())
    return planner.findCandidates();
  reason = planner.getReason();
  return std::nullopt;
}

std::optional<StripPlan> StripPlan::create(func::FuncOp kernel, int64_t width, ArrayRef<bool> keep,
                                           std::string &reason) {
  std::optional<SmallVector<Value>> candidates = findCandidates(kernel, width, reason);
  if (!candidates)
    return std::nullopt;
  StripPlan plan;
  plan.width = width;
  for (auto [candidate, isKept] : llvm::zip(*candidates, keep))
    if (isKept)
      plan.kept.insert(candidate);
  StripPlanner planner(kernel, plan);
  if (planner.classify() && planner.decideKept(/*keepCarried=*/false) && planner.schedule())
    return plan;
  reason = planner.getReason();
  return std::nullopt;
}
