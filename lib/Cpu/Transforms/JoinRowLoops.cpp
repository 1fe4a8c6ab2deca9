// The pass `jit-join-row-loops`: one loop over the rows for sweeps that work on the same tile. CPU
// stage, on vectors.
#include "attn/Cpu/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace attn {
#define GEN_PASS_DEF_JOINROWLOOPSPASS
#include "attn/Cpu/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

/// What an operation reads or writes: elements of `memref`, a view of `buffer`, at `indices`. The
/// buffer is null for arrays of the caller, any of which may be any other.
struct Access {
  Value memref, buffer;
  ValueRange indices;
  bool isWrite;
};

/// The buffer that a view shows; null where it is not a buffer of this function.
Value findBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  Operation *producer = memref.getDefiningOp();
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(producer) ? memref : Value();
}

/// Collects what `op` and everything in it accesses; false where that is not known.
bool collectAccesses(Operation *op, SmallVectorImpl<Access> &accesses) {
  WalkResult result = op->walk([&](Operation *inner) {
    auto add = [&](Value memref, ValueRange indices, bool isWrite) {
      accesses.push_back({memref, findBuffer(memref), indices, isWrite});
      return WalkResult::advance();
    };
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      return add(load.getMemRef(), load.getIndices(), false);
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      return add(store.getMemRef(), store.getIndices(), true);
    if (auto load = dyn_cast<vector::LoadOp>(inner))
      return add(load.getBase(), load.getIndices(), false);
    if (auto store = dyn_cast<vector::StoreOp>(inner))
      return add(store.getBase(), store.getIndices(), true);
    if (auto load = dyn_cast<vector::MaskedLoadOp>(inner))
      return add(load.getBase(), load.getIndices(), false);
    if (auto store = dyn_cast<vector::MaskedStoreOp>(inner))
      return add(store.getBase(), store.getIndices(), true);
    bool isHarmless = isa<memref::PrefetchOp>(inner) || inner->getNumRegions() > 0 ||
                      isMemoryEffectFree(inner);
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether two accesses may be of the same elements, one of them a write.
bool mayMeet(const Access &first, const Access &second) {
  return (first.isWrite || second.isWrite) && first.buffer == second.buffer;
}

bool mayMeet(ArrayRef<Access> first, ArrayRef<Access> second) {
  return llvm::any_of(first, [&](const Access &one) {
    return llvm::any_of(second, [&](const Access &other) { return mayMeet(one, other); });
  });
}

/// Whether an access in `loop` is of the row that the loop is at, counted from that of the buffer.
bool isOfRow(const Access &access, scf::ForOp loop) {
  Value memref = access.memref;
  while (memref != access.buffer) {
    auto part = memref.getDefiningOp<memref::SubViewOp>();
    if (!part || part.getType().getRank() != part.getSourceType().getRank() ||
        !isConstantIntValue(part.getMixedOffsets()[0], 0) ||
        !isConstantIntValue(part.getMixedStrides()[0], 1))
      return false;
    memref = part.getSource();
  }
  return !access.indices.empty() && access.indices[0] == loop.getInductionVar();
}

/// Whether both loops take the same rows, and hand nothing on from one to the next.
bool countAlike(scf::ForOp first, scf::ForOp second) {
  auto isSame = [](Value one, Value other) {
    std::optional<int64_t> number = getConstantIntValue(one);
    return one == other || (number && number == getConstantIntValue(other));
  };
  return first.getInitArgs().empty() && second.getInitArgs().empty() &&
         isSame(first.getLowerBound(), second.getLowerBound()) &&
         isSame(first.getUpperBound(), second.getUpperBound()) &&
         isSame(first.getStep(), second.getStep());
}

/// Whether a row of the second loop may follow the same row of the first, and whether that leaves
/// something in the nearest cache: where they meet, it is in that row of a buffer.
bool mayJoin(scf::ForOp first, ArrayRef<Access> firstAccesses, scf::ForOp second,
             ArrayRef<Access> secondAccesses) {
  bool meet = false;
  for (const Access &one : firstAccesses)
    for (const Access &other : secondAccesses) {
      if (!mayMeet(one, other))
        continue;
      if (!one.buffer || !isOfRow(one, first) || !isOfRow(other, second))
        return false;
      meet = true;
    }
  return meet;
}

/// Collects, in order, what `op` needs of the operations after `first`; false where that is not
/// free to move before it.
bool collectNeeded(Operation *op, Operation *first, llvm::SetVector<Operation *> &needed) {
  bool isPossible = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != first->getBlock() ||
          producer->isBeforeInBlock(first) || needed.contains(producer))
        continue;
      isPossible &= producer->getNumRegions() == 0 && isMemoryEffectFree(producer) &&
                    collectNeeded(producer, first, needed);
      needed.insert(producer);
    }
  });
  return isPossible;
}

void join(scf::ForOp first, scf::ForOp second, ArrayRef<Operation *> needed) {
  for (Operation *op : needed)
    op->moveBefore(first);
  second.getInductionVar().replaceAllUsesWith(first.getInductionVar());
  Block *body = second.getBody();
  body->getTerminator()->erase();
  Operation *end = first.getBody()->getTerminator();
  first.getBody()->getOperations().splice(end->getIterator(), body->getOperations());
  second.erase();
}

/// Joins later loops of its block to `first`.
void joinTo(scf::ForOp first) {
  SmallVector<Access> own, between;
  if (!first.getInitArgs().empty() || !collectAccesses(first, own))
    return;
  for (Operation *op = first->getNextNode(); op;) {
    Operation *next = op->getNextNode();
    SmallVector<Access> accesses;
    if (!collectAccesses(op, accesses))
      return;
    auto second = dyn_cast<scf::ForOp>(op);
    llvm::SetVector<Operation *> needed;
    if (second && countAlike(first, second) && mayJoin(first, own, second, accesses) &&
        !mayMeet(between, accesses) && collectNeeded(second, first, needed)) {
      join(first, second, needed.getArrayRef());
      own.clear();
      collectAccesses(first, own);
    } else {
      between.append(accesses);
    }
    op = next;
  }
}

struct JoinRowLoopsPass : attn::impl::JoinRowLoopsPassBase<JoinRowLoopsPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      for (Operation *op = block->empty() ? nullptr : &block->front(); op; op = op->getNextNode())
        if (auto loop = dyn_cast<scf::ForOp>(op))
          joinTo(loop);
  }
};

} // namespace
