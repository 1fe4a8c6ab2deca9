// Lets the products of a kernel take turns in the same slots of L0A, L0B and L0C, and loops that
// move parts of one array in those of UB and L1 (ascend stage, part of ascend-double-buffer).
#include "SharedSlots.h"
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

int64_t ascend::getStages(scf::ForOp loop) {
  auto stages = loop->getAttrOfType<IntegerAttr>("ascend.stages");
  return stages ? stages.getInt() : 1;
}

namespace {

class SlotSharing {
public:
  explicit SlotSharing(func::FuncOp kernel) : kernel(kernel), rewriter(kernel.getContext()) {}

  /// Operands: each iteration of a loop over parts is a turn in L0A and L0B.
  void shareOperands() {
    BufferUses uses(kernel);
    if (collectOperands(uses, LocalMemory::L0A) && collectOperands(uses, LocalMemory::L0B))
      share();
  }

  /// Transfers: each iteration of loops that move parts of one array in turn. Of several arrays
  /// that the same loops move, one number counts the turns.
  void shareTransfers(const BufferUses &uses, ArrayRef<SmallVector<AllocOp>> arrays) {
    auto collect = [&](ArrayRef<AllocOp> buffers) { return collectTransfers(uses, buffers); };
    if (llvm::all_of(arrays, collect))
      share();
  }

  /// Sums: a turn goes from the first product to the last store.
  void shareSums(int64_t bytes) {
    BufferUses uses(kernel);
    if (collectSums(uses, bytes))
      share();
  }

private:
  /// The buffers of one memory, by the first op of their turns, and what takes their place.
  struct Ring {
    DenseMap<Operation *, AllocOp> buffers;
    AllocOp shared;
  };
  /// The ops of the body of a loop that a turn goes from and to.
  struct Turn {
    Operation *first;
    Operation *last;
  };

  bool collectOperands(const BufferUses &uses, LocalMemory memory);
  bool collectTransfers(const BufferUses &uses, ArrayRef<AllocOp> buffers);
  bool collectSums(const BufferUses &uses, int64_t bytes);
  static Turn getWholeBody(scf::ForOp loop);
  bool addTurn(scf::ForOp loop, Turn turn);
  bool areApart() const;
  static Turn findTurn(const BufferUses &uses, AllocOp buffer, scf::ForOp loop);
  bool isApart(Operation *loop, Turn turn) const;
  void share();
  void makeRing(Ring &ring);
  Value thread(Block &block, Value counter, Operation *old);
  void takeSlot(Operation *first, Value slot);
  Value count(Location location, Value slot);

  func::FuncOp kernel;
  IRRewriter rewriter;
  int64_t slots = 0;
  SmallVector<Ring, 2> rings;
  DenseMap<Operation *, SmallVector<Turn, 1>> turns; // by the loop of which they are part
  DenseSet<Operation *> around;                      // loops that have turns inside
};

} // namespace

SlotSharing::Turn SlotSharing::getWholeBody(scf::ForOp loop) {
  Block *body = loop.getBody();
  return {&body->front(), body->getTerminator()->getPrevNode()};
}

/// Notes a turn of a loop, once; false where something else than loops is around it.
bool SlotSharing::addTurn(scf::ForOp loop, Turn turn) {
  SmallVector<Turn, 1> &known = turns[loop];
  if (llvm::none_of(known, [&](const Turn &other) { return other.first == turn.first; }))
    known.push_back(turn);
  for (Operation *parent = loop->getParentOp(); parent != kernel; parent = parent->getParentOp()) {
    if (!isa<scf::ForOp>(parent))
      return false;
    around.insert(parent);
  }
  return true;
}

/// Notes the buffers of a memory of operands; false where they cannot be shared.
bool SlotSharing::collectOperands(const BufferUses &uses, LocalMemory memory) {
  Ring ring;
  Type element;
  for (AllocOp buffer : uses.getBuffers()) {
    if (buffer.getMemory() != memory)
      continue;
    scf::ForOp loop = uses.getCommonLoop(buffer);
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    bool isUniform = loop && getStages(loop) > 1 && (slots == 0 || getStages(loop) == slots) &&
                     (!element || element == type) && buffer.getSlotCount() == 1;
    if (!isUniform || !ring.buffers.try_emplace(&loop.getBody()->front(), buffer).second)
      return false;
    slots = getStages(loop);
    element = type;
    if ((!rings.empty() && !turns.contains(loop)) || !addTurn(loop, getWholeBody(loop)))
      return false;
  }
  if (!rings.empty() && ring.buffers.size() != turns.size())
    return false;
  rings.push_back(std::move(ring));
  return true;
}

bool SlotSharing::collectTransfers(const BufferUses &uses, ArrayRef<AllocOp> buffers) {
  Ring ring;
  for (AllocOp buffer : buffers) {
    scf::ForOp loop = uses.getCommonLoop(buffer);
    int64_t stages = getStages(loop);
    if ((stages > 1 && slots > 1 && stages != slots) ||
        !ring.buffers.try_emplace(&loop.getBody()->front(), buffer).second ||
        !addTurn(loop, getWholeBody(loop)))
      return false;
    slots = std::max(slots, stages);
  }
  rings.push_back(std::move(ring));
  return areApart();
}

SlotSharing::Turn SlotSharing::findTurn(const BufferUses &uses, AllocOp buffer, scf::ForOp loop) {
  Turn turn{nullptr, nullptr};
  for (const BufferUse &use : uses.getUses(buffer)) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*BufferUse(use).instruction);
    if (!turn.first || op->isBeforeInBlock(turn.first))
      turn.first = op;
    if (!turn.last || turn.last->isBeforeInBlock(op))
      turn.last = op;
  }
  return turn;
}

/// Whether no other turn begins inside of one.
bool SlotSharing::isApart(Operation *loop, Turn turn) const {
  Block &body = cast<scf::ForOp>(loop).getBodyRegion().front();
  auto isInside = [&](const Turn &other) {
    Operation *in = other.first == turn.first ? nullptr : body.findAncestorOpInBlock(*other.first);
    return in && !in->isBeforeInBlock(turn.first) && !turn.last->isBeforeInBlock(in);
  };
  return llvm::none_of(turns,
                       [&](const auto &others) { return llvm::any_of(others.second, isInside); });
}

bool SlotSharing::areApart() const {
  return llvm::all_of(turns, [&](const auto &own) {
    return llvm::all_of(own.second, [&](Turn turn) { return isApart(own.first, turn); });
  });
}

/// Notes the buffers in L0C; false where they cannot take turns.
bool SlotSharing::collectSums(const BufferUses &uses, int64_t bytes) {
  constexpr int64_t slotsOfSums = 2;
  slots = slotsOfSums;
  Ring ring;
  Type element;
  for (AllocOp buffer : uses.getBuffers()) {
    if (buffer.getMemory() != LocalMemory::L0C)
      continue;
    scf::ForOp loop = uses.getCommonLoop(buffer);
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    if (!loop || buffer.getSlotCount() != 1 || (element && element != type) ||
        slots * buffer.getByteSize() > bytes || !uses.isWrittenFirst(buffer))
      return false;
    Turn turn = findTurn(uses, buffer, loop);
    if (!ring.buffers.try_emplace(turn.first, buffer).second || !addTurn(loop, turn))
      return false;
    element = type;
  }
  rings.push_back(std::move(ring));
  return areApart();
}

void SlotSharing::share() {
  if (turns.size() < 2)
    return;
  for (Ring &ring : rings)
    makeRing(ring);
  rewriter.setInsertionPointAfter(rings.back().shared);
  Value start = arith::ConstantIndexOp::create(rewriter, kernel.getLoc(), 0);
  thread(kernel.getBody().front(), start, nullptr);
}

/// One buffer with slots as large as the largest.
void SlotSharing::makeRing(Ring &ring) {
  AllocOp first, largest;
  for (auto &[turn, buffer] : ring.buffers) {
    if (!first || buffer->isBeforeInBlock(first))
      first = buffer;
    if (!largest || buffer.getByteSize() > largest.getByteSize())
      largest = buffer;
  }
  auto type = cast<MemRefType>(largest.getType());
  auto shared = MemRefType::get({slots, type.getDimSize(0)}, type.getElementType(),
                                MemRefLayoutAttrInterface(), type.getMemorySpace());
  rewriter.setInsertionPoint(first);
  // What fills a memory alone lies at its start.
  bool isAlone = largest.getMemory() != LocalMemory::UB && largest.getMemory() != LocalMemory::L1;
  ring.shared = AllocOp::create(rewriter, first.getLoc(), shared, first.getName(),
                                isAlone ? rewriter.getI64IntegerAttr(0) : IntegerAttr());
}

/// Lets a turn use its slot, from here on.
void SlotSharing::takeSlot(Operation *first, Value slot) {
  for (Ring &ring : rings) {
    AllocOp buffer = ring.buffers.lookup(first);
    auto type = cast<MemRefType>(ring.shared.getType());
    auto one = MemRefType::get({type.getDimSize(1)}, type.getElementType(),
                               MemRefLayoutAttrInterface(), type.getMemorySpace());
    auto now = SlotOp::create(rewriter, buffer.getLoc(), one, ring.shared, slot);
    rewriter.replaceOp(buffer, now.getResult());
  }
}

/// The slot after one.
Value SlotSharing::count(Location location, Value slot) {
  Value one = arith::ConstantIndexOp::create(rewriter, location, 1);
  Value more = arith::AddIOp::create(rewriter, location, slot, one);
  Value all = arith::ConstantIndexOp::create(rewriter, location, slots);
  return arith::RemUIOp::create(rewriter, location, more, all);
}

/// Hands the number of the next slot through all loops; gives what it is after the block, which is
/// the body of what was the loop `old`.
Value SlotSharing::thread(Block &block, Value counter, Operation *old) {
  auto handOn = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>{arguments.back()};
  };
  SmallVector<Turn, 1> own = turns.lookup(old);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (const Turn &turn : own) {
      if (&op == turn.first) {
        rewriter.setInsertionPoint(&op);
        takeSlot(&op, counter);
      }
      if (&op == turn.last) {
        rewriter.setInsertionPointAfter(&op);
        counter = count(block.getParentOp()->getLoc(), counter);
      }
    }
    if (!turns.contains(&op) && !around.contains(&op))
      continue;
    rewriter.setInsertionPoint(&op);
    auto changed =
        cast<scf::ForOp>(cast<scf::ForOp>(op)
                             .replaceWithAdditionalYields(
                                 rewriter, counter, /*replaceInitOperandUsesInLoop=*/false, handOn)
                             ->getOperation());
    Value next = thread(*changed.getBody(), changed.getRegionIterArgs().back(), &op);
    Operation *yield = changed.getBody()->getTerminator();
    yield->setOperand(yield->getNumOperands() - 1, next);
    counter = changed->getResults().back();
  }
  return counter;
}

/// The one array that a buffer is moved from or to; none where there are several.
static Value findArray(const BufferUses &uses, AllocOp buffer) {
  Value array;
  for (BufferUse use : uses.getUses(buffer))
    for (Value operand : use.instruction->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) || getSpace(operand.getType()) != Space::GM)
        continue;
      if (array && array != getArray(operand))
        return {};
      array = getArray(operand);
    }
  return array;
}

namespace {

/// An array, the type of a buffer for parts of it, and where the pipes came to rest before.
using ArrayMoved = std::tuple<Value, Type, Operation *>;

/// Arrays that the same loops move, each through a buffer of its own in every loop.
struct Transfers {
  SmallVector<Operation *, 3> loops;
  SmallVector<SmallVector<AllocOp>> buffers;
};

} // namespace

/// The loop before which the pipes came to rest last when they come to an operation, or none.
static Operation *findLastRest(Operation *op) {
  for (; !isa<func::FuncOp>(op); op = op->getParentOp())
    for (Operation *before = op; before; before = before->getPrevNode())
      if (before->hasAttr("ascend.settled"))
        return before;
  return nullptr;
}

/// The buffers that loops move parts of arrays through, where several loops move parts of one, and
/// pipes do not come to rest between these. At least one of them has stages. What has none takes
/// turns with it where there is room: what lives on from loop to loop takes more of a memory.
static SmallVector<Transfers> collectTransfers(const BufferUses &uses) {
  llvm::MapVector<ArrayMoved, SmallVector<AllocOp>> byArray;
  for (AllocOp buffer : uses.getBuffers()) {
    scf::ForOp loop = uses.getCommonLoop(buffer);
    Value array = findArray(uses, buffer);
    auto isInside = [&](Operation *user) { return loop->isProperAncestor(user); };
    if (loop && array && buffer.getSlotCount() == 1 && uses.isBetweenPipes(buffer) &&
        (getStages(loop) > 1 || buffer.getMemory() == LocalMemory::L1) &&
        uses.isWrittenFirst(buffer) && llvm::all_of(buffer->getUsers(), isInside))
      byArray[{array, buffer.getType(), findLastRest(loop)}].push_back(buffer);
  }
  SmallVector<Transfers> found;
  for (auto &[array, buffers] : byArray) {
    SmallVector<Operation *, 3> loops;
    for (AllocOp buffer : buffers)
      loops.push_back(uses.getCommonLoop(buffer));
    auto isStaged = [](Operation *loop) { return getStages(cast<scf::ForOp>(loop)) > 1; };
    if (buffers.size() < 2 || llvm::none_of(loops, isStaged))
      continue;
    auto *same =
        llvm::find_if(found, [&](const Transfers &transfers) { return transfers.loops == loops; });
    if (same == found.end())
      same = &found.emplace_back(Transfers{loops, {}});
    same->buffers.push_back(buffers);
  }
  return found;
}

/// Lets the transfers with this number share slots.
static void shareTransfers(func::FuncOp kernel, size_t number) {
  BufferUses uses(kernel);
  SlotSharing(kernel).shareTransfers(uses, collectTransfers(uses)[number].buffers);
}

void ascend::shareTransferSlots(func::FuncOp kernel, function_ref<bool(func::FuncOp)> fits) {
  // Loops are other ones after each sharing, buffers that could not be shared are not.
  llvm::DenseSet<Operation *> tried;
  while (true) {
    SmallVector<Transfers> found = collectTransfers(BufferUses(kernel));
    auto *next = llvm::find_if(found, [&](const Transfers &transfers) {
      return tried.insert(transfers.buffers.front().front()).second;
    });
    if (next == found.end())
      return;
    size_t number = std::distance(found.begin(), next);
    if (fits) {
      OwningOpRef<func::FuncOp> trial = kernel.clone();
      shareTransfers(*trial, number);
      if (!fits(*trial))
        continue;
    }
    shareTransfers(kernel, number);
  }
}

LogicalResult ascend::shareProductSlots(func::FuncOp kernel) {
  SlotSharing(kernel).shareOperands();
  int64_t sums = 0;
  kernel.walk([&](AllocOp buffer) { sums += buffer.getMemory() == LocalMemory::L0C; });
  if (sums < 2)
    return success();
  FailureOr<Chip> chip = getKernelChip(kernel);
  if (failed(chip))
    return failure();
  SlotSharing(kernel).shareSums(chip->getUsableBytes(LocalMemory::L0C));
  return success();
}
