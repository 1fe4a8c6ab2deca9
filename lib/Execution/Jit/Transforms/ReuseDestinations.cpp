// The pass `jit-reuse-destinations`: lets operations write into operands they read last. CPU stage,
// on tensors.
#include "attn/Execution/Jit/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_REUSEDESTINATIONSPASS
#include "attn/Execution/Jit/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether `op` is the last in its block that uses `value`, which belongs to that block.
bool isLastUse(Value value, Operation *op) {
  if (value.getParentBlock() != op->getBlock())
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && (ancestor == op || ancestor->isBeforeInBlock(op));
  });
}

/// Whether the buffer of `value` may be written: it is computed or carried, not an array of the
/// caller.
bool ownsBuffer(Value value) {
  if (isa<BlockArgument>(value))
    return isa<scf::ForOp>(value.getParentBlock()->getParentOp());
  auto load = value.getDefiningOp<bufferization::ToTensorOp>();
  return !load || load.getWritable();
}

bool isInit(Operation *op) { return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op); }

/// Every use of an empty or filled tensor gets its own, beside it: shared ones would have to be
/// copied.
void separateInits(func::FuncOp function) {
  SmallVector<OpOperand *> uses;
  function.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (isInit(use.get().getDefiningOp()) && !isInit(op))
        uses.push_back(&use);
  });
  for (OpOperand *use : uses) {
    Operation *init = use->get().getDefiningOp();
    if (use->get().hasOneUse() && init->getBlock() == use->getOwner()->getBlock())
      continue;
    OpBuilder builder(use->getOwner());
    IRMapping mapping;
    if (auto fill = dyn_cast<linalg::FillOp>(init))
      if (Operation *empty = fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
        builder.clone(*empty, mapping);
    use->set(builder.clone(*init, mapping)->getResult(0));
    if (isOpTriviallyDead(init))
      init->erase();
  }
}

/// Whether output `number` starts empty and is only written.
bool writesEmpty(GenericOp op, unsigned number) {
  OpOperand *output = op.getDpsInitOperand(number);
  return output->get().getDefiningOp<tensor::EmptyOp>() && !op.payloadUsesValueFromOperand(output);
}

/// Hands `op` its input `input` as the destination of its only result.
void replaceInputByDestination(RewriterBase &rewriter, GenericOp op, OpOperand *input) {
  unsigned number = input->getOperandNumber();
  Value destination = input->get();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  inputs.erase(inputs.begin() + number);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + number);
  auto updated = GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, destination,
                                   maps, op.getIteratorTypesArray());
  Block *body = op.getBody();
  rewriter.replaceAllUsesWith(body->getArgument(number), body->getArguments().back());
  body->eraseArgument(number);
  rewriter.inlineRegionBefore(op.getRegion(), updated.getRegion(), updated.getRegion().end());
  rewriter.replaceOp(op, updated.getResults());
}

/// Whether the result of `op` may lie where `value` does. What a loop carries must hold the next
/// value of the same place at the end of the body, and no other.
bool mayHoldResult(Value value, GenericOp op) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return !argument;
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  return loop.getBody()->getTerminator()->getOperand(number) == op.getResult(0);
}

/// An elementwise operation updates an input that it reads for the last time.
void updateInPlace(func::FuncOp function) {
  SmallVector<GenericOp> operations;
  function.walk([&](GenericOp op) { operations.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (GenericOp op : operations) {
    if (op.getNumReductionLoops() > 0 || op.getNumResults() != 1 || !writesEmpty(op, 0))
      continue;
    OpOperand *found = nullptr;
    for (OpOperand *input : op.getDpsInputOperands()) {
      bool fits = input->get().getType() == op.getResultTypes()[0] &&
                  op.getMatchingIndexingMap(input).isIdentity() &&
                  llvm::count(op.getInputs(), input->get()) == 1;
      if (fits && ownsBuffer(input->get()) && isLastUse(input->get(), op) &&
          mayHoldResult(input->get(), op) &&
          // What a loop carries is the best choice: it must be written anyway.
          (!found || isa<BlockArgument>(input->get())))
        found = input;
    }
    if (found)
      replaceInputByDestination(rewriter, op, found);
  }
}

/// A row that is computed only to be stored is computed where it is stored.
void writeToArrays(func::FuncOp function) {
  function.walk([](bufferization::MaterializeInDestinationOp store) {
    auto op = store.getSource().getDefiningOp<GenericOp>();
    auto type = cast<RankedTensorType>(store.getSource().getType());
    if (!op || !isa<MemRefType>(store.getDest().getType()) || op->getBlock() != store->getBlock() ||
        op.getNumResults() != 1 || !op->hasOneUse() || !writesEmpty(op, 0) ||
        !type.hasStaticShape() || type.getShape().back() == 1)
      return;
    // The store keeps its place among other accesses of the array; the arithmetic may move.
    op->moveBefore(store);
    OpBuilder builder(op);
    op.getDpsInitOperand(0)->set(bufferization::ToTensorOp::create(
        builder, store.getLoc(), type, store.getDest(), /*restrict=*/true, /*writable=*/true));
  });
}

/// The carried argument whose buffer `value` is written into, seen from the end of the loop's body.
Value findDestination(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
    if (op)
      value = op.getTiedOpOperand(result)->get();
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(result.getOwner()))
      value = insert.getDest();
    else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      value = loop.getInitArgs()[result.getResultNumber()];
    else
      break;
  }
  return value;
}

/// Makes every value that a loop yields lie in the buffer of the value that it carries.
void writeBackCarried(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value value = yield.getOperand(number);
    if (!isa<RankedTensorType>(value.getType()) || findDestination(value) == carried)
      continue;
    auto op = value.getDefiningOp<GenericOp>();
    if (op && op->getBlock() == loop.getBody() && op.getNumResults() == 1 && writesEmpty(op, 0) &&
        isLastUse(carried, op) && !llvm::is_contained(op.getInputs(), carried)) {
      op.getDpsInitOperand(0)->set(carried);
      continue;
    }
    OpBuilder builder(yield);
    auto written = bufferization::MaterializeInDestinationOp::create(
        builder, value.getLoc(), carried.getType(), value, carried);
    yield->setOperand(number, written.getResult());
  }
}

struct ReuseDestinationsPass : attn::impl::ReuseDestinationsPassBase<ReuseDestinationsPass> {
  void runOnOperation() override {
    separateInits(getOperation());
    writeToArrays(getOperation());
    updateInPlace(getOperation());
    getOperation().walk(writeBackCarried);
  }
};

} // namespace
