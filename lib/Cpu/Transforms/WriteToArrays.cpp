// The pass `jit-write-to-arrays`: computes tiles where they are stored. CPU stage, on tensors.
#include "WholeRows.h"
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attn {
#define GEN_PASS_DEF_WRITETOARRAYSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using linalg::GenericOp;

namespace {

/// What computes a tile that is only stored, in order: one operation, or several that each insert
/// some rows. `destinations` are the operands through which they write into a buffer.
struct StoredTile {
  SmallVector<Operation *> operations;
  SmallVector<OpOperand *> destinations;

  explicit operator bool() const { return !destinations.empty(); }
};

/// Reads a tile as one whose rows are inserted into nothing, one part after the other; each part is
/// used for that alone.
StoredTile findInserted(Value tile, Block *block) {
  StoredTile found;
  while (auto insert = tile.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert->getBlock() != block)
      return {};
    found.destinations.clear();
    found.operations.push_back(insert);
    found.destinations.push_back(&insert.getDestMutable());
    tile = insert.getDest();
    auto op = insert.getSource().getDefiningOp<GenericOp>();
    auto place = op && op.getNumResults() == 1 && op->hasOneUse()
                     ? op.getDpsInits().front().getDefiningOp<tensor::ExtractSliceOp>()
                     : tensor::ExtractSliceOp();
    if (place && place.getSource() == tile && place->hasOneUse() && op->getBlock() == block) {
      found.operations.append({op, place});
      found.destinations.push_back(&place.getSourceMutable());
    }
    bool isLast = tile.getDefiningOp<tensor::EmptyOp>() != nullptr;
    if (!isLast && !tile.hasNUses(found.destinations.size()))
      return {};
  }
  if (!tile.getDefiningOp<tensor::EmptyOp>())
    return {};
  std::reverse(found.operations.begin(), found.operations.end());
  return found;
}

/// What computes a tile and may do so anywhere in its block instead, right before `store`.
StoredTile findStoredTile(Value tile, Operation *store) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!tile.hasOneUse() || !type.hasStaticShape() || type.getShape().back() == 1)
    return {};
  auto op = tile.getDefiningOp<GenericOp>();
  if (!op)
    return findInserted(tile, store->getBlock());
  if (op->getBlock() != store->getBlock() || op.getNumResults() != 1 ||
      !op.getDpsInits().front().getDefiningOp<tensor::EmptyOp>() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return {};
  return {{op}, {op.getDpsInitOperand(0)}};
}

/// Lets a tile be computed in `place`, right before `store`: the store keeps its place among other
/// accesses of the array; the arithmetic may move.
void writeTo(const StoredTile &tile, Value place, bufferization::MaterializeInDestinationOp store) {
  for (Operation *op : tile.operations)
    op->moveBefore(store);
  OpBuilder builder(tile.operations.front());
  Value written = bufferization::ToTensorOp::create(
      builder, store.getLoc(), tile.destinations.front()->get().getType(), place,
      /*restrict=*/true, /*writable=*/true);
  for (OpOperand *destination : tile.destinations)
    destination->set(written);
}

/// A tile of which only the first rows, those that exist, are stored is computed in the array where
/// all do, and otherwise in a buffer, of which those rows are copied.
void writeToArrayOrBuffer(const StoredTile &tile, tensor::ExtractSliceOp part,
                          bufferization::MaterializeInDestinationOp store) {
  auto to = store.getDest().getDefiningOp<memref::SubViewOp>();
  // The one number that is not known must be that of the rows, not of the columns.
  if (!to || part.getSizes().size() != 1 || !part.isDynamicSize(0) ||
      to.getSizes() != part.getSizes() || to.getType().getRank() != 2 ||
      !llvm::all_of(part.getMixedOffsets(), isZeroInteger))
    return;
  ImplicitLocOpBuilder builder(store.getLoc(), store);
  auto type =
      MemRefType::get(part.getSourceType().getShape(), part.getSourceType().getElementType());
  Value buffer = memref::AllocOp::create(builder, type);
  Value isWhole = attn::jit::createIsWhole(builder, part.getSizes().front(), type);
  Value place = attn::jit::createChoice(builder, isWhole,
                                        attn::jit::createWholeView(builder, to, type), buffer);
  auto whole = bufferization::MaterializeInDestinationOp::create(
      builder, /*result=*/Type(), part.getSource(), place, /*restrict=*/true, /*writable=*/true);
  auto copy = scf::IfOp::create(builder, attn::jit::createNot(builder, isWhole),
                                /*withElseRegion=*/false);
  builder.setInsertionPoint(copy.thenBlock()->getTerminator());
  Value rows = memref::SubViewOp::create(builder, buffer, part.getMixedOffsets(),
                                         part.getMixedSizes(), part.getMixedStrides());
  memref::CopyOp::create(builder, rows, to);
  store.erase();
  part.erase();
  writeTo(tile, place, whole);
}

/// Whether an operation computes each element of a tile by itself, from elements at its place or
/// broadcast to it.
bool isElementwise(GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

/// The elements of an operand that `sizes` elements along each loop, the first ones, read.
Value createFirstPart(OpBuilder &builder, GenericOp op, OpOperand &operand,
                      ArrayRef<OpFoldResult> sizes) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return operand.get();
  SmallVector<OpFoldResult> read;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    read.push_back(dim ? sizes[dim.getPosition()] : OpFoldResult(builder.getIndexAttr(1)));
  }
  SmallVector<OpFoldResult> offsets(read.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> steps(read.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, op.getLoc(), operand.get(), offsets, read, steps);
}

/// A tile of which only the first columns, those that exist, are stored is computed as far as it is
/// stored, in the array. Returns whether it could be.
bool writePart(const StoredTile &tile, tensor::ExtractSliceOp part,
               bufferization::MaterializeInDestinationOp store) {
  auto op = dyn_cast<GenericOp>(tile.operations.front());
  auto place = cast<MemRefType>(store.getDest().getType());
  if (!op || !isElementwise(op) || !part.isDynamicSize(1) ||
      place.getShape() != part.getType().getShape() ||
      !llvm::all_of(part.getMixedOffsets(), isZeroInteger) ||
      !llvm::all_of(part.getMixedStrides(), isOneInteger))
    return false;
  OpBuilder builder(store);
  Value written = bufferization::ToTensorOp::create(builder, store.getLoc(), part.getType(),
                                                    store.getDest(), /*restrict=*/true,
                                                    /*writable=*/true);
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands())
    operands.push_back(createFirstPart(builder, op, *input, part.getMixedSizes()));
  operands.push_back(written);
  Operation *stored = clone(builder, op, part.getType(), operands);
  store.getSourceMutable().assign(stored->getResult(0));
  part.erase();
  op.erase();
  return true;
}

/// Where `store` writes, in the shape of the tile: the type of its destination may say less.
Value getPlace(bufferization::MaterializeInDestinationOp store) {
  auto place = cast<MemRefType>(store.getDest().getType());
  auto tile = cast<RankedTensorType>(store.getSource().getType());
  if (place.getShape() == tile.getShape())
    return store.getDest();
  OpBuilder builder(store);
  auto type = MemRefType::get(tile.getShape(), place.getElementType(), place.getLayout(),
                              place.getMemorySpace());
  return memref::CastOp::create(builder, store.getLoc(), type, store.getDest());
}

struct WriteToArraysPass : attn::impl::WriteToArraysPassBase<WriteToArraysPass> {
  void runOnOperation() override {
    SmallVector<bufferization::MaterializeInDestinationOp> stores;
    getOperation().walk(
        [&](bufferization::MaterializeInDestinationOp store) { stores.push_back(store); });
    for (bufferization::MaterializeInDestinationOp store : stores) {
      if (!isa<MemRefType>(store.getDest().getType()))
        continue;
      if (StoredTile tile = findStoredTile(store.getSource(), store)) {
        writeTo(tile, getPlace(store), store);
        ++direct;
        continue;
      }
      auto part = store.getSource().getDefiningOp<tensor::ExtractSliceOp>();
      bool isPart = part && part->hasOneUse() && part.getSourceType().getRank() == 2;
      StoredTile tile = isPart ? findStoredTile(part.getSource(), store) : StoredTile();
      if (!tile) {
        ++copied;
      } else if (writePart(tile, part, store)) {
        ++direct;
      } else {
        writeToArrayOrBuffer(tile, part, store);
        ++chosen;
      }
    }
  }
};

} // namespace
