// Rewrites of softmax states into tiles, one per form (tile stage).
#include "attn/Dialect/Tile/Transforms/SoftmaxForms.h"
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cfloat>

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// The lowest number that is a score. The one below it, the lowest of all, is what masks make of
/// scores that they exclude: beside this one it has no weight, not even where it is the largest.
constexpr float lowestScore = -0x1.fffffcp+127f;

/// What a state is made of. The accumulator is null where a form adds the values up later.
struct StateParts {
  Value maximum;
  Value sum;
  Value accumulator;
};

/// Makes the arithmetic of one state at the place of the op it replaces.
class StateBuilder : public ImplicitLocOpBuilder {
public:
  StateBuilder(Operation *op, Location stateLoc, SoftmaxStateType type)
      : ImplicitLocOpBuilder(op->getLoc(), op), stateLoc(stateLoc) {
    Type f32 = getF32Type();
    IntegerAttr one = getDim(getContext(), 1);
    column = TileType::get(getContext(), type.getRows(), one, f32);
    whole = TileType::get(getContext(), type.getRows(), type.getCols(), f32);
    scalar = TileType::get(getContext(), one, one, f32);
  }

  Value fill(float number, TileType type) {
    Value value = arith::ConstantOp::create(*this, getF32FloatAttr(number));
    return SplatOp::create(*this, type, value);
  }

  /// Nothing pushed: the maximum is a number and not -inf, so that no difference is NaN.
  StateParts makeEmpty(bool withAccumulator) {
    return {named("max", fill(lowestScore, column)), named("sum", fill(0, column)),
            withAccumulator ? makeAccumulator() : Value()};
  }

  Value makeAccumulator() { return named("acc", fill(0, whole)); }

  /// The rows of a part of a state that is made of `parts`, as a state of its own.
  StateParts extract(StateParts parts, Value row) {
    Value zero = arith::ConstantIndexOp::create(*this, 0);
    auto take = [&](Value tile, TileType type) -> Value {
      return ExtractOp::create(*this, type, tile, row, zero, /*transposed=*/false);
    };
    return {take(parts.maximum, column), take(parts.sum, column), take(parts.accumulator, whole)};
  }

  /// The state with the rows of a part replaced by `some`.
  StateParts insert(StateParts some, StateParts parts, Value row) {
    Value zero = arith::ConstantIndexOp::create(*this, 0);
    auto put = [&](StringRef name, Value tile, Value into) {
      return named(name, InsertOp::create(*this, into.getType(), tile, into, row, zero,
                                          /*transposed=*/false));
    };
    return {put("max", some.maximum, parts.maximum), put("sum", some.sum, parts.sum),
            put("acc", some.accumulator, parts.accumulator)};
  }

  /// exp(a - b) of two columns.
  Value expDifference(Value a, Value b) {
    return ExpOp::create(*this, column, SubOp::create(*this, column, a, b));
  }

  /// The parts after scores, and values where there is an accumulator, have been pushed.
  StateParts push(StateParts old, Value scores, Value values) {
    StateParts next;
    next.maximum = named("max", MaximumOp::create(*this, column, old.maximum, scores));
    Value alpha = expDifference(old.maximum, next.maximum);
    Value weight = expDifference(scores, next.maximum);
    Value scaled = MulOp::create(*this, column, old.sum, alpha);
    next.sum = named("sum", AddOp::create(*this, column, scaled, weight));
    if (!old.accumulator)
      return next;
    Value rescaled = named("acc", MulOp::create(*this, whole, old.accumulator, alpha));
    next.accumulator = accumulate(rescaled, values, weight);
    return next;
  }

  /// The parts after scores [m, k] and values [k, d] that all rows share have been pushed. The sum
  /// is taken of the weights as they are, the product of weights in the type of the values; row by
  /// row there is no product, and both are of the weights as they are.
  StateParts pushShared(StateParts old, Value scores, Value values, bool isRowByRow) {
    auto type = cast<TileType>(scores.getType());
    StateParts next;
    Value highest = ReduceOp::create(*this, column, ReduceKind::Max, scores, 1);
    next.maximum = named("max", MaximumOp::create(*this, column, old.maximum, highest));
    Value alpha = expDifference(old.maximum, next.maximum);
    Value distance = SubOp::create(*this, type, scores, next.maximum);
    Value weights = ExpOp::create(*this, type, distance);
    Value scaled = MulOp::create(*this, column, old.sum, alpha);
    Value pushed = ReduceOp::create(*this, column, ReduceKind::Sum, weights, 1);
    next.sum = named("sum", AddOp::create(*this, column, scaled, pushed));
    Value rescaled = named("acc", MulOp::create(*this, whole, old.accumulator, alpha));
    if (isRowByRow) {
      next.accumulator = addRowByRow(rescaled, weights, values);
      return next;
    }
    Type element = cast<TileType>(values.getType()).getElementType();
    if (element != type.getElementType())
      weights = CastOp::create(
          *this, TileType::get(getContext(), type.getRows(), type.getCols(), element), weights);
    Value product = DotOp::create(*this, whole, weights, values, /*acc=*/Value(),
                                  /*transpose_a=*/false, /*transpose_b=*/false);
    next.accumulator = named("acc", AddOp::create(*this, whole, rescaled, product));
    return next;
  }

  /// Adds weights [m, k] times values [k, d] to rows: for each row, the sum of the values by its
  /// weights as a column.
  Value addRowByRow(Value sums, Value weights, Value values) {
    auto from = cast<TileType>(weights.getType()), to = cast<TileType>(values.getType());
    IntegerAttr one = getDim(getContext(), 1);
    auto make = [&](Attribute rows, Attribute cols) {
      return TileType::get(getContext(), rows, cols, getF32Type());
    };
    TileType wide = make(to.getRows(), to.getCols()), line = make(one, to.getCols());
    if (to != wide)
      values = CastOp::create(*this, wide, values);
    Value zero = arith::ConstantIndexOp::create(*this, 0);
    for (int64_t row = 0, rows = from.getRowCount(); row < rows; ++row) {
      Value index = arith::ConstantIndexOp::create(*this, row);
      auto extract = [&](Value tile, TileType type) -> Value {
        return rows == 1 ? tile
                         : ExtractOp::create(*this, type, tile, index, zero, /*transposed=*/false);
      };
      Value weight = TransposeOp::create(*this, make(to.getRows(), one),
                                         extract(weights, make(one, from.getCols())));
      Value weighted = MulOp::create(*this, wide, values, weight);
      Value pushed = ReduceOp::create(*this, line, ReduceKind::Sum, weighted, 0);
      Value sum = AddOp::create(*this, line, extract(sums, line), pushed);
      sums = rows == 1 ? sum
                       : InsertOp::create(*this, sums.getType(), sum, sums, index, zero,
                                          /*transposed=*/false);
    }
    return named("acc", sums);
  }

  Value accumulate(Value accumulator, Value values, Value weight) {
    Value weighted = MulOp::create(*this, whole, values, weight);
    return named("acc", AddOp::create(*this, whole, accumulator, weighted));
  }

  /// The log-sum-exp; -inf where nothing was pushed, as log(0) is.
  Value makeLse(StateParts parts) {
    return AddOp::create(*this, column, parts.maximum, LogOp::create(*this, column, parts.sum));
  }

  /// The accumulator divided by the sum; an empty sum gives 0 / tiny = 0.
  Value makeOutput(Value accumulator, Value sum) {
    Value safe = MaximumOp::create(*this, column, sum, fill(FLT_MIN, scalar));
    Value inverse = DivOp::create(*this, column, fill(1, scalar), safe);
    return MulOp::create(*this, whole, accumulator, inverse);
  }

  TileType column, whole, scalar;

private:
  /// Calls a part after its state, "st_max", where the source names the state.
  Value named(StringRef part, Value value) {
    auto name = dyn_cast<NameLoc>(stateLoc);
    std::string text = ((name ? name.getName().getValue() : "softmax") + "_" + part).str();
    Location position = isa<NameLoc>(getLoc()) ? cast<NameLoc>(getLoc()).getChildLoc() : getLoc();
    value.getDefiningOp()->setLoc(NameLoc::get(getStringAttr(text), position));
    return value;
  }

  Location stateLoc;
};

/// Online form: states become three carried tiles wherever they go.
class OnlineRewriter {
public:
  void run(func::FuncOp kernel) {
    hasProducts = kernel.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    rewrite(kernel.getBody().front());
    for (Operation *op : llvm::reverse(dead))
      op->erase();
  }

private:
  struct State {
    StateParts parts;
    Location loc;
  };

  void rewrite(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto init = dyn_cast<SoftmaxInitOp>(op))
        rewriteInit(init);
      else if (auto push = dyn_cast<SoftmaxPushOp>(op))
        rewritePush(push);
      else if (auto finish = dyn_cast<SoftmaxFinishOp>(op))
        rewriteFinish(finish);
      else if (auto loop = dyn_cast<RangeOp>(op))
        rewriteLoop(loop);
      else
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            rewrite(inner);
    }
  }

  void rewriteInit(SoftmaxInitOp init) {
    StateBuilder builder(init, init.getLoc(), init.getType());
    StateParts empty = builder.makeEmpty(true);
    states.try_emplace(init.getResult(), State{empty, init.getLoc()});
    dead.push_back(init);
  }

  /// A kernel without other products needs no cube core for those of a few rows.
  bool isRowByRow(SoftmaxPushOp push) const {
    constexpr int64_t fewRows = 8;
    auto rows = dyn_cast<IntegerAttr>(push.getScores().getType().getRows());
    return !hasProducts && rows && rows.getInt() <= fewRows;
  }

  void rewritePush(SoftmaxPushOp push) {
    State state = states.at(push.getState());
    TileType scores = push.getScores().getType();
    auto pushed = SoftmaxStateType::get(push.getContext(), scores.getRows(),
                                        push.getState().getType().getCols());
    StateBuilder builder(push, state.loc, pushed);
    StateParts parts = state.parts;
    Value row;
    if (push.getPart()) {
      Value rows = arith::ConstantIndexOp::create(builder, scores.getRowCount());
      row = builder.createOrFold<arith::MulIOp>(push.getPart(), rows);
      parts = builder.extract(parts, row);
    }
    parts = push.getPerRow()
                ? builder.push(parts, push.getScores(), push.getValues())
                : builder.pushShared(parts, push.getScores(), push.getValues(), isRowByRow(push));
    if (row)
      parts = builder.insert(parts, state.parts, row);
    states.try_emplace(push.getResult(), State{parts, state.loc});
    dead.push_back(push);
  }

  void rewriteFinish(SoftmaxFinishOp finish) {
    State state = states.at(finish.getState());
    StateBuilder builder(finish, state.loc, finish.getState().getType());
    Value output = builder.makeOutput(state.parts.accumulator, state.parts.sum);
    finish.getOutput().replaceAllUsesWith(output);
    finish.getLse().replaceAllUsesWith(builder.makeLse(state.parts));
    dead.push_back(finish);
  }

  void rewriteLoop(RangeOp loop) {
    CarriedReplacements inits = expand(loop.getInits());
    if (llvm::none_of(inits, [](auto &init) { return init.has_value(); }))
      return rewrite(loop.getBody().front());
    RangeOp rebuilt = rebuildLoop(loop, inits);
    dead.push_back(loop);
    unsigned position = 0;
    for (auto [index, init] : llvm::enumerate(inits)) {
      if (!init) {
        ++position;
        continue;
      }
      auto at = [position](auto values) {
        return StateParts{values[position], values[position + 1], values[position + 2]};
      };
      Location loc = states.at(loop.getInits()[index]).loc;
      states.try_emplace(loop.getCarried()[index], State{at(rebuilt.getCarried()), loc});
      states.try_emplace(loop.getResult(index), State{at(rebuilt.getResults()), loc});
      position += 3;
    }
    rewrite(rebuilt.getBody().front());
    rebuildYield(rebuilt, expand(rebuilt.getYield().getValues()));
  }

  /// The parts of every state among `values`.
  CarriedReplacements expand(ValueRange values) {
    CarriedReplacements parts;
    for (Value value : values) {
      auto state = states.find(value);
      parts.emplace_back();
      if (state != states.end())
        parts.back() = {state->second.parts.maximum, state->second.parts.sum,
                        state->second.parts.accumulator};
    }
    return parts;
  }

  bool hasProducts = false;
  DenseMap<Value, State> states;
  SmallVector<Operation *> dead; // erased in reverse, users first
};

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
    OnlineRewriter().run(kernel);
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
