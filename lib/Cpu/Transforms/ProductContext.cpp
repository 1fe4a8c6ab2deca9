// What stands around a product, and how it is cut by that: what it is added to, what is added to
// it, and loops that do not change its operands. CPU stage, on buffers, used by
// `jit-lower-products`.
#include "ProductContext.h"
#include "attn/Cpu/IR/Cpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn::jit;

Value attn::jit::getWhole(Value memref) {
  auto part = memref.getDefiningOp<memref::SubViewOp>();
  return part ? part.getSource() : memref;
}

Value attn::jit::getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool attn::jit::touches(Operation *op, Value buffer) {
  return op
      ->walk([&](Operation *inside) {
        return llvm::is_contained(llvm::map_range(inside->getOperands(), getRoot), buffer)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool attn::jit::isPlain(linalg::MatmulOp product) {
  return product.hasPureBufferSemantics() &&
         llvm::all_of(product->getOperandTypes(),
                      [](Type type) { return cast<MemRefType>(type).getRank() == 2; });
}

bool attn::jit::isTransposed(linalg::MatmulOp product, unsigned operand) {
  AffineMap map = product.getIndexingMapsArray()[operand];
  return map.getDimPosition(0) > map.getDimPosition(1) ? operand == 0 : operand == 1;
}

int64_t attn::jit::countTileRows(Value result) {
  if (auto part = result.getDefiningOp<memref::SubViewOp>();
      part && part.getType().isDynamicDim(0) && part.getSourceType().getRank() == 2)
    result = part.getSource();
  int64_t rows = cast<MemRefType>(result.getType()).getDimSize(0);
  return ShapedType::isDynamic(rows) ? std::numeric_limits<int64_t>::max() : rows;
}

/// Whether both operands are bf16 whose pairs along k can be copied.
static bool mayPair(linalg::MatmulOp product) {
  return !isTransposed(product, 0) && llvm::all_of(product.getInputs(), [](Value operand) {
    return cast<MemRefType>(operand.getType()).getElementType().isBF16();
  });
}

ProductBlocks attn::jit::chooseBlocks(linalg::MatmulOp product, int64_t lanes, bool pairs) {
  // Sums take most of the registers that a machine of so wide vectors has. Six rows of four vectors
  // take ten operands for each k, twelve of two take fourteen, but may leave fewer columns over.
  ProductBlocks blocks;
  blocks.lanes = lanes;
  bool areMany = lanes >= 16;
  int64_t cols = cast<MemRefType>(product.getOutputs()[0].getType()).getDimSize(1);
  bool isNarrow = !ShapedType::isDynamic(cols) &&
                  llvm::alignTo(cols, 2 * lanes) < llvm::alignTo(cols, 4 * lanes);
  blocks.vectors = areMany && !isNarrow ? 4 : 2;
  blocks.rows = areMany && isNarrow ? 12 : 6;
  blocks.mostRows = 192;
  blocks.mostInner = blocks.mostCols = 256;
  int64_t tileRows = countTileRows(product.getOutputs()[0]);
  blocks.fewRows = tileRows > 4 && tileRows <= 8 ? 8 : 4;
  blocks.mostSums = areMany ? 16 : 8;
  if (tileRows <= blocks.fewRows) {
    blocks.rows = blocks.fewRows;
    blocks.vectors = blocks.mostSums / blocks.fewRows;
    // Panels of one line read the few rows that are read at a time nearly in the order of memory,
    // and lines are asked for evenly: many at once wait for each other.
    Value right = product.getInputs()[1];
    if (right.getDefiningOp<attn::cpu::ReadAheadOp>())
      blocks.vectors = std::max<int64_t>(1, countLineElements(getElementTypeOrSelf(right)) / lanes);
  }
  if (pairs && mayPair(product))
    blocks.depth = 2;
  return blocks;
}

/// Whether an op sets what it fills to zero.
static bool fillsWithZero(linalg::FillOp fill) {
  Value number = fill.getInputs()[0];
  return matchPattern(number, m_PosZeroFloat()) || matchPattern(number, m_Zero());
}

linalg::FillOp attn::jit::findFill(linalg::MatmulOp product) {
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(product->getPrevNode());
      fill && fill.getOutputs()[0] == product.getOutputs()[0] && fillsWithZero(fill))
    return fill;
  Value buffer = getWhole(product.getOutputs()[0]);
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return {};
  Operation *last = nullptr;
  for (Operation *user : buffer.getUsers()) {
    Operation *ancestor = product->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor)
      return {};
    // What a view is used for comes after the view.
    bool isBefore = ancestor->isBeforeInBlock(product);
    if (isBefore && isa<ViewLikeOpInterface>(user) &&
        !llvm::all_of(user->getUsers(), [&](Operation *reader) {
          Operation *place = product->getBlock()->findAncestorOpInBlock(*reader);
          return place && !place->isBeforeInBlock(product);
        }))
      return {};
    if (isBefore && !isa<ViewLikeOpInterface>(user) && (!last || last->isBeforeInBlock(ancestor)))
      last = ancestor;
  }
  auto fill = dyn_cast_or_null<linalg::FillOp>(last);
  if (!fill || fill.getOutputs()[0] != buffer)
    return {};
  return fillsWithZero(fill) && cast<MemRefType>(buffer.getType()).getRank() == 2
             ? fill
             : linalg::FillOp();
}

/// The operation right after `product` that adds it to another tile of the same shape, which it
/// updates; null where there is none. Nothing else may use `buffer`, which the product is a part
/// of.
static linalg::GenericOp findSum(linalg::MatmulOp product, linalg::FillOp fill, Value buffer) {
  Operation *next = product->getNextNode();
  while (next && isMemoryEffectFree(next))
    next = next->getNextNode();
  auto sum = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!sum || sum.getNumDpsInits() != 1 || sum.getNumReductionLoops() > 0 ||
      llvm::count(sum.getInputs(), buffer) != 1)
    return {};
  // The product, or a part of it, is summed in the target: a view of another layout takes it whole.
  auto target = cast<MemRefType>(sum.getDpsInits()[0].getType());
  auto type = cast<MemRefType>(buffer.getType());
  bool isWhole = product.getOutputs()[0] == buffer && target.getShape() == type.getShape() &&
                 target.getElementType() == type.getElementType();
  if (sum.getDpsInits()[0] == buffer || (target != type && !isWhole))
    return {};
  bool isAlone = llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    bool isPart =
        user == product.getOutputs()[0].getDefiningOp() &&
        llvm::all_of(user->getUsers(), [&](Operation *reader) { return reader == product; });
    return isPart || user == product || user == fill || user == sum;
  });
  return isAlone ? sum : linalg::GenericOp();
}

/// The other addend of the value that `sum` yields, one of which is `argument`; null where it is
/// something else than their sum.
static Value findAddend(linalg::GenericOp sum, BlockArgument argument) {
  auto add = sum.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || !argument.hasOneUse() || *argument.getUsers().begin() != add)
    return {};
  Value addend = add.getLhs() == argument ? add.getRhs() : add.getLhs();
  return addend.getParentBlock() == sum.getBody() ? addend : Value();
}

/// Whether a memref is surely no part of `buffer`, an allocation.
static bool isApart(Value memref, Value buffer) {
  memref = getRoot(memref);
  return memref != buffer &&
         (isa<BlockArgument>(memref) || memref.getDefiningOp<memref::AllocOp>());
}

/// Whether `sum` can be computed before `anchor`, and without what `product` reads being changed.
static bool mayComeFirst(linalg::GenericOp sum, Operation *anchor, linalg::MatmulOp product,
                         Value buffer) {
  Value target = getRoot(sum.getDpsInits()[0]);
  return target.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(product.getInputs(), [&](Value input) { return isApart(input, target); }) &&
         llvm::all_of(sum->getOperands(), [&](Value operand) {
           Operation *producer = operand.getDefiningOp();
           return operand == buffer || !producer || producer->getBlock() != anchor->getBlock() ||
                  producer->isBeforeInBlock(anchor);
         });
}

bool attn::jit::absorbSum(linalg::MatmulOp product) {
  linalg::FillOp fill = findFill(product);
  Value buffer = getWhole(product.getOutputs()[0]);
  linalg::GenericOp sum = fill ? findSum(product, fill, buffer) : linalg::GenericOp();
  if (!sum)
    return false;
  auto input = llvm::find_if(sum->getOpOperands(),
                             [&](OpOperand &operand) { return operand.get() == buffer; });
  Operation *anchor = product.getOutputs()[0].getDefiningOp<memref::SubViewOp>();
  anchor = anchor ? anchor : product;
  BlockArgument argument = sum.getMatchingBlockArgument(input);
  Value addend = findAddend(sum, argument);
  if (!addend || !mayComeFirst(sum, anchor, product, buffer) ||
      !sum.getMatchingIndexingMap(input).isIdentity() ||
      !sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)).isIdentity())
    return false;
  IRRewriter rewriter(product.getContext());
  Value target = sum.getDpsInits()[0];
  if (addend == sum.getRegionOutputArgs()[0]) {
    product.getOutputsMutable()[0].set(target);
    rewriter.eraseOp(sum);
    rewriter.eraseOp(fill);
    return true;
  }
  // The addend by itself, before the product: what the product was in it is not needed any more.
  Operation *add = sum.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  sum.getBody()->getTerminator()->setOperand(0, addend);
  rewriter.eraseOp(add);
  unsigned number = input->getOperandNumber();
  SmallVector<Attribute> maps(sum.getIndexingMaps().begin(), sum.getIndexingMaps().end());
  maps.erase(maps.begin() + number);
  sum.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
  sum.getBody()->eraseArgument(number);
  sum.getInputsMutable().erase(number);
  rewriter.moveOpBefore(sum, anchor);
  rewriter.replaceAllUsesWith(buffer, target);
  rewriter.eraseOp(fill);
  return true;
}

/// What computes a buffer element by element, where it is the only one to write it and `reader`, a
/// product or the part of the buffer that one takes, the only one to read it; otherwise null.
static OpOperand *findWriter(Value buffer, Operation *reader) {
  OpOperand *writer = nullptr;
  for (OpOperand &use : buffer.getUses()) {
    auto sweep = dyn_cast<linalg::GenericOp>(use.getOwner());
    bool isRead = use.getOwner() == reader;
    if (!isRead &&
        (writer || !sweep || !sweep.isDpsInit(&use) || sweep.payloadUsesValueFromOperand(&use) ||
         !sweep.getMatchingIndexingMap(&use).isIdentity()))
      return nullptr;
    if (!isRead)
      writer = &use;
  }
  return writer;
}

bool attn::jit::widenLeft(linalg::MatmulOp product) {
  Value left = product.getInputs()[0], buffer = getWhole(left);
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  auto part = left.getDefiningOp<memref::SubViewOp>();
  Type wide = cast<MemRefType>(product.getOutputs()[0].getType()).getElementType();
  bool isNarrow = isa<FloatType>(wide) && alloc && alloc.getType().getElementType() != wide;
  if (!isNarrow || !alloc.getType().getLayout().isIdentity() || (part && !part->hasOneUse()) ||
      llvm::count(product->getOperands(), left) != 1)
    return false;
  OpOperand *output = findWriter(buffer, part ? part : product.getOperation());
  if (!output)
    return false;
  auto sweep = cast<linalg::GenericOp>(output->getOwner());
  OpBuilder builder(alloc);
  Value widened = memref::AllocOp::create(builder, alloc.getLoc(),
                                          MemRefType::get(alloc.getType().getShape(), wide),
                                          alloc.getAlignmentAttr());
  OpOperand &result = *sweep.getMatchingYieldValue(output);
  builder.setInsertionPoint(result.getOwner());
  result.set(arith::ExtFOp::create(builder, sweep.getLoc(), wide, result.get()));
  sweep.getMatchingBlockArgument(output).setType(wide);
  output->set(widened);
  if (part) {
    builder.setInsertionPoint(part);
    widened = memref::SubViewOp::create(builder, part.getLoc(), widened, part.getMixedOffsets(),
                                        part.getMixedSizes(), part.getMixedStrides());
  }
  product.getInputsMutable()[0].set(widened);
  if (part)
    part.erase();
  alloc.erase();
  return true;
}

/// Whether nothing writes a buffer or array, by any view of it.
static bool isOnlyRead(Value memref) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    if (llvm::any_of(user->getResultTypes(), llvm::IsaPred<MemRefType>))
      return llvm::all_of(user->getResults(), isOnlyRead);
    return isMemoryEffectFree(user) ||
           (isa<MemoryEffectOpInterface>(user) &&
            !cast<MemoryEffectOpInterface>(user).getEffectOnValue<MemoryEffects::Write>(memref));
  });
}

scf::ForOp attn::jit::findLoopWithFixedLeft(linalg::MatmulOp product) {
  scf::ForOp found;
  Value left = product.getInputs()[0];
  auto array = dyn_cast<BlockArgument>(getRoot(left));
  if (!array || !isa<func::FuncOp>(array.getOwner()->getParentOp()) || !isOnlyRead(array))
    return {};
  for (Operation *parent = product->getParentOp(); auto loop = dyn_cast<scf::ForOp>(parent);
       parent = loop->getParentOp()) {
    moveLoopInvariantCode(loop);
    if (!loop.isDefinedOutsideOfLoop(left))
      break;
    found = loop;
  }
  return found;
}
