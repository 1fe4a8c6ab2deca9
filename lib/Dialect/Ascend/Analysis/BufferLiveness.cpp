// Lives of buffers as intervals of program positions.
#include "attn/Dialect/Ascend/Analysis/BufferLiveness.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

BufferLiveness::BufferLiveness(func::FuncOp kernel, const BufferUses &uses) : uses(uses) {
  int64_t next = 0;
  kernel.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      positions[op] = {next, next};
    if (stage.isAfterAllRegions())
      positions[op].second = next++;
    else if (stage.isBeforeAllRegions())
      ++next;
  });
}

static scf::ForOp getOutermostLoop(scf::ForOp loop) {
  while (auto parent = loop->getParentOfType<scf::ForOp>())
    loop = parent;
  return loop;
}

/// The loop for which a buffer between pipes keeps its bytes.
static scf::ForOp getLoopOf(SharedLife life, scf::ForOp common) {
  scf::ForOp outermost = getOutermostLoop(common);
  if (life == SharedLife::OutermostLoop)
    return outermost;
  auto around = common->getParentOfType<scf::ForOp>();
  return life == SharedLife::LoopAround && around && around != outermost ? around : common;
}

LiveInterval BufferLiveness::getInterval(AllocOp buffer, SharedLife life) const {
  LiveInterval interval{buffer.getByteSize(), positions.lookup(buffer).first, 0};
  interval.end = interval.begin;
  ArrayRef<BufferUse> list = uses.getUses(buffer);
  if (list.empty())
    return interval;
  interval.begin = positions.lookup(list.front().instruction).first;
  auto cover = [&](Operation *op) {
    auto [begin, end] = positions.lookup(op);
    interval.begin = std::min(interval.begin, begin);
    interval.end = std::max(interval.end, end);
  };

  scf::ForOp common = uses.getCommonLoop(buffer);
  for (const BufferUse &use : list) {
    cover(use.instruction);
    for (auto loop = use.instruction->getParentOfType<scf::ForOp>(); loop && loop != common;
         loop = loop->getParentOfType<scf::ForOp>())
      cover(loop);
  }
  if (!common)
    return interval;
  // Loops that use slots in turn leave nothing in them for each other.
  auto isSlot = [](Operation *user) { return isa<SlotOp>(user); };
  bool isUsedInTurn = llvm::count_if(buffer->getUsers(), isSlot) > 1;
  if (isUsedInTurn && life != SharedLife::OutermostLoop)
    return interval;
  if (buffer.getSlotCount() > 1)
    cover(common);
  else if (!uses.isWrittenFirst(buffer))
    cover(getOutermostLoop(common));
  if (life != SharedLife::Exact && uses.isBetweenPipes(buffer))
    cover(getLoopOf(life, common));
  return interval;
}
