// ascend-share-barriers: vector instructions that wait for the same side by side (after planning,
// before synchronisation).
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/Kernel.h"
#include "attn/Dialect/Ascend/Transforms/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ascend-share-barriers"

namespace attn {
#define GEN_PASS_DEF_SHAREBARRIERSPASS
#include "attn/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// Every instruction of a run is compared with those before it, so long runs are taken in parts.
constexpr size_t maxRun = 100;

/// Where a view begins: a buffer, or a slot or slice of one at a place that only the run knows, and
/// bytes from there on.
struct Place {
  Value base;
  int64_t bytes = 0;
};

Place getPlace(Value memory) {
  Place place{memory};
  int64_t elementBytes = cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  while (auto slice = place.base.getDefiningOp<SliceOp>()) {
    std::optional<int64_t> offset = getConstantIntValue(slice.getOffset());
    if (!offset)
      break;
    place.base = slice.getBuffer();
    place.bytes += *offset * elementBytes;
  }
  return place;
}

/// Whether two accesses have bytes in common. Views at places that only the run knows are taken for
/// the whole buffer.
bool overlap(const Access &a, const Access &b) {
  Place first = getPlace(a.memory), second = getPlace(b.memory);
  if (first.base != second.base) {
    AllocOp one = getBuffer(a.memory), two = getBuffer(b.memory);
    return !one || !two || shareBytes(one, two);
  }
  if (a.toEnd || b.toEnd)
    return true;
  // Most are apart as a whole, so that their runs need not be compared.
  if (first.bytes + a.getExtentBytes() <= second.bytes ||
      second.bytes + b.getExtentBytes() <= first.bytes)
    return false;
  constexpr int64_t limit = std::numeric_limits<int64_t>::max();
  bool overlaps = false;
  a.forEachRun(limit, [&](int64_t begin, int64_t end) {
    b.forEachRun(limit, [&](int64_t otherBegin, int64_t otherEnd) {
      overlaps |= first.bytes + begin < second.bytes + otherEnd &&
                  second.bytes + otherBegin < first.bytes + end;
    });
  });
  return overlaps;
}

/// A vector instruction of a run.
struct Member {
  Operation *op;
  SmallVector<Access> accesses;
  /// Those before it, by number, that must stay before it.
  SmallVector<size_t, 4> needs;
  /// How many must be done, one after the other, before it starts.
  size_t level = 0;
};

bool mustStayBehind(const Member &later, const Member &earlier) {
  return llvm::any_of(later.accesses, [&](const Access &access) {
    return llvm::any_of(earlier.accesses, [&](const Access &before) {
      return (access.isWrite || before.isWrite) && overlap(access, before);
    });
  });
}

/// The barriers that an order takes: one where an instruction needs another since the last one.
size_t countBarriers(ArrayRef<size_t> order, ArrayRef<Member> members) {
  size_t barriers = 0, sinceBarrier = 0;
  SmallVector<size_t> positions(members.size());
  for (auto [position, number] : llvm::enumerate(order)) {
    positions[number] = position;
    if (llvm::any_of(members[number].needs,
                     [&](size_t needed) { return positions[needed] >= sinceBarrier; })) {
      ++barriers;
      sinceBarrier = position;
    }
  }
  return barriers;
}

class ShareBarriers : public attn::impl::ShareBarriersPassBase<ShareBarriers> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isKernel(kernel))
      return;
    const auto &ranges = getAnalysis<IndexRanges>();
    kernel.walk([&](Block *block) { visit(*block, ranges); });
    // No value changes.
    markAnalysesPreserved<IndexRanges>();
  }

  void visit(Block &block, const IndexRanges &ranges) {
    std::vector<Member> members;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto instruction = dyn_cast<InstructionOpInterface>(op);
      bool isVector =
          instruction && op.getNumRegions() == 0 && instruction.getPipes() == ArrayRef(Pipe::V);
      bool isIndexWork = op.getNumRegions() == 0 && !op.hasTrait<OpTrait::IsTerminator>() &&
                         isMemoryEffectFree(&op);
      if (isVector) {
        members.push_back({&op});
        instruction.getAccesses(members.back().accesses, ranges);
      }
      if ((!isVector && !isIndexWork) || members.size() == maxRun) {
        order(members, isVector ? op.getNextNode() : &op);
        members.clear();
      }
    }
  }

  /// Puts the instructions of a run, which ends before `end`, into the order of their levels, where
  /// that takes fewer barriers.
  void order(MutableArrayRef<Member> members, Operation *end) {
    for (auto [number, member] : llvm::enumerate(members))
      for (size_t earlier = 0; earlier < number; ++earlier)
        if (mustStayBehind(member, members[earlier])) {
          member.needs.push_back(earlier);
          member.level = std::max(member.level, members[earlier].level + 1);
        }
    SmallVector<size_t> written = llvm::to_vector(llvm::seq<size_t>(0, members.size()));
    SmallVector<size_t> byLevel = written;
    llvm::sort(byLevel, [&](size_t a, size_t b) {
      return std::make_pair(members[a].level, a) < std::make_pair(members[b].level, b);
    });
    size_t now = countBarriers(written, members), then = countBarriers(byLevel, members);
    if (then >= now)
      return;
    LDBG() << members.size() << " vector instructions take " << then << " instead of " << now
           << " barriers";
    saved += now - then;
    // What computes places takes no instruction's result, so that it can come before all of them.
    DenseSet<Operation *> instructions;
    for (const Member &member : members)
      instructions.insert(member.op);
    Operation *first = members.front().op;
    for (Operation *op = first; op != end;) {
      Operation *next = op->getNextNode();
      if (!instructions.contains(op))
        op->moveBefore(first);
      op = next;
    }
    for (size_t number : byLevel)
      members[number].op->moveBefore(end);
  }
};

} // namespace
