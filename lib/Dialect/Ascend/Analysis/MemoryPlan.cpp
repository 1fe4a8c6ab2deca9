// Makes the plan of UB: from the roomiest layout to the tightest, the first that fits, with what
// room that leaves for transfers.
#include "attn/Dialect/Ascend/Analysis/MemoryPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Two sources of an instruction this far apart, modulo twice as much, meet in no bank group.
constexpr int64_t bankHalf = 256;

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
    if (!lhs || !rhs || lhs == rhs || lhs.getByteSize() < 2 * bankHalf ||
        rhs.getByteSize() < 2 * bankHalf)
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

LogicalResult reportOverflow(func::FuncOp kernel, ArrayRef<AllocOp> buffers,
                             ArrayRef<LiveInterval> intervals, int64_t bytes, int64_t limit) {
  InFlightDiagnostic error = kernel.emitError()
                             << "kernel '" << kernel.getSymName() << "' needs " << bytes
                             << " bytes of ub at once, and " << limit << " are usable";
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

/// Packs the buffers of a kernel, each with the life that is asked for.
class Packer {
public:
  Packer(func::FuncOp kernel, const Chip &chip)
      : chip(chip), uses(kernel), liveness(kernel, uses), halves(chooseBankHalves(kernel)) {}

  ArrayRef<AllocOp> getBuffers() const { return uses.getBuffers(); }
  ArrayRef<LiveInterval> getIntervals() const { return intervals; }
  const Packing &getPacking() const { return packing; }
  bool hasBankChoice() const { return !halves.empty(); }
  int64_t getBankOffset(AllocOp buffer) const {
    return spreadsBanks && halves.lookup(buffer) ? bankHalf : 0;
  }

  /// Whether all buffers fit when those that a transfer touches live for `life`.
  bool fits(TransferLife life, bool spreads) {
    spreadsBanks = spreads;
    intervals.clear();
    for (AllocOp buffer : getBuffers()) {
      LiveInterval interval = liveness.getInterval(buffer, life);
      interval.bytes += getBankOffset(buffer);
      intervals.push_back(interval);
    }
    return pack();
  }

  /// Lets as many buffers that a transfer touches as possible keep their bytes for their whole
  /// loop, in the order of the kernel: what is loaded first is waited for first. All fit already.
  void stretchSome() {
    for (auto [number, buffer] : llvm::enumerate(getBuffers())) {
      if (!uses.hasTransfer(buffer))
        continue;
      LiveInterval exact = intervals[number];
      intervals[number] = liveness.getInterval(buffer, TransferLife::CommonLoop);
      intervals[number].bytes = exact.bytes;
      if (!pack())
        intervals[number] = exact;
    }
    pack();
  }

private:
  bool pack() {
    packing = packIntervals(intervals, spreadsBanks ? 2 * bankHalf : chip.blockBytes);
    return packing.bytes <= chip.getUsableBytes(LocalMemory::UB);
  }

  const Chip &chip;
  BufferUses uses;
  BufferLiveness liveness;
  DenseMap<Operation *, bool> halves;
  bool spreadsBanks = false;
  SmallVector<LiveInterval> intervals;
  Packing packing;
};

} // namespace

FailureOr<MemoryPlan> MemoryPlan::make(func::FuncOp kernel, const Chip &chip) {
  Packer packer(kernel, chip);
  for (TransferLife life :
       {TransferLife::OutermostLoop, TransferLife::CommonLoop, TransferLife::Exact}) {
    for (bool spreadsBanks : {true, false}) {
      if ((spreadsBanks && !packer.hasBankChoice()) || !packer.fits(life, spreadsBanks))
        continue;
      if (life == TransferLife::Exact)
        packer.stretchSome();
      MemoryPlan plan;
      plan.bytes = packer.getPacking().bytes;
      for (auto [buffer, offset] : llvm::zip(packer.getBuffers(), packer.getPacking().offsets))
        plan.addresses[buffer] = offset + packer.getBankOffset(buffer);
      return plan;
    }
  }
  return reportOverflow(kernel, packer.getBuffers(), packer.getIntervals(),
                        packer.getPacking().bytes, chip.getUsableBytes(LocalMemory::UB));
}
