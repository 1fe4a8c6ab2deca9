// Collects the touches of every buffer through the instruction interface.
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn::ascend;

AllocOp attn::ascend::getBuffer(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      return alloc;
    if (auto slot = dyn_cast<SlotOp>(op))
      memory = slot.getBuffer();
    else if (auto slice = dyn_cast<SliceOp>(op))
      memory = slice.getBuffer();
    else
      break;
  }
  return {};
}

bool attn::ascend::shareBytes(AllocOp a, AllocOp b) {
  if (a == b || !a.getAddress() || !b.getAddress())
    return a.getMemory() == b.getMemory();
  int64_t first = *a.getAddress(), second = *b.getAddress();
  return a.getMemory() == b.getMemory() && first < second + b.getByteSize() &&
         second < first + a.getByteSize();
}

Value attn::ascend::getArray(Value memory) {
  if (auto address = memory.getDefiningOp<AddressOp>())
    memory = address.getArray();
  if (auto lookup = memory.getDefiningOp<LookupOp>())
    memory = lookup.getTable();
  return memory;
}

BufferUses::BufferUses(func::FuncOp kernel) {
  SmallVector<Access> accesses;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      buffers.push_back(alloc);
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    if (!instruction)
      return;
    accesses.clear();
    instruction.getAccesses(accesses);
    for (const Access &access : accesses) {
      AllocOp buffer = getBuffer(access.memory);
      if (!buffer)
        continue;
      SmallVector<BufferUse, 4> &list = uses[buffer];
      if (list.empty() || list.back().instruction != instruction)
        list.push_back({instruction});
      BufferUse &use = list.back();
      // Of several reads one that always comes decides.
      if (!access.isWrite)
        use.unless = use.reads && use.unless != access.unless ? Value() : access.unless;
      (access.isWrite ? use.writes : use.reads) = true;
    }
  });
}

ArrayRef<BufferUse> BufferUses::getUses(AllocOp buffer) const {
  auto found = uses.find(buffer);
  return found == uses.end() ? ArrayRef<BufferUse>() : ArrayRef<BufferUse>(found->second);
}

scf::ForOp BufferUses::getCommonLoop(AllocOp buffer) const {
  ArrayRef<BufferUse> list = getUses(buffer);
  if (list.empty())
    return {};
  auto loop = list.front().instruction->getParentOfType<scf::ForOp>();
  while (loop && !llvm::all_of(list, [&](const BufferUse &use) {
           return loop->isProperAncestor(use.instruction);
         }))
    loop = loop->getParentOfType<scf::ForOp>();
  return loop;
}

/// Whether a condition holds in the first trip of the loops inside `common`: where it is true or
/// asks for those.
static bool holdsAtFirst(Value condition, scf::ForOp common) {
  if (matchPattern(condition, m_One()))
    return true;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return holdsAtFirst(both.getLhs(), common) && holdsAtFirst(both.getRhs(), common);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  auto isFirstTrip = [&](Value index, Value start) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && argument == loop.getInductionVar() && common->isProperAncestor(loop) &&
           isEqualConstantIntOrValue(start, loop.getLowerBound());
  };
  return isFirstTrip(compare.getLhs(), compare.getRhs()) ||
         isFirstTrip(compare.getRhs(), compare.getLhs());
}

/// Whether a use writes without need of what was there.
static bool isOnlyWritten(const BufferUse &use, scf::ForOp common) {
  bool readsLater = use.unless && common && holdsAtFirst(use.unless, common);
  return use.writes && (!use.reads || readsLater);
}

/// Whether each branch of `condition` begins with a write.
static bool isWrittenInBranches(ArrayRef<BufferUse> uses, scf::IfOp condition, scf::ForOp common) {
  return llvm::all_of(condition->getRegions(), [&](Region &region) {
    const auto *first = llvm::find_if(uses, [&](const BufferUse &use) {
      return region.isAncestor(BufferUse(use).instruction->getParentRegion());
    });
    return first != uses.end() && isOnlyWritten(*first, common) &&
           BufferUse(*first).instruction->getParentOfType<scf::IfOp>() == condition;
  });
}

bool BufferUses::isWrittenFirst(AllocOp buffer) const {
  ArrayRef<BufferUse> list = getUses(buffer);
  scf::ForOp common = getCommonLoop(buffer);
  if (list.empty() || !isOnlyWritten(list.front(), common))
    return false;
  // Loops written out of one composite always run; a condition may not hold, unless one of its
  // branches has all uses, or both begin with a write.
  Operation *first = BufferUse(list.front()).instruction;
  for (Region *region = first->getParentRegion(); region && region->getParentOp() != common;
       region = region->getParentRegion()) {
    auto condition = dyn_cast<scf::IfOp>(region->getParentOp());
    bool isAround = llvm::all_of(list, [&](BufferUse use) {
      return region->isAncestor(use.instruction->getParentRegion());
    });
    if (condition && !isAround && !isWrittenInBranches(list, condition, common))
      return false;
  }
  return true;
}

bool BufferUses::isBetweenPipes(AllocOp buffer) const {
  ArrayRef<BufferUse> list = getUses(buffer);
  return llvm::any_of(list, [&](BufferUse use) {
    return use.instruction.getPipe() != BufferUse(list.front()).instruction.getPipe();
  });
}
