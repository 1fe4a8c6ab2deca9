// Checks a plan without the liveness it was made from: by who owns each byte while the kernel runs.
#include "attn/Dialect/Ascend/Analysis/MemoryPlan.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <map>

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

namespace {

/// The kernel run in program order, each loop twice, with the owner of every byte.
class OwnershipWalk {
public:
  OwnershipWalk(const MemoryPlan &plan) : plan(plan) {}

  LogicalResult walk(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        if (failed(visit(op)))
          return failure();
    return success();
  }

private:
  LogicalResult visit(Operation &op) {
    // The second trip sees what the first one left.
    for (int trip = 0, trips = isa<scf::ForOp>(op) ? 2 : 1; trip < trips; ++trip) {
      trip == 0 ? (void)inFirstTrip.insert(&op) : (void)inFirstTrip.erase(&op);
      for (Region &region : op.getRegions())
        if (failed(walk(region)))
          return failure();
    }
    auto instruction = dyn_cast<InstructionOpInterface>(op);
    if (!instruction)
      return success();
    auto [found, isFirst] = touched.try_emplace(&op);
    if (isFirst)
      found->second = findTouched(instruction);
    for (auto [buffer, unless] : found->second.read)
      if (!(unless && holds(unless)) && failed(checkOwned(op, buffer)))
        return failure();
    for (AllocOp buffer : found->second.written)
      own(buffer);
    return success();
  }

  /// The buffers that an instruction reads and writes.
  struct Touched {
    SmallVector<std::pair<AllocOp, Value>, 2> read; // and what keeps it from being read
    SmallVector<AllocOp, 2> written;
  };

  /// Whether a condition holds now: where it is true, or asks for the first trips of loops.
  bool holds(Value condition) const {
    if (matchPattern(condition, m_One()))
      return true;
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return holds(both.getLhs()) && holds(both.getRhs());
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return false;
    auto argument = dyn_cast<BlockArgument>(compare.getLhs());
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && argument == loop.getInductionVar() && inFirstTrip.contains(loop) &&
           isEqualConstantIntOrValue(compare.getRhs(), loop.getLowerBound());
  }

  static Touched findTouched(InstructionOpInterface instruction) {
    SmallVector<Access> accesses;
    instruction.getAccesses(accesses);
    Touched touched;
    DenseMap<Operation *, int> writers; // the pipe of the instruction that writes a buffer first
    for (const Access &access : accesses) {
      AllocOp buffer = getBuffer(access.memory);
      if (!buffer)
        continue;
      if (access.isWrite) {
        touched.written.push_back(buffer);
        writers.try_emplace(buffer, access.pipeNumber);
        continue;
      }
      // One pipe of an instruction may read what another one has written before.
      auto writer = writers.find(buffer);
      if (writer == writers.end() || writer->second >= access.pipeNumber)
        touched.read.emplace_back(buffer, access.unless);
    }
    return touched;
  }

  /// Makes the buffer the owner of its bytes: [begin, end) of others is cut around them.
  void own(AllocOp buffer) {
    int64_t begin = plan.getAddress(buffer), end = begin + buffer.getByteSize();
    Owners &owners = getOwners(buffer);
    auto next = owners.upper_bound(begin);
    if (next != owners.begin())
      next = std::prev(next);
    while (next != owners.end() && next->first < end) {
      auto [from, piece] = *next;
      next = piece.end <= begin ? std::next(next) : owners.erase(next);
      if (piece.end <= begin)
        continue;
      if (from < begin)
        owners[from] = {begin, piece.buffer};
      if (piece.end > end)
        owners[end] = piece;
    }
    owners[begin] = {end, buffer};
    written.insert(buffer);
  }

  LogicalResult checkOwned(Operation &reader, AllocOp buffer) {
    // What is read before it is written is no matter of the plan.
    if (!written.contains(buffer))
      return success();
    int64_t begin = plan.getAddress(buffer);
    const Owners &owners = getOwners(buffer);
    auto found = owners.find(begin);
    if (found != owners.end() && found->second.buffer == buffer &&
        found->second.end == begin + buffer.getByteSize())
      return success();
    return reader.emitError() << "reads '" << buffer.getName()
                              << "', whose bytes the memory plan gave to another buffer meanwhile";
  }

  struct Piece {
    int64_t end;
    AllocOp buffer;
  };

  using Owners = std::map<int64_t, Piece>;
  Owners &getOwners(AllocOp buffer) { return memories[static_cast<size_t>(buffer.getMemory())]; }

  const MemoryPlan &plan;
  std::array<Owners, localMemoryCount> memories;
  DenseSet<Operation *> written;
  DenseSet<Operation *> inFirstTrip; // loops
  /// By instruction: in loops within loops the walk comes to each many times.
  DenseMap<Operation *, Touched> touched;
};

bool overlap(const MemoryPlan &plan, AllocOp a, AllocOp b) {
  return a.getMemory() == b.getMemory() &&
         plan.getAddress(a) < plan.getAddress(b) + b.getByteSize() &&
         plan.getAddress(b) < plan.getAddress(a) + a.getByteSize();
}

/// Writers of slots run ahead of the program order that the walk follows.
LogicalResult verifySlots(const MemoryPlan &plan, const BufferUses &uses) {
  for (AllocOp slotted : uses.getBuffers()) {
    // Where several loops use the slots in turn, each of them.
    SmallVector<scf::ForOp> loops;
    for (Operation *user : slotted->getUsers())
      if (auto loop = user->getParentOfType<scf::ForOp>(); loop && isa<SlotOp>(user))
        loops.push_back(loop);
    auto isInside = [&](const BufferUse &use) {
      return llvm::any_of(loops,
                          [&](scf::ForOp loop) { return loop->isProperAncestor(use.instruction); });
    };
    for (AllocOp other : uses.getBuffers())
      if (other != slotted && overlap(plan, slotted, other) &&
          llvm::any_of(uses.getUses(other), isInside))
        return other.emitError() << "shares bytes with the slots of '" << slotted.getName()
                                 << "' inside their loop";
  }
  return success();
}

} // namespace

LogicalResult MemoryPlan::verify(func::FuncOp kernel, const Chip &chip) const {
  BufferUses uses(kernel);
  for (AllocOp buffer : uses.getBuffers()) {
    auto found = addresses.find(buffer);
    if (found == addresses.end())
      return buffer.emitError("has no address in the memory plan");
    int64_t begin = found->second, end = begin + buffer.getByteSize();
    if (begin % getFacts(buffer.getMemory()).alignment != 0)
      return buffer.emitError() << "has the unaligned address " << begin;
    if (begin < 0 || end > chip.getUsableBytes(buffer.getMemory()))
      return buffer.emitError() << "ends at byte " << end << " of "
                                << chip.getUsableBytes(buffer.getMemory());
  }
  if (failed(OwnershipWalk(*this).walk(kernel.getBody())))
    return failure();
  return verifySlots(*this, uses);
}
