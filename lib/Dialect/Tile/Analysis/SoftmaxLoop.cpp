// Which forms a softmax state can take, seen from the loop that fills it.
#include "attn/Dialect/Tile/Analysis/SoftmaxLoop.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

StringRef tile::getFormName(SoftmaxForm form) {
  switch (form) {
  case SoftmaxForm::Online:
    return "online";
  case SoftmaxForm::TwoPhaseReload:
    return "two-phase-reload";
  case SoftmaxForm::TwoPhaseResident:
    return "two-phase-resident";
  }
  llvm_unreachable("all forms have a name");
}

std::optional<SoftmaxForm> tile::getSoftmaxForm(StringRef name) {
  for (SoftmaxForm form :
       {SoftmaxForm::Online, SoftmaxForm::TwoPhaseReload, SoftmaxForm::TwoPhaseResident})
    if (name == getFormName(form))
      return form;
  return std::nullopt;
}

static bool isState(Value value) { return isa<SoftmaxStateType>(value.getType()); }

LogicalResult tile::verifySoftmaxUses(func::FuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    bool carries = isa<RangeOp>(op) || (isa<YieldOp>(op) && isa<RangeOp>(op->getParentOp()));
    bool takes = carries || isa<SoftmaxPushOp, SoftmaxFinishOp>(op);
    bool gives = carries || isa<SoftmaxPushOp, SoftmaxInitOp>(op);
    if ((!takes && llvm::any_of(op->getOperands(), isState)) ||
        (!gives && llvm::any_of(op->getResults(), isState)))
      return op->emitOpError(
          "cannot hold a softmax state: it can be pushed to, carried by tile.range and "
          "finished");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Finds loop, push and finish of `init`.
static bool matchShape(SoftmaxInitOp init, SoftmaxLoop &match, std::string &reason) {
  reason = "its state must go through one loop with one push, and be finished after it";
  match.init = init;
  if (!init.getResult().hasOneUse())
    return false;
  OpOperand &use = *init.getResult().getUses().begin();
  match.loop = dyn_cast<RangeOp>(use.getOwner());
  if (!match.loop)
    return false;
  match.carried = use.getOperandNumber() - 2; // after the two bounds
  Value carried = match.loop.getCarried()[match.carried];
  Value result = match.loop.getResult(match.carried);
  if (!carried.hasOneUse() || !result.hasOneUse())
    return false;
  match.push = dyn_cast<SoftmaxPushOp>(*carried.user_begin());
  match.finish = dyn_cast<SoftmaxFinishOp>(*result.user_begin());
  if (match.push && !match.push.getPerRow()) {
    reason = "its values are shared by all rows, so that a push is a product";
    return false;
  }
  if (match.push && match.push.getPart()) {
    reason = "a push is to a part of it";
    return false;
  }
  return match.push && match.finish && match.push->getParentOp() == match.loop &&
         match.finish->getBlock() == match.loop->getBlock() && match.push.getResult().hasOneUse() &&
         match.loop.getYield().getValues()[match.carried] == match.push.getResult();
}

/// Collects the ops of the loop that compute the pushed values; they must be free to run twice.
static bool collectValueSlice(SoftmaxLoop &match, std::string &reason) {
  Block &body = match.loop.getBody().front();
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> worklist = {match.push.getValues()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (llvm::is_contained(match.loop.getCarried(), value)) {
      reason = "its values depend on what the loop carries, so they cannot be computed again";
      return false;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !match.loop->isProperAncestor(op) || !slice.insert(op))
      continue;
    // The first operand of what reads memory is the array; it is read where it was before.
    bool repeatable = isa<LoadOp, LoadIndexOp, ListRowsOp>(op)
                          ? !isWritten(op->getOperand(0))
                          : isPure(op) && op->getNumRegions() == 0;
    if (!repeatable || op->getBlock() != &body) {
      reason =
          ("its values come from " + op->getName().getStringRef() + ", which cannot be run again")
              .str();
      return false;
    }
    worklist.append(op->operand_begin(), op->operand_end());
  }
  for (Operation &op : body)
    if (slice.contains(&op))
      match.valueSlice.push_back(&op);
  return true;
}

/// Decides where the scores of an iteration lie: one dimension per axis of the grid and one for the
/// loop, the rows last, so that they are contiguous. Every tile of the grid has a place of its own.
static bool placeScores(SoftmaxLoop &match, std::string &reason) {
  auto add = [&](Value index, int64_t kind, Attribute size) {
    match.scoreIndices.push_back(index);
    match.scoreKinds.push_back(kind);
    match.scoreDims.push_back(size);
    return static_cast<bool>(size);
  };
  reason =
      "the size of its loop or of the grid is neither a number nor the dimension of an argument";
  std::optional<int64_t> lower = getFoldedConstant(match.loop.getLower());
  if (!lower || *lower != 0 || match.loop.getBlock()) {
    reason = "its loop does not count from 0 one by one";
    return false;
  }
  auto grid = dyn_cast<GridOp>(match.loop->getParentOp());
  if (!grid && !isa<func::FuncOp>(match.loop->getParentOp())) {
    reason = "its loop is inside another loop";
    return false;
  }
  Attribute rows = match.init.getType().getRows();
  BlockArgument rowSpan;
  for (BlockArgument axis : grid ? grid.getBody().getArguments() : Block::BlockArgListType()) {
    auto span = dyn_cast<SpanType>(axis.getType());
    if (span && (rowSpan || span.getSize() != rows)) {
      reason = "its rows are not the only span of the grid";
      return false;
    }
    if (span)
      rowSpan = axis;
    else if (!add(axis, ScalarIndex, getSizeName(grid.getExtents()[axis.getArgNumber()])))
      return false;
  }
  if (!add(Value(), ScalarIndex, getSizeName(match.loop.getUpper())))
    return false;
  if (rowSpan)
    return add(rowSpan, SpanIndex, getSizeName(grid.getExtents()[rowSpan.getArgNumber()]));
  reason = "its rows are not a span of the grid";
  return rows == getDim(rows.getContext(), 1);
}

std::optional<SoftmaxLoop> tile::matchSoftmaxLoop(SoftmaxInitOp init, SoftmaxForm form,
                                                  std::string &reason) {
  SoftmaxLoop match;
  if (!matchShape(init, match, reason))
    return std::nullopt;
  std::optional<int64_t> lower = getFoldedConstant(match.loop.getLower());
  std::optional<int64_t> upper = getFoldedConstant(match.loop.getUpper());
  if (lower && upper && !match.loop.getBlock() && *lower >= 0 && *lower <= *upper)
    match.trips = *upper - *lower;
  if (form == SoftmaxForm::TwoPhaseReload)
    return placeScores(match, reason) && collectValueSlice(match, reason) ? std::optional(match)
                                                                          : std::nullopt;
  if (match.trips && *match.trips > 0 && *match.trips <= maxResidentTrips)
    return match;
  reason = ("its trip count is not a number from 1 to " + Twine(maxResidentTrips)).str();
  return std::nullopt;
}
