// Lets the products of a kernel take turns in the same slots of L0A and L0B (ascend stage, part of
// ascend-double-buffer).
#include "SharedSlots.h"
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

static int64_t getStages(scf::ForOp loop) {
  auto stages = loop->getAttrOfType<IntegerAttr>("ascend.stages");
  return stages ? stages.getInt() : 1;
}

namespace {

class SlotSharing {
public:
  explicit SlotSharing(func::FuncOp kernel) : kernel(kernel), rewriter(kernel.getContext()) {}

  void run() {
    BufferUses uses(kernel);
    if (!collect(uses, LocalMemory::L0A) || !collect(uses, LocalMemory::L0B) || loops.size() < 2)
      return;
    for (Ring &ring : rings)
      makeRing(ring);
    rewriter.setInsertionPointAfter(rings.back().shared);
    Value start = arith::ConstantIndexOp::create(rewriter, kernel.getLoc(), 0);
    thread(kernel.getBody().front(), start);
  }

private:
  /// The buffers of one memory, by the loop over parts that uses each, and what takes their place.
  struct Ring {
    DenseMap<Operation *, AllocOp> buffers;
    AllocOp shared;
  };

  bool collect(const BufferUses &uses, LocalMemory memory);
  void makeRing(Ring &ring);
  Value thread(Block &block, Value counter);
  Value takeSlots(Operation *old, scf::ForOp loop, Value slot);

  func::FuncOp kernel;
  IRRewriter rewriter;
  int64_t slots = 0;
  SmallVector<Ring, 2> rings;
  DenseSet<Operation *> loops;  // over parts of products
  DenseSet<Operation *> around; // loops that have such loops inside
};

} // namespace

/// Notes the buffers of a memory; false where they cannot be shared.
bool SlotSharing::collect(const BufferUses &uses, LocalMemory memory) {
  Ring ring;
  Type element;
  for (AllocOp buffer : uses.getBuffers()) {
    if (buffer.getMemory() != memory)
      continue;
    scf::ForOp loop = uses.getCommonLoop(buffer);
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    bool isUniform = loop && getStages(loop) > 1 && (slots == 0 || getStages(loop) == slots) &&
                     (!element || element == type) && buffer.getSlotCount() == 1;
    if (!isUniform || !ring.buffers.try_emplace(loop, buffer).second)
      return false;
    slots = getStages(loop);
    element = type;
    for (Operation *parent = loop->getParentOp(); parent != kernel;
         parent = parent->getParentOp()) {
      if (!isa<scf::ForOp>(parent))
        return false;
      around.insert(parent);
    }
    if (!rings.empty() && !loops.contains(loop))
      return false;
    loops.insert(loop);
  }
  if (!rings.empty() && ring.buffers.size() != loops.size())
    return false;
  rings.push_back(std::move(ring));
  return true;
}

/// One buffer with slots as large as the largest.
void SlotSharing::makeRing(Ring &ring) {
  AllocOp first, largest;
  for (auto &[loop, buffer] : ring.buffers) {
    if (!first || buffer->isBeforeInBlock(first))
      first = buffer;
    if (!largest || buffer.getByteSize() > largest.getByteSize())
      largest = buffer;
  }
  auto type = cast<MemRefType>(largest.getType());
  auto shared = MemRefType::get({slots, type.getDimSize(0)}, type.getElementType(),
                                MemRefLayoutAttrInterface(), type.getMemorySpace());
  rewriter.setInsertionPoint(first);
  ring.shared = AllocOp::create(rewriter, first.getLoc(), shared, first.getName(),
                                rewriter.getI64IntegerAttr(0));
}

/// Lets a loop over parts use its slots; gives the slot after its iteration.
Value SlotSharing::takeSlots(Operation *old, scf::ForOp loop, Value slot) {
  rewriter.setInsertionPointToStart(loop.getBody());
  for (Ring &ring : rings) {
    AllocOp buffer = ring.buffers.lookup(old);
    auto type = cast<MemRefType>(ring.shared.getType());
    auto one = MemRefType::get({type.getDimSize(1)}, type.getElementType(),
                               MemRefLayoutAttrInterface(), type.getMemorySpace());
    auto now = SlotOp::create(rewriter, buffer.getLoc(), one, ring.shared, slot);
    rewriter.replaceOp(buffer, now.getResult());
  }
  Location location = loop.getLoc();
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value one = arith::ConstantIndexOp::create(rewriter, location, 1);
  Value more = arith::AddIOp::create(rewriter, location, slot, one);
  Value count = arith::ConstantIndexOp::create(rewriter, location, slots);
  return arith::RemUIOp::create(rewriter, location, more, count);
}

/// Hands the number of the next slot through all loops; gives what it is after the block.
Value SlotSharing::thread(Block &block, Value counter) {
  auto handOn = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>{arguments.back()};
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!loops.contains(&op) && !around.contains(&op))
      continue;
    bool isOverParts = loops.contains(&op);
    rewriter.setInsertionPoint(&op);
    auto changed =
        cast<scf::ForOp>(cast<scf::ForOp>(op)
                             .replaceWithAdditionalYields(
                                 rewriter, counter, /*replaceInitOperandUsesInLoop=*/false, handOn)
                             ->getOperation());
    Value slot = changed.getRegionIterArgs().back();
    Value next = isOverParts ? takeSlots(&op, changed, slot) : thread(*changed.getBody(), slot);
    Operation *yield = changed.getBody()->getTerminator();
    yield->setOperand(yield->getNumOperands() - 1, next);
    counter = changed->getResults().back();
  }
  return counter;
}

void ascend::shareProductSlots(func::FuncOp kernel) { SlotSharing(kernel).run(); }
