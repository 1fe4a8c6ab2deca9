// The pass `jit-fuse-siblings`: one sweep for several reductions of one tile, and for computing the
// tile. CPU stage, on tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Whether both sweep the same elements, and are not too much for one sweep.
bool sweepTogether(GenericOp first, GenericOp second) {
  return first.getNumResults() + second.getNumResults() <= maxResults &&
         first.getStaticLoopRanges() == second.getStaticLoopRanges() &&
         !llvm::is_contained(first.getStaticLoopRanges(), ShapedType::kDynamic);
}

bool isReduction(GenericOp op) { return op.getNumReductionLoops() > 0; }

/// Whether each row of a tile is folded into one number per result.
bool reducesRows(GenericOp op) {
  return op.getNumLoops() == 2 && op.getIteratorTypesArray()[1] == utils::IteratorType::reduction &&
         op.getIteratorTypesArray()[0] == utils::IteratorType::parallel;
}

/// Whether tiles are computed from tiles element by element.
bool isElementwise(GenericOp op) {
  return op.getNumLoops() == 2 && !isReduction(op) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
           return op.getMatchingIndexingMap(&output).isIdentity();
         });
}

/// Whether the operation may be earlier: it has no effects, or reads an array that nothing
/// writes.
bool mayMoveUp(Operation *op) {
  if (auto load = dyn_cast<bufferization::ToTensorOp>(op))
    return !load.getWritable();
  return isMemoryEffectFree(op);
}

/// Collects, in order, what must move before `target` so that `op` can be there. Fails where
/// that includes `target` itself or an operation that may not move; `op` may read `passed`.
LogicalResult collectMoved(Operation *op, Operation *target, SetVector<Operation *> &moved,
                           Value passed = {}) {
  SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  for (Value operand : read) {
    if (operand == passed)
      continue;
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
/// come before it, or be a tile that `first` computes.
GenericOp createFused(RewriterBase &rewriter, GenericOp first, GenericOp second) {
  FusedParts parts;
  SmallVector<SmallVector<size_t>> inputNumbers;
  for (GenericOp op : {first, second}) {
    SmallVector<size_t> &numbers = inputNumbers.emplace_back();
    for (OpOperand *input : op.getDpsInputOperands())
      numbers.push_back(input->get().getDefiningOp() == first
                            ? 0 // not read: the body has it
                            : parts.addInput(input->get(), op.getMatchingIndexingMap(input)));
    for (OpOperand &output : op.getDpsInitsMutable()) {
      parts.outputs.push_back(output.get());
      parts.outputMaps.push_back(op.getMatchingIndexingMap(&output));
    }
  }
  SmallVector<AffineMap> maps(parts.inputMaps);
  llvm::append_range(maps, parts.outputMaps);
  rewriter.setInsertionPoint(first);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  return GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(parts.outputs)), parts.inputs, parts.outputs, maps,
      (isReduction(first) ? first : second).getIteratorTypesArray(),
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        auto output = arguments.begin() + parts.inputs.size();
        for (auto [number, op] : llvm::enumerate(SmallVector<GenericOp>{first, second})) {
          IRMapping mapping;
          for (auto [argument, operand, input] :
               llvm::zip_equal(op.getRegionInputArgs(), op.getInputs(), inputNumbers[number])) {
            auto passed = dyn_cast<OpResult>(operand);
            mapping.map(argument, passed && passed.getOwner() == first
                                      ? parts.results[passed.getResultNumber()]
                                      : arguments[input]);
          }
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
          !first->isBeforeInBlock(second) || !isReduction(second) ||
          first.getIteratorTypesArray() != second.getIteratorTypesArray() ||
          !sweepTogether(first, second))
        continue;
      moved.clear();
      if (succeeded(collectMoved(second, first, moved)))
        return second;
    }
  }
  return {};
}

/// Whether a tile, or a part of it, is written to an array, which a sweep of its own may do past
/// the caches.
bool reachesArray(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    return isa<bufferization::MaterializeInDestinationOp>(user) ||
           (isa<tensor::ExtractSliceOp>(user) && reachesArray(user->getResult(0)));
  });
}

/// Whether `second` reads `tile` at the element that it computes, and nowhere else.
bool readsElementwise(GenericOp second, Value tile) {
  return llvm::all_of(second->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() != tile ||
           (second.isDpsInput(&operand) && second.getMatchingIndexingMap(&operand).isIdentity());
  });
}

/// An operation that reads a tile which `first` computes and can be swept with it, or null: a
/// reduction of its rows, and with such a one whatever is computed element by element. What must
/// move for it is in `moved`.
GenericOp findReader(GenericOp first, SetVector<Operation *> &moved) {
  for (auto [output, tile] : llvm::zip_equal(first.getDpsInitsMutable(), first->getResults())) {
    if (!first.getMatchingIndexingMap(&output).isIdentity() || reachesArray(tile))
      continue;
    for (Operation *user : tile.getUsers()) {
      auto second = dyn_cast<GenericOp>(user);
      if (!second || second->getBlock() != first->getBlock() || !sweepTogether(first, second) ||
          !(reducesRows(second) || (isReduction(first) && isElementwise(second))) ||
          llvm::any_of(second->getResults(), reachesArray) || !readsElementwise(second, tile))
        continue;
      moved.clear();
      if (succeeded(collectMoved(second, first, moved, tile)))
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
      while (first) {
        GenericOp second = isReduction(first) ? findSibling(first, moved) : GenericOp();
        if (!second && (isElementwise(first) || reducesRows(first)))
          second = findReader(first, moved);
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
