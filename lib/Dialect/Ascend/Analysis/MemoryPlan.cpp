// Makes the plan of a memory: from the roomiest layout to the tightest, the first that fits, with
// what room that leaves for pipes to run ahead.
#include "attn/Dialect/Ascend/Analysis/MemoryPlan.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-plan-memory"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Chooses for each buffer in which half of a bank row it starts, so that the two sources of as
/// many instructions as possible differ. Small buffers are left alone: they would waste more than
/// they gain.
DenseMap<Operation *, bool> chooseBankHalves(func::FuncOp kernel) {
  DenseMap<Operation *, SmallVector<Operation *, 4>> partners;
  SmallVector<Operation *> order;
  kernel.walk([&](InstructionOpInterface op) {
    auto sources = op.getPairedSources();
    if (!sources)
      return;
    AllocOp lhs = getBuffer(sources->first), rhs = getBuffer(sources->second);
    if (!lhs || !rhs || lhs == rhs || lhs.getByteSize() < 2 * architecture::bankHalfBytes ||
        rhs.getByteSize() < 2 * architecture::bankHalfBytes)
      return;
    for (auto [one, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
      if (partners[one].empty())
        order.push_back(one);
      partners[one].push_back(other);
    }
  });
  DenseMap<Operation *, bool> halves;
  for (Operation *buffer : order) {
    int64_t upper = 0, lower = 0;
    for (Operation *partner : partners[buffer])
      if (auto found = halves.find(partner); found != halves.end())
        ++(found->second ? upper : lower);
    halves[buffer] = lower > upper;
  }
  return halves;
}

/// The position where most bytes are alive.
int64_t findFullestPosition(ArrayRef<LiveInterval> intervals) {
  std::pair<int64_t, int64_t> fullest = {0, 0}; // bytes, position
  for (const LiveInterval &at : intervals) {
    int64_t alive = 0;
    for (const LiveInterval &other : intervals)
      if (other.begin <= at.begin && at.begin <= other.end)
        alive += other.bytes;
    fullest = std::max(fullest, {alive, at.begin});
  }
  return fullest.second;
}

LogicalResult reportOverflow(func::FuncOp kernel, LocalMemory memory, ArrayRef<AllocOp> buffers,
                             ArrayRef<LiveInterval> intervals, int64_t bytes, int64_t limit) {
  InFlightDiagnostic error = kernel.emitError() << "kernel '" << kernel.getSymName() << "' needs "
                                                << bytes << " bytes of " << getFacts(memory).name
                                                << " at once, and " << limit << " are usable";
  int64_t position = findFullestPosition(intervals);
  for (auto [alive, interval] : llvm::zip(buffers, intervals)) {
    AllocOp buffer = alive;
    if (interval.begin > position || position > interval.end)
      continue;
    Diagnostic &note = error.attachNote(buffer->getLoc());
    note << "'" << buffer.getName() << "' takes " << interval.bytes << " bytes";
    if (buffer.getSlotCount() > 1)
      note << " in " << buffer.getSlotCount() << " slots";
  }
  return error;
}

/// Packs the buffers of one memory, each with the life that is asked for.
class Packer {
public:
  Packer(LocalMemory memory, const Chip &chip, const BufferUses &uses,
         const BufferLiveness &liveness, const DenseMap<Operation *, bool> &halves)
      : limit(chip.getUsableBytes(memory)), alignment(getFacts(memory).alignment), uses(uses),
        liveness(liveness), halves(halves) {
    for (AllocOp buffer : uses.getBuffers())
      if (buffer.getMemory() == memory)
        buffers.push_back(buffer);
  }

  ArrayRef<AllocOp> getBuffers() const { return buffers; }
  ArrayRef<LiveInterval> getIntervals() const { return intervals; }
  const Packing &getPacking() const { return packing; }
  int64_t getLimit() const { return limit; }
  int64_t getAddress(size_t number) const {
    return packing.offsets[number] + getBankOffset(buffers[number]);
  }

  /// Finds the layout with the most room for pipes to run ahead. Returns whether any fits.
  bool findRoomiest() {
    bool hasBankChoice =
        llvm::any_of(buffers, [&](Operation *buffer) { return halves.contains(buffer); });
    for (SharedLife life : {SharedLife::OutermostLoop, SharedLife::LoopAround,
                            SharedLife::CommonLoop, SharedLife::Exact})
      for (bool spreads : {true, false}) {
        if ((spreads && !hasBankChoice) || !fits(life, spreads))
          continue;
        if (life == SharedLife::Exact)
          stretchSome();
        LDBG() << "packed in " << packing.bytes << " of " << limit << " bytes, life "
               << static_cast<int>(life) << (spreads ? ", banks spread" : "");
        return true;
      }
    return false;
  }

  /// Takes the packing that whoever chose the sizes has counted. Returns whether there is one that
  /// fits.
  bool takeCounted() {
    Packing counted;
    for (AllocOp buffer : buffers) {
      if (!buffer.getCounted())
        return false;
      counted.offsets.push_back(*buffer.getCounted());
      counted.bytes = std::max(counted.bytes, counted.offsets.back() + buffer.getByteSize());
    }
    if (counted.bytes > limit)
      return false;
    LDBG() << "as counted, " << counted.bytes << " bytes, where packing takes " << packing.bytes;
    packing = std::move(counted);
    spreadsBanks = false;
    return true;
  }

private:
  /// Whether all buffers fit when those between pipes live for `life`.
  bool fits(SharedLife life, bool spreads) {
    spreadsBanks = spreads;
    intervals.clear();
    for (AllocOp buffer : buffers) {
      LiveInterval interval = liveness.getInterval(buffer, life);
      interval.bytes += getBankOffset(buffer);
      intervals.push_back(interval);
    }
    return pack();
  }

  /// Lets as many buffers between pipes as possible keep their bytes for their whole loop, in the
  /// order of the kernel: what is loaded first is waited for first. All fit already.
  void stretchSome() {
    for (auto [number, buffer] : llvm::enumerate(buffers)) {
      if (!uses.isBetweenPipes(buffer))
        continue;
      LiveInterval exact = intervals[number];
      intervals[number] = liveness.getInterval(buffer, SharedLife::CommonLoop);
      intervals[number].bytes = exact.bytes;
      if (!pack())
        intervals[number] = exact;
    }
    pack();
  }

  bool pack() {
    packing = packIntervals(intervals, spreadsBanks ? 2 * architecture::bankHalfBytes : alignment);
    return packing.bytes <= limit;
  }

  int64_t getBankOffset(Operation *buffer) const {
    return spreadsBanks && halves.lookup(buffer) ? architecture::bankHalfBytes : 0;
  }

  int64_t limit;
  int64_t alignment;
  const BufferUses &uses;
  const BufferLiveness &liveness;
  const DenseMap<Operation *, bool> &halves;
  SmallVector<AllocOp> buffers;
  bool spreadsBanks = false;
  SmallVector<LiveInterval> intervals;
  Packing packing;
};

} // namespace

/// Visits each memory that has buffers, until one cannot be packed.
static bool packMemories(func::FuncOp kernel, const Chip &chip,
                         function_ref<bool(LocalMemory, Packer &)> visit) {
  BufferUses uses(kernel);
  BufferLiveness liveness(kernel, uses);
  DenseMap<Operation *, bool> halves = chooseBankHalves(kernel);
  return llvm::all_of(getLocalMemories(), [&](const LocalMemoryFacts &row) {
    Packer packer(row.memory, chip, uses, liveness, halves);
    return packer.getBuffers().empty() || visit(row.memory, packer);
  });
}

FailureOr<MemoryPlan> MemoryPlan::make(func::FuncOp kernel, const Chip &chip) {
  MemoryPlan plan;
  bool isWhole = packMemories(kernel, chip, [&](LocalMemory memory, Packer &packer) {
    auto index = static_cast<size_t>(memory);
    if (!packer.findRoomiest()) {
      plan.asCounted[index] = packer.takeCounted();
      if (!plan.asCounted[index])
        return succeeded(reportOverflow(kernel, memory, packer.getBuffers(), packer.getIntervals(),
                                        packer.getPacking().bytes, packer.getLimit()));
    }
    plan.bytes[index] = packer.getPacking().bytes;
    for (auto [number, buffer] : llvm::enumerate(packer.getBuffers()))
      plan.addresses[buffer] = packer.getAddress(number);
    return true;
  });
  if (!isWhole)
    return failure();
  return plan;
}

bool MemoryPlan::hasRoom(func::FuncOp kernel, const Chip &chip) {
  return packMemories(kernel, chip, [](LocalMemory, Packer &packer) {
    return packer.findRoomiest() || packer.takeCounted();
  });
}
