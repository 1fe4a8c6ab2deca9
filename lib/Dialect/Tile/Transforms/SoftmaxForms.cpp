// Rewrites of softmax states into tiles: the forms of two phases, and which one is taken (tile
// stage).
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"
#include "OnlineSoftmax.h"
#include "SoftmaxState.h"
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// Two loops with the values loaded again: the scores wait in a workspace.
void rewriteReload(SoftmaxLoop &match) {
  func::FuncOp kernel = match.loop->getParentOfType<func::FuncOp>();
  MLIRContext *context = kernel.getContext();
  SoftmaxStateType type = match.init.getType();
  Location stateLoc = match.init.getLoc();
  SmallVector<int64_t> shape = llvm::map_to_vector(match.scoreDims, [](Attribute dim) {
    auto number = dyn_cast<IntegerAttr>(dim);
    return number ? number.getInt() : ShapedType::kDynamic;
  });
  auto scoresType = ArrayType::get(context, shape, Float32Type::get(context));
  NamedAttribute attributes[] = {{launch::dimsName, ArrayAttr::get(context, match.scoreDims)},
                                 {launch::workspaceName, UnitAttr::get(context)}};
  unsigned number = kernel.getNumArguments();
  (void)kernel.insertArgument(number, scoresType, DictionaryAttr::get(context, attributes),
                              NameLoc::get(StringAttr::get(context, "scores"), stateLoc));
  Value scores = kernel.getArgument(number);
  auto indicesOf = [&](Value iteration) {
    return llvm::map_to_vector(match.scoreIndices,
                               [&](Value index) { return index ? index : iteration; });
  };

  // First loop: maximum and sum, scores to the workspace.
  StateBuilder start(match.init, stateLoc, type);
  StateParts empty = start.makeEmpty(/*withAccumulator=*/false);
  CarriedReplacements replacements(match.loop.getInits().size());
  replacements[match.carried] = {empty.maximum, empty.sum};
  RangeOp first = rebuildLoop(match.loop, replacements);
  StateBuilder inner(match.push, stateLoc, type);
  StateParts next =
      inner.push({first.getCarried()[match.carried], first.getCarried()[match.carried + 1], {}},
                 match.push.getScores(), Value());
  StoreOp::create(inner, match.push.getScores(), scores, indicesOf(first.getInductionVar()),
                  inner.getDenseI64ArrayAttr(match.scoreKinds));
  replacements[match.carried] = {next.maximum, next.sum};
  rebuildYield(first, replacements);

  // Second loop: the values once more, each with its weight.
  StateParts parts{first.getResult(match.carried), first.getResult(match.carried + 1), {}};
  StateBuilder end(match.finish, stateLoc, type);
  Value lse = end.makeLse(parts);
  Value none = end.makeAccumulator();
  auto second = RangeOp::create(end, TypeRange(none.getType()), first.getLower(), first.getUpper(),
                                none, Attribute(), first.getStagesAttr(), UnitAttr());
  {
    OpBuilder::InsertionGuard guard(end);
    Block *body = end.createBlock(&second.getBody());
    body->addArgument(end.getIndexType(), first.getInductionVar().getLoc());
    body->addArgument(none.getType(), none.getLoc());
    Value kept = LoadOp::create(end, end.column, scores, indicesOf(second.getInductionVar()),
                                end.getDenseI64ArrayAttr(match.scoreKinds));
    Value weight = end.expDifference(kept, parts.maximum);
    IRMapping map;
    map.map(first.getInductionVar(), second.getInductionVar());
    for (Operation *op : match.valueSlice)
      end.clone(*op, map);
    Value values = map.lookupOrDefault(match.push.getValues());
    YieldOp::create(end, end.accumulate(second.getCarried()[0], values, weight));
  }
  match.finish.getOutput().replaceAllUsesWith(end.makeOutput(second.getResult(0), parts.sum));
  match.finish.getLse().replaceAllUsesWith(lse);
  match.push.getResult().dropAllUses();
  for (Operation *op : {match.finish.getOperation(), match.push.getOperation(),
                        match.loop.getOperation(), match.init.getOperation()})
    op->erase();
}

/// The narrowest form of a value: what it was widened from.
Value getNarrowest(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast)
    return value;
  Type from = cast.getInput().getType().getElementType();
  Type to = cast.getResult().getType().getElementType();
  return to.isF32() && (from.isF16() || from.isBF16()) ? Value(cast.getInput()) : value;
}

/// The results of the unrolled iterations: scores and values, in their narrowest type.
struct KeptIterations {
  SmallVector<Value> scores, values;
};

/// Unrolls the loop inside a loop of one trip, so that nothing computed from the kept values for
/// the scores is taken for the sum too and lives on: a second cast is cheaper than a wide row kept.
KeptIterations unrollScoring(SoftmaxLoop &match) {
  OpBuilder builder(match.loop);
  Location loc = match.loop.getLoc();
  Value narrow = getNarrowest(match.push.getValues());
  bool isKept = match.loop.getBody().isAncestor(narrow.getParentRegion());
  SmallVector<Value> inits;
  for (auto [number, init] : llvm::enumerate(match.loop.getInits()))
    if (number != match.carried)
      inits.push_back(init);
  size_t others = inits.size();
  for (int64_t trip = 0; trip < *match.trips; ++trip) {
    inits.push_back(UndefinedOp::create(builder, loc, match.push.getScores().getType()));
    if (isKept)
      inits.push_back(UndefinedOp::create(builder, loc, narrow.getType()));
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto once = RangeOp::create(builder, loc, TypeRange(ValueRange(inits)), zero, one, inits,
                              Attribute(), builder.getI64IntegerAttr(1), UnitAttr());
  Block *body = builder.createBlock(&once.getBody());
  body->addArgument(builder.getIndexType(), loc);
  for (Value init : inits)
    body->addArgument(init.getType(), init.getLoc());

  SmallVector<Value> carried(once.getCarried().begin(), once.getCarried().begin() + others), kept;
  for (int64_t trip = 0; trip < *match.trips; ++trip) {
    IRMapping map;
    int64_t index = *getFoldedConstant(match.loop.getLower()) + trip;
    map.map(match.loop.getInductionVar(), arith::ConstantIndexOp::create(builder, loc, index));
    auto next = carried.begin();
    for (auto [number, argument] : llvm::enumerate(match.loop.getCarried()))
      if (number != match.carried)
        map.map(argument, *next++);
    for (Operation &op : match.loop.getBody().front().without_terminator())
      if (&op != match.push)
        builder.clone(op, map);
    next = carried.begin();
    for (auto [number, value] : llvm::enumerate(match.loop.getYield().getValues()))
      if (number != match.carried)
        *next++ = map.lookupOrDefault(value);
    kept.push_back(map.lookupOrDefault(match.push.getScores()));
    if (isKept)
      kept.push_back(map.lookupOrDefault(narrow));
  }
  llvm::append_range(carried, kept);
  YieldOp::create(builder, loc, carried);

  KeptIterations result;
  auto next = once.getResults().begin();
  for (auto [number, old] : llvm::enumerate(match.loop.getResults()))
    if (number != match.carried)
      old.replaceAllUsesWith(*next++);
  for (int64_t trip = 0; trip < *match.trips; ++trip) {
    result.scores.push_back(*next++);
    result.values.push_back(isKept ? Value(*next++) : narrow);
  }
  return result;
}

/// Two loops with the values kept: maximum and sum over all scores, then the values once more from
/// local memory.
void rewriteResident(SoftmaxLoop &match) {
  KeptIterations kept = unrollScoring(match);
  StateBuilder end(match.finish, match.init.getLoc(), match.init.getType());
  StateParts parts{kept.scores.front(), {}, {}};
  for (Value scores : ArrayRef(kept.scores).drop_front())
    parts.maximum = MaximumOp::create(end, end.column, parts.maximum, scores);
  parts.maximum =
      MaximumOp::create(end, end.column, parts.maximum, end.fill(lowestScore, end.scalar));
  for (auto [scores, narrow] : llvm::zip_equal(kept.scores, kept.values)) {
    Value weight = end.expDifference(scores, parts.maximum);
    parts.sum = parts.sum ? Value(AddOp::create(end, end.column, parts.sum, weight)) : weight;
    Value values =
        narrow.getType() == end.whole ? narrow : Value(CastOp::create(end, end.whole, narrow));
    parts.accumulator = parts.accumulator ? end.accumulate(parts.accumulator, values, weight)
                                          : Value(MulOp::create(end, end.whole, values, weight));
  }
  match.finish.getOutput().replaceAllUsesWith(end.makeOutput(parts.accumulator, parts.sum));
  match.finish.getLse().replaceAllUsesWith(end.makeLse(parts));
  for (Operation *op :
       {match.finish.getOperation(), match.loop.getOperation(), match.init.getOperation()})
    op->erase();
}

} // namespace

LogicalResult tile::rewriteSoftmax(func::FuncOp kernel, SoftmaxForm form) {
  if (failed(verifySoftmaxUses(kernel)))
    return failure();
  if (form == SoftmaxForm::Online) {
    rewriteOnline(kernel);
    return success();
  }
  SmallVector<SoftmaxInitOp> inits;
  kernel.walk([&](SoftmaxInitOp init) { inits.push_back(init); });
  for (SoftmaxInitOp init : inits) {
    std::string reason;
    std::optional<SoftmaxLoop> match = matchSoftmaxLoop(init, form, reason);
    if (!match)
      return init.emitOpError() << "cannot take the form " << getFormName(form) << ": " << reason;
    form == SoftmaxForm::TwoPhaseReload ? rewriteReload(*match) : rewriteResident(*match);
  }
  return success();
}
