// The pass `jit-reuse-destinations`: lets operations write into operands they read last. CPU stage,
// on tensors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_REUSEDESTINATIONSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether nothing after `op`, in its block, reads `value` or a part of it.
bool isReadBefore(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || (ancestor != op && !ancestor->isBeforeInBlock(op)))
      return false;
    bool isView = isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user);
    return !isView || isReadBefore(user->getResult(0), op);
  });
}

/// Whether `op` is the last one to read `value`, which is of the same block.
bool isLastUse(Value value, Operation *op) {
  return value.getParentBlock() == op->getBlock() && isReadBefore(value, op);
}

/// Whether `op`, which overwrites `value`, is the last to read it; what its body reads itself, it
/// reads after that.
bool mayOverwrite(Operation *op, Value value) {
  return isLastUse(value, op) && llvm::none_of(value.getUsers(), [&](Operation *user) {
           return op->isProperAncestor(user);
         });
}

/// Whether `op` computes what replaces `part` in the tile that it was taken from.
bool replacesPart(GenericOp op, tensor::ExtractSliceOp part) {
  auto insert = dyn_cast<tensor::InsertSliceOp>(*op->getUsers().begin());
  return insert && op->hasOneUse() && insert.getDest() == part.getSource() &&
         insert.getSource() == op.getResult(0) &&
         insert.getMixedOffsets() == part.getMixedOffsets() &&
         insert.getMixedSizes() == part.getMixedSizes() &&
         insert.getMixedStrides() == part.getMixedStrides();
}

/// Whether `op` may write the buffer of `value`: it is computed here, not carried by a loop, an
/// array of the caller or a part of another value, unless `op` computes what replaces that part.
bool mayOwnBuffer(GenericOp op, Value value) {
  Operation *producer = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<bufferization::ToTensorOp>(producer))
    return load.getWritable();
  if (auto part = dyn_cast_or_null<tensor::ExtractSliceOp>(producer))
    return replacesPart(op, part);
  return producer && !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(producer);
}

bool isInit(Operation *op) { return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op); }

/// A copy of an empty or filled tensor at the place of the builder.
Value cloneInit(OpBuilder &builder, Operation *init) {
  IRMapping mapping;
  if (auto fill = dyn_cast<linalg::FillOp>(init))
    if (Operation *empty = fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
      builder.clone(*empty, mapping);
  return builder.clone(*init, mapping)->getResult(0);
}

/// A product that sums in a part of an empty or filled tensor, which `insert` puts back; otherwise
/// null.
linalg::MatmulOp findProductInPart(tensor::InsertSliceOp insert) {
  auto product = insert.getSource().getDefiningOp<linalg::MatmulOp>();
  if (!product || !product->hasOneUse() || !isInit(insert.getDest().getDefiningOp()))
    return {};
  auto part = product.getOutputs()[0].getDefiningOp<tensor::ExtractSliceOp>();
  return part && part.getSource() == insert.getDest() ? product : linalg::MatmulOp();
}

/// Whether `op` takes the part of an empty or filled tensor that a product sums in and puts back.
bool isPartOfProduct(Operation *op) {
  return isa<tensor::ExtractSliceOp>(op) && llvm::any_of(op->getUsers(), [](Operation *user) {
           auto insert = user->hasOneUse() ? dyn_cast<tensor::InsertSliceOp>(*user->user_begin())
                                           : tensor::InsertSliceOp();
           return insert && findProductInPart(insert) == user;
         });
}

/// Every product that sums in a part of an empty or filled tensor gets one of its own, of which it
/// takes and puts back the part.
void separateProducts(func::FuncOp function) {
  SmallVector<std::pair<tensor::InsertSliceOp, linalg::MatmulOp>> products;
  function.walk([&](tensor::InsertSliceOp insert) {
    if (linalg::MatmulOp product = findProductInPart(insert))
      products.push_back({insert, product});
  });
  for (auto [insert, product] : products) {
    OpBuilder builder(product);
    Operation *part = product.getOutputs()[0].getDefiningOp();
    Operation *init = insert.getDest().getDefiningOp();
    IRMapping mapping;
    mapping.map(insert.getDest(), cloneInit(builder, init));
    product.getOutputsMutable()[0].set(builder.clone(*part, mapping)->getResult(0));
    insert.getDestMutable().set(mapping.lookup(init->getResult(0)));
    for (Operation *old : {part, init})
      if (isOpTriviallyDead(old))
        old->erase();
  }
}

/// Every use of an empty or filled tensor gets its own, beside it: shared ones would have to be
/// copied.
void separateInits(func::FuncOp function) {
  SmallVector<OpOperand *> uses;
  function.walk([&](Operation *op) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    if (insert && findProductInPart(insert))
      return;
    for (OpOperand &use : op->getOpOperands())
      if (isInit(use.get().getDefiningOp()) && !isInit(op) && !isPartOfProduct(op))
        uses.push_back(&use);
  });
  for (OpOperand *use : uses) {
    Operation *init = use->get().getDefiningOp();
    if (use->get().hasOneUse() && init->getBlock() == use->getOwner()->getBlock())
      continue;
    OpBuilder builder(use->getOwner());
    use->set(cloneInit(builder, init));
    if (isOpTriviallyDead(init))
      init->erase();
  }
}

/// Whether output `number` starts empty and is only written.
bool writesEmpty(GenericOp op, unsigned number) {
  OpOperand *output = op.getDpsInitOperand(number);
  return output->get().getDefiningOp<tensor::EmptyOp>() && !op.payloadUsesValueFromOperand(output);
}

/// Hands `op` its input `input` as the destination of its first result.
void replaceInputByDestination(RewriterBase &rewriter, GenericOp op, OpOperand *input) {
  unsigned number = input->getOperandNumber();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs()), outputs(op.getOutputs());
  inputs.erase(inputs.begin() + number);
  outputs.front() = input->get();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + number);
  auto updated = GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, outputs,
                                   maps, op.getIteratorTypesArray());
  Block *body = op.getBody();
  rewriter.replaceAllUsesWith(body->getArgument(number), op.getRegionOutputArgs().front());
  body->eraseArgument(number);
  rewriter.inlineRegionBefore(op.getRegion(), updated.getRegion(), updated.getRegion().end());
  rewriter.replaceOp(op, updated.getResults());
}

/// Whether `op` may be given `input` as the destination of its result: it reads it element by
/// element, and nothing reads it later.
bool mayUpdate(GenericOp op, OpOperand *input) {
  return input->get().getType() == op.getResultTypes()[0] &&
         op.getMatchingIndexingMap(input).isIdentity() &&
         llvm::count(op.getInputs(), input->get()) == 1 && isLastUse(input->get(), op);
}

/// Whether the first result of the operation is computed element by element and still needs a
/// buffer.
bool needsDestination(GenericOp op) {
  bool isElementwise = op.getNumReductionLoops() == 0 && op.getNumResults() == 1;
  bool isSwept = op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
  return (isElementwise || isSwept) && writesEmpty(op, 0);
}

/// The operands through which `value` can be computed in the buffer of `carried`, from the last
/// operation to the first. Every value has one last use, so the search visits an operation once.
/// What loops inside carry is where they start.
bool findUpdates(Value value, BlockArgument carried, SmallVectorImpl<OpOperand *> &updates) {
  while (auto loop = value.getDefiningOp<scf::ForOp>()) {
    Value start = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    if (loop->getBlock() != carried.getOwner() || !mayOverwrite(loop, start))
      return false;
    value = start;
  }
  auto op = value.getDefiningOp<GenericOp>();
  if (!op || op->getBlock() != carried.getOwner() || !needsDestination(op))
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!mayUpdate(op, input))
      continue;
    updates.push_back(input);
    if (input->get() == carried || findUpdates(input->get(), carried, updates))
      return true;
    updates.pop_back();
  }
  return false;
}

/// What a loop carries is updated in place, by one operation or by several in a row. Returns how
/// many.
size_t updateCarried(scf::ForOp loop) {
  size_t count = 0;
  IRRewriter rewriter(loop.getContext());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    SmallVector<OpOperand *> updates;
    if (!findUpdates(yield.getOperand(number), carried, updates))
      continue;
    // From the first operation on: each is replaced, and the next one reads the replacement.
    for (OpOperand *input : llvm::reverse(updates))
      replaceInputByDestination(rewriter, cast<GenericOp>(input->getOwner()), input);
    count += updates.size();
  }
  return count;
}

/// Any other elementwise operation updates an input that was computed before. Returns how many do.
size_t updateInPlace(func::FuncOp function) {
  size_t count = 0;
  SmallVector<GenericOp> operations;
  function.walk([&](GenericOp op) { operations.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (GenericOp op : operations) {
    if (!needsDestination(op))
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (mayOwnBuffer(op, input->get()) && mayUpdate(op, input)) {
        replaceInputByDestination(rewriter, op, input);
        ++count;
        break;
      }
  }
  return count;
}

/// Where a value comes from that is updated in place, and whether that is possible: whether nothing
/// on the way is read again after it is overwritten.
struct Updated {
  Value start;
  bool isPossible = true;
};

Updated findUpdated(Value value) {
  Updated found;
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *writer = result.getOwner();
    if (auto op = dyn_cast<DestinationStyleOpInterface>(writer))
      value = op.getTiedOpOperand(result)->get();
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(writer))
      value = insert.getDest();
    else if (auto loop = dyn_cast<scf::ForOp>(writer))
      value = loop.getInitArgs()[result.getResultNumber()];
    else
      break;
    found.isPossible &= mayOverwrite(writer, value);
  }
  found.start = value;
  return found;
}

/// A copy of `value` in a buffer of its own.
Value createCopy(OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty =
      tensor::EmptyOp::create(builder, value.getLoc(), type.getShape(), type.getElementType());
  return linalg::CopyOp::create(builder, value.getLoc(), value, empty).getResult(0);
}

/// Makes every value that a loop yields lie in the buffer of the value that it carries. Returns how
/// many have to be copied there.
size_t writeBackCarried(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  OpBuilder builder(yield);
  SmallVector<unsigned> moved; // numbers of the values that lie elsewhere
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value value = yield.getOperand(number);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Updated updated = findUpdated(value);
    if (!type || !type.hasStaticShape() || (updated.start == carried && updated.isPossible))
      continue;
    auto op = value.getDefiningOp<GenericOp>();
    if (op && op->getBlock() == loop.getBody() && op.getNumResults() == 1 && writesEmpty(op, 0) &&
        isLastUse(carried, op) && !llvm::is_contained(op.getInputs(), carried)) {
      op.getDpsInitOperand(0)->set(carried);
      continue;
    }
    moved.push_back(number);
    // Carried values that change places would be overwritten before they are read.
    if (llvm::is_contained(loop.getRegionIterArgs(), updated.start))
      yield->setOperand(number, createCopy(builder, value));
  }
  for (unsigned number : moved) {
    BlockArgument carried = loop.getRegionIterArgs()[number];
    auto written = bufferization::MaterializeInDestinationOp::create(
        builder, carried.getLoc(), carried.getType(), yield.getOperand(number), carried);
    yield->setOperand(number, written.getResult());
  }
  return moved.size();
}

struct ReuseDestinationsPass : attn::impl::ReuseDestinationsPassBase<ReuseDestinationsPass> {
  void runOnOperation() override {
    separateProducts(getOperation());
    separateInits(getOperation());
    getOperation().walk([&](scf::ForOp loop) { updated += updateCarried(loop); });
    updated += updateInPlace(getOperation());
    getOperation().walk([&](scf::ForOp loop) { written += writeBackCarried(loop); });
  }
};

} // namespace
