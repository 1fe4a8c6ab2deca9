// The pass `jit-fuse-siblings`: one sweep for several reductions of one tile. CPU stage, on
// tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace attn {
#define GEN_PASS_DEF_FUSESIBLINGSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Partial results of one sweep: as many as the registers of every host hold.
constexpr size_t maxResults = 8;

/// Whether both sweep the same elements, and can be one sweep.
bool sweepTogether(GenericOp first, GenericOp second) {
  return second.getNumReductionLoops() > 0 &&
         first.getNumResults() + second.getNumResults() <= maxResults &&
         first.getIteratorTypesArray() == second.getIteratorTypesArray() &&
         first.getStaticLoopRanges() == second.getStaticLoopRanges() &&
         !llvm::is_contained(first.getStaticLoopRanges(), ShapedType::kDynamic);
}

/// Whether the operation may be earlier: it has no effects, or reads an array that nothing
/// writes.
bool mayMoveUp(Operation *op) {
  if (auto load = dyn_cast<bufferization::ToTensorOp>(op))
    return !load.getWritable();
  return isMemoryEffectFree(op);
}

/// Collects, in order, what must move before `target` so that `op` can be there. Fails where
/// that includes `target` itself or an operation that may not move.
LogicalResult collectMoved(Operation *op, Operation *target, SetVector<Operation *> &moved) {
  SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  for (Value operand : read) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || producer->getBlock() != target->getBlock() ||
        (producer != target && producer->isBeforeInBlock(target)) || moved.contains(producer))
      continue;
    if (producer == target || producer->getNumRegions() > 1 || !mayMoveUp(producer) ||
        failed(collectMoved(producer, target, moved)))
      return failure();
    moved.insert(producer);
  }
  return success();
}

/// The operands and the body of the operation that replaces two.
struct FusedParts {
  SmallVector<Value> inputs, outputs, results;
  SmallVector<AffineMap> inputMaps, outputMaps;

  /// Adds an input that is not there yet, and returns its number.
  size_t addInput(Value value, AffineMap map) {
    for (size_t number = 0; number < inputs.size(); ++number)
      if (inputs[number] == value && inputMaps[number] == map)
        return number;
    inputs.push_back(value);
    inputMaps.push_back(map);
    return inputs.size() - 1;
  }
};

/// One operation that does the work of both, in the place of `first`; what `second` reads must
/// are before it.
GenericOp createFused(RewriterBase &rewriter, GenericOp first, GenericOp second) {
  FusedParts parts;
  SmallVector<SmallVector<size_t>> inputNumbers;
  for (GenericOp op : {first, second}) {
    SmallVector<size_t> &numbers = inputNumbers.emplace_back();
    for (OpOperand *input : op.getDpsInputOperands())
      numbers.push_back(parts.addInput(input->get(), op.getMatchingIndexingMap(input)));
    for (OpOperand &output : op.getDpsInitsMutable()) {
      parts.outputs.push_back(output.get());
      parts.outputMaps.push_back(op.getMatchingIndexingMap(&output));
    }
  }
  SmallVector<AffineMap> maps(parts.inputMaps);
  llvm::append_range(maps, parts.outputMaps);
  rewriter.setInsertionPoint(first);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  return GenericOp::create(rewriter, loc, TypeRange(ValueRange(parts.outputs)), parts.inputs,
                           parts.outputs, maps, first.getIteratorTypesArray(),
                           [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
                             auto output = arguments.begin() + parts.inputs.size();
                             for (auto [number, op] :
                                  llvm::enumerate(SmallVector<GenericOp>{first, second})) {
                               IRMapping mapping;
                               for (auto [argument, input] :
                                    llvm::zip_equal(op.getRegionInputArgs(), inputNumbers[number]))
                                 mapping.map(argument, arguments[input]);
                               for (BlockArgument argument : op.getRegionOutputArgs())
                                 mapping.map(argument, *output++);
                               for (Operation &inner : op.getBody()->without_terminator())
                                 builder.clone(inner, mapping);
                               for (Value value : op.getBody()->getTerminator()->getOperands())
                                 parts.results.push_back(mapping.lookupOrDefault(value));
                             }
                             linalg::YieldOp::create(builder, bodyLoc, parts.results);
                           });
}

/// A reduction after `first` that can be swept with it, or null. What must move for it is in
/// `moved`.
GenericOp findSibling(GenericOp first, SetVector<Operation *> &moved) {
  for (OpOperand *input : first.getDpsInputOperands()) {
    if (!first.getMatchingIndexingMap(input).isIdentity())
      continue;
    for (Operation *user : input->get().getUsers()) {
      auto second = dyn_cast<GenericOp>(user);
      if (!second || second == first || second->getBlock() != first->getBlock() ||
          !first->isBeforeInBlock(second) || !sweepTogether(first, second))
        continue;
      moved.clear();
      if (succeeded(collectMoved(second, first, moved)))
        return second;
    }
  }
  return {};
}

struct FuseSiblingsPass : attn::impl::FuseSiblingsPassBase<FuseSiblingsPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      fuseIn(*block);
  }

private:
  void fuseIn(Block &block) {
    IRRewriter rewriter(&getContext());
    SetVector<Operation *> moved;
    for (Operation *op = block.empty() ? nullptr : &block.front(); op; op = op->getNextNode()) {
      auto first = dyn_cast<GenericOp>(op);
      while (first && first.getNumReductionLoops() > 0) {
        GenericOp second = findSibling(first, moved);
        if (!second)
          break;
        for (Operation *needed : moved)
          rewriter.moveOpBefore(needed, first);
        GenericOp both = createFused(rewriter, first, second);
        size_t count = first.getNumResults();
        rewriter.replaceOp(first, both.getResults().take_front(count));
        rewriter.replaceOp(second, both.getResults().drop_front(count));
        first = both;
        op = both;
        ++fused;
      }
    }
  }
};

} // namespace
