// Collects the touches of every buffer through the instruction interface.
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
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
      (access.isWrite ? list.back().writes : list.back().reads) = true;
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

bool BufferUses::isWrittenFirst(AllocOp buffer) const {
  ArrayRef<BufferUse> list = getUses(buffer);
  if (list.empty() || list.front().reads || !list.front().writes)
    return false;
  // Loops written out of one composite always run; a condition may not hold, unless it is around
  // all of it.
  auto condition = list.front().instruction->getParentOfType<scf::IfOp>();
  scf::ForOp loop = getCommonLoop(buffer);
  return !condition || (loop && condition->isProperAncestor(loop));
}

bool BufferUses::isBetweenPipes(AllocOp buffer) const {
  ArrayRef<BufferUse> list = getUses(buffer);
  return llvm::any_of(list, [&](BufferUse use) {
    return use.instruction.getPipe() != BufferUse(list.front()).instruction.getPipe();
  });
}
