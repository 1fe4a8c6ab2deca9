// Rewrites softmax states into tiles that loops carry, rescaled with each push (tile stage).
#include "OnlineSoftmax.h"
#include "SoftmaxState.h"
#include "attn/Dialect/Tile/Analysis/Kernel.h"
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

namespace {

/// States become three carried tiles wherever they go.
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
    if (push.getPerRow()) {
      parts = builder.push(parts, push.getScores(), push.getValues());
    } else {
      Value weights;
      std::tie(parts, weights) = builder.weigh(parts, push.getScores());
      parts.accumulator =
          builder.addShared(parts.accumulator, weights, push.getValues(), isRowByRow(push));
    }
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
    if (SoftmaxPushOp push = findPartsPush(loop))
      return rewritePartsLoop(loop, push);
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

  /// The push of a loop that pushes to each part of a state in turn and does nothing else, null for
  /// other loops.
  SoftmaxPushOp findPartsPush(RangeOp loop) const {
    Block &body = loop.getBody().front();
    if (loop.getInits().size() != 1 || !states.contains(loop.getInits()[0]) || loop.getBlock())
      return {};
    auto push = loop.getYield().getValues()[0].getDefiningOp<SoftmaxPushOp>();
    if (!push || push->getBlock() != &body || push.getState() != loop.getCarried()[0] ||
        push.getPerRow() || push.getPart() != loop.getInductionVar())
      return {};
    int64_t rows = cast<IntegerAttr>(push.getState().getType().getRows()).getInt();
    int64_t parts = rows / push.getScores().getType().getRowCount();
    if (getFoldedConstant(loop.getLower()) != 0 || getFoldedConstant(loop.getUpper()) != parts)
      return {};
    hoistPureOps(loop);
    Attribute columns = push.getScores().getType().getCols();
    bool repeatable = llvm::all_of(body.without_terminator(), [&](Operation &op) {
      // Which columns exist must be the same for all parts.
      auto span = dyn_cast<MakeSpanOp>(op);
      if (span && span.getType().getSize() == columns)
        return false;
      if (isa<LoadOp, LoadIndexOp, ListRowsOp>(op))
        return !isWritten(op.getOperand(0));
      return &op == push || (isPure(&op) && op.getNumRegions() == 0);
    });
    return repeatable ? push : SoftmaxPushOp();
  }

  /// Moves what does not depend on the iteration before a loop, such as spans of columns.
  static void hoistPureOps(RangeOp loop) {
    for (Operation &op : llvm::make_early_inc_range(loop.getBody().front().without_terminator()))
      if (isPure(&op) && op.getNumRegions() == 0 &&
          llvm::none_of(op.getOperands(), [&](Value value) {
            return loop->isAncestor(value.getParentBlock()->getParentOp());
          }))
        op.moveBefore(loop);
  }

  /// All scores first, then one softmax of all parts, then all products: fewer and larger steps,
  /// and keys are not read beside values. Each part gets what it would get by itself.
  void rewritePartsLoop(RangeOp loop, SoftmaxPushOp push) {
    State state = states.at(loop.getInits()[0]);
    SoftmaxStateType type = push.getState().getType();
    TileType some = push.getScores().getType();
    StateBuilder builder(loop, state.loc, type);
    auto all =
        TileType::get(type.getContext(), type.getRows(), some.getCols(), builder.getF32Type());
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    auto extract = [&](StateBuilder &part, TileType rows, Value tile, Value row) -> Value {
      return ExtractOp::create(part, rows, tile, row, zero, /*transposed=*/false);
    };
    auto insert = [&](StateBuilder &part, Value rows, Value tile, Value row) -> Value {
      return InsertOp::create(part, tile.getType(), rows, tile, row, zero, /*transposed=*/false);
    };
    Value scores = UndefinedOp::create(builder, all);
    scores = forEachPart(builder, loop, push, scores, push.getScores(), insert);
    Value weights;
    std::tie(state.parts, weights) = builder.weigh(state.parts, scores);
    state.parts.accumulator =
        forEachPart(builder, loop, push, state.parts.accumulator, push.getValues(),
                    [&](StateBuilder &part, Value values, Value sums, Value row) {
                      Value pushed = part.addShared(extract(part, part.whole, sums, row),
                                                    extract(part, some, weights, row), values,
                                                    isRowByRow(push));
                      return insert(part, pushed, sums, row);
                    });
    states.try_emplace(loop.getResult(0), state);
    dead.push_back(loop);
  }

  /// Makes a loop over the parts of a state that carries a tile: in each, `add` makes the next one
  /// of `needed`, which is computed as in the body of `loop`, of this one, and of the first row.
  Value forEachPart(StateBuilder &builder, RangeOp loop, SoftmaxPushOp push, Value init,
                    Value needed, function_ref<Value(StateBuilder &, Value, Value, Value)> add) {
    auto made = RangeOp::create(builder, init.getType(), loop.getLower(), loop.getUpper(), init,
                                Attribute(), loop.getStagesAttr(), UnitAttr());
    TileType some = push.getScores().getType();
    StateBuilder part(push, states.at(loop.getInits()[0]).loc,
                      SoftmaxStateType::get(loop.getContext(), some.getRows(),
                                            push.getState().getType().getCols()));
    Block *body = part.createBlock(&made.getBody());
    Value index = body->addArgument(part.getIndexType(), loop.getInductionVar().getLoc());
    Value carried = body->addArgument(init.getType(), init.getLoc());
    IRMapping map;
    map.map(loop.getInductionVar(), index);
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return op->getParentOp() == loop; };
    (void)getBackwardSlice(needed, &slice, options);
    for (Operation *op : slice)
      part.clone(*op, map);
    Value rows = arith::ConstantIndexOp::create(part, some.getRowCount());
    Value row = part.createOrFold<arith::MulIOp>(index, rows);
    YieldOp::create(part, add(part, map.lookupOrDefault(needed), carried, row));
    return made.getResult(0);
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

} // namespace

void tile::rewriteOnline(func::FuncOp kernel) { OnlineRewriter().run(kernel); }
