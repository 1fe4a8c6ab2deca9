// Collects what does not change from trace to trace.
#include "KernelFacts.h"
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"

using namespace mlir;
using namespace attn::ascend;

/// The most trips a loop can make, or none.
static std::optional<int64_t> getTripLimit(scf::ForOp loop) {
  std::optional<int64_t> first = getLowerBound(loop.getLowerBound());
  std::optional<int64_t> end = getUpperBound(loop.getUpperBound());
  std::optional<int64_t> step = getConstant(loop.getStep());
  if (!first || !end || !step || *step <= 0 || *first < 0)
    return std::nullopt;
  return *end <= *first ? 0 : (*end - *first - 1) / *step + 1;
}

/// The views of buffers whose place is computed from the loop's index.
static SmallVector<Operation *> findMovingViews(scf::ForOp loop) {
  SmallVector<Operation *> views;
  SmallVector<Value> worklist = {loop.getInductionVar()};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<SliceOp>(user))
        views.push_back(user);
      for (Value result : user->getResults())
        if (result.getType().isIndex() && seen.insert(result).second)
          worklist.push_back(result);
    }
  }
  return views;
}

KernelFacts::KernelFacts(func::FuncOp kernel) : kernel(kernel) {
  kernel.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp, InstructionOpInterface>(op))
      numbers.insert({op, numbers.size()});
    if (auto slot = dyn_cast<SlotOp>(op))
      slotIndices.insert(slot.getIndex());
    else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      tripLimits[op] = getTripLimit(loop);
      movingViews[op] = findMovingViews(loop);
    } else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      add(instruction);
  });
}

const IndexBounds &KernelFacts::getBounds(Value index) {
  auto [found, isNew] = bounds.try_emplace(index);
  if (isNew)
    found->second = {getLowerBound(index), getUpperBound(index)};
  return found->second;
}

/// The size of what a load or fill writes, if that is one run of bytes.
static std::optional<WrittenSize> getWrittenSize(Operation *op, ArrayRef<Access> accesses) {
  if (accesses.size() != 1)
    return std::nullopt;
  const Access &access = accesses.front();
  if (auto load = dyn_cast<CopyInOp>(op))
    if (!access.toEnd && access.rowBytes <= access.pitchBytes)
      return WrittenSize{load.getRows(), access.pitchBytes};
  if (auto fill = dyn_cast<DuplicateOp>(op))
    if (!fill.getMask())
      return WrittenSize{fill.getAmount(),
                         cast<MemRefType>(fill.getDst().getType()).getElementTypeBitWidth() / 8};
  return std::nullopt;
}

void KernelFacts::add(InstructionOpInterface instruction) {
  InstructionFacts &facts = instructions[instruction];
  facts.pipe = instruction.getPipe();
  instruction.getAccesses(facts.accesses);
  llvm::erase_if(facts.accesses, [](const Access &access) {
    return getSpace(access.memory.getType()) != Space::UB;
  });
  facts.written = getWrittenSize(instruction, facts.accesses);
  if (auto in = dyn_cast<CopyInOp>(*instruction))
    addGlobal(facts, in.getSrc(), /*isWrite=*/false, in.getRows(), in.getLength(),
              in.getSrcPitch());
  if (auto out = dyn_cast<CopyOutOp>(*instruction)) {
    addGlobal(facts, out.getDst(), /*isWrite=*/true, out.getRows(), out.getLength(),
              out.getDstPitch());
    writtenArrays.insert(facts.global->array);
  }
}

/// The dimension of an array along which rows `pitch` apart run, or none. The entries of a table
/// count as its first dimension.
static std::optional<int64_t> findRowDimension(AddressOp address, Value pitch) {
  auto lookup = address.getArray().getDefiningOp<LookupOp>();
  if (auto stride = pitch.getDefiningOp<StrideOp>()) {
    if (lookup && stride.getArray() == lookup.getTable())
      return stride.getDimension();
    if (stride.getArray() == address.getArray())
      return stride.getDimension() + (lookup ? 1 : 0);
    return std::nullopt;
  }
  std::optional<int64_t> constant = getConstant(pitch);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!constant || failed(address.getArray().getType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  auto found = llvm::find(strides, *constant);
  if (found == strides.end())
    return std::nullopt;
  return found - strides.begin() + (lookup ? 1 : 0);
}

void KernelFacts::addGlobal(InstructionFacts &facts, Value memory, bool isWrite, Value rows,
                            Value length, Value pitch) {
  GlobalFacts access{memory, getArray(memory), isWrite};
  auto argument = dyn_cast<BlockArgument>(access.array);
  access.isScratch = argument && argument.getOwner() == &kernel.getBody().front() &&
                     kernel.getArgAttr(argument.getArgNumber(), "launch.scratch");
  access.rows = rows;
  access.length = length;
  if (auto product = pitch.getDefiningOp<arith::MulIOp>())
    for (auto [stride, step] : {std::pair(product.getLhs(), product.getRhs()),
                                std::pair(product.getRhs(), product.getLhs())})
      if (!access.rowStep && stride.getDefiningOp<StrideOp>()) {
        pitch = stride;
        access.rowStep = step;
        rowSteps.insert(step);
      }
  if (auto address = memory.getDefiningOp<AddressOp>())
    access.rowDimension = findRowDimension(address, pitch);
  facts.global = access;
}
