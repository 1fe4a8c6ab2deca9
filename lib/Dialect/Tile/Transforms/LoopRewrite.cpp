// Changes what a tile.range carries (tile stage).
#include "attn/Dialect/Tile/Transforms/LoopRewrite.h"

using namespace mlir;
using namespace attn;
using namespace attn::tile;

static SmallVector<Value> replace(ValueRange values, const CarriedReplacements &replacements) {
  SmallVector<Value> replaced;
  for (auto [value, replacement] : llvm::zip_equal(values, replacements)) {
    if (replacement)
      llvm::append_range(replaced, *replacement);
    else
      replaced.push_back(value);
  }
  return replaced;
}

RangeOp tile::rebuildLoop(RangeOp loop, const CarriedReplacements &replacements) {
  OpBuilder builder(loop);
  SmallVector<Value> inits = replace(loop.getInits(), replacements);
  auto rebuilt = RangeOp::create(builder, loop.getLoc(), TypeRange(ValueRange(inits)),
                                 loop.getLower(), loop.getUpper(), inits, loop.getBlockAttr(),
                                 loop.getStagesAttr(), loop.getParallelAttr());
  rebuilt->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = builder.createBlock(&rebuilt.getBody());
  Block &old = loop.getBody().front();
  auto moveArgument = [&](BlockArgument argument) {
    argument.replaceAllUsesWith(body->addArgument(argument.getType(), argument.getLoc()));
  };
  moveArgument(old.getArgument(0));
  unsigned position = 0;
  for (auto [index, replacement] : llvm::enumerate(replacements)) {
    if (!replacement) {
      moveArgument(loop.getCarried()[index]);
      loop.getResult(index).replaceAllUsesWith(rebuilt.getResult(position++));
      continue;
    }
    for (Value value : *replacement)
      body->addArgument(value.getType(), value.getLoc());
    position += replacement->size();
  }
  body->getOperations().splice(body->end(), old.getOperations());
  return rebuilt;
}

void tile::rebuildYield(RangeOp loop, const CarriedReplacements &replacements) {
  YieldOp yield = loop.getYield();
  yield.getValuesMutable().assign(replace(yield.getValues(), replacements));
}
