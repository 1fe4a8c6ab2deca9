// Rewrites softmax states into tiles that loops carry, rescaled with each push (tile stage).
#include "OnlineSoftmax.h"
#include "SoftmaxState.h"
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"

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

} // namespace

void tile::rewriteOnline(func::FuncOp kernel) { OnlineRewriter().run(kernel); }
