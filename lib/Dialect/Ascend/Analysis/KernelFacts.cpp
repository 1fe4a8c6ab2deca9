// Collects what does not change from trace to trace.
#include "KernelFacts.h"
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Launch/IR/LaunchDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace attn;
using namespace attn::ascend;

/// The most trips a loop can make, or none.
static std::optional<int64_t> getTripLimit(scf::ForOp loop, const IndexRanges &ranges) {
  std::optional<int64_t> first = ranges.getLowerBound(loop.getLowerBound());
  std::optional<int64_t> end = ranges.getUpperBound(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *step <= 0 || *first < 0)
    return std::nullopt;
  return *end <= *first ? 0 : (*end - *first - 1) / *step + 1;
}

/// The innermost loop around `loop` in which its bounds are computed, or none.
static scf::ForOp findVaryingWith(scf::ForOp loop) {
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>())
    if (!outer.isDefinedOutsideOfLoop(loop.getLowerBound()) ||
        !outer.isDefinedOutsideOfLoop(loop.getUpperBound()))
      return outer;
  return {};
}

/// The views of buffers and places in arrays that are computed from an index.
static SmallVector<Operation *> findMoving(Value index) {
  SmallVector<Operation *> views;
  SmallVector<Value> worklist = {index};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<SliceOp, AddressOp>(user))
        views.push_back(user);
      for (Value result : user->getResults())
        if (result.getType().isIndex() && seen.insert(result).second)
          worklist.push_back(result);
    }
  }
  return views;
}

/// Whether a number is computed from the induction variable of a loop.
static bool followsInduction(Operation *op) {
  SmallVector<Value> worklist(op->getOperands());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (scf::getForInductionVarOwner(value))
      return true;
    if (Operation *source = value.getDefiningOp(); source && source->getNumRegions() == 0)
      llvm::append_range(worklist, source->getOperands());
  }
  return false;
}

KernelFacts::KernelFacts(func::FuncOp kernel, const IndexRanges &ranges)
    : kernel(kernel), ranges(ranges) {
  kernel.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp, InstructionOpInterface>(op))
      numbers.insert({op, numbers.size()});
    if (auto slot = dyn_cast<SlotOp>(op))
      slotIndices.insert({slot.getIndex(), slotIndices.size()});
    else if (auto buffer = dyn_cast<AllocOp>(op))
      add(buffer);
    else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      add(instruction);
  });
  for (auto &[op, known] : instructions)
    llvm::erase_if(known.global, [&](const GlobalFacts &access) {
      return !writtenArrays.contains(access.array);
    });
  kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loopsInOrder.push_back(loop); });
  llvm::for_each(loopsInOrder, [&](scf::ForOp loop) { add(loop); });
  setFullTrips();
  setSkewedLoops();
  setExchangeLoops();
  setRowLoops();
  setApartDepths();
  traced = findTraced(/*findsNeeds=*/true);
  tracedFlags = findTraced(/*findsNeeds=*/false);
  setIndexFacts();
}

IndexNumber KernelFacts::numberIndex(Value index) {
  if (!index)
    return noIndex;
  auto [found, isNew] = indexNumbers.try_emplace(index, indices.size());
  if (isNew)
    indices.push_back({index});
  return found->second;
}

int32_t KernelFacts::numberView(Value view) {
  return viewNumbers.try_emplace(view, viewNumbers.size()).first->second;
}

void KernelFacts::setIndexFacts() {
  // What an index is the larger of gets a number on the way.
  for (size_t number = 0; number < indices.size(); ++number) {
    Value value = indices[number].value;
    IndexFacts known{value, getConstantIntValue(value)};
    if (!known.constant) {
      known.low = ranges.getLowerBound(value);
      known.high = ranges.getUpperBound(value);
      if (rowSteps.contains(value))
        known.low = std::max<int64_t>(known.low.value_or(1), 1);
      if (auto larger = value.getDefiningOp<arith::MaxSIOp>())
        known.largerOf = {numberIndex(larger.getLhs()), numberIndex(larger.getRhs())};
    }
    if (auto slot = slotIndices.find(value); slot != slotIndices.end())
      known.slotIndex = slot->second;
    indices[number] = std::move(known);
  }
}

void KernelFacts::add(AllocOp buffer) {
  int64_t begin = buffer.getAddress().value_or(0);
  buffers.push_back(
      {numberView(buffer.getResult()),
       {buffer, buffer.getMemory(), begin, begin + buffer.getByteSize(), {}, begin, begin}});
}

/// The indices that a trace asks for by itself.
void KernelFacts::collectSources(bool findsNeeds, SmallVectorImpl<Value> &sources) {
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      sources.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    if (isa<SetFlagOp, WaitFlagOp>(op))
      llvm::append_range(sources, op->getOperands());
    if (!findsNeeds)
      return;
    if (isa<SlotOp, SliceOp>(op) || isPlaceOfWritten(op))
      llvm::append_range(sources, op->getOperands());
    if (auto address = dyn_cast<AddressOp>(op); address && isPlaceOfWritten(op))
      if (auto lookup = address.getArray().getDefiningOp<LookupOp>())
        sources.push_back(lookup.getIndex());
  });
  if (!findsNeeds)
    return;
  for (auto &[op, known] : instructions) {
    auto add = [&](IndexNumber number) {
      if (number != noIndex)
        sources.push_back(indices[number].value);
    };
    for (const LocalFacts &local : known.local)
      add(local.amount);
    for (const GlobalFacts &access : known.global) {
      add(access.length);
      for (const GlobalFacts::Level &level : access.levels) {
        add(level.count);
        add(level.step);
      }
    }
  }
}

/// Whether an operation gives a place in an array that the kernel writes.
bool KernelFacts::isPlaceOfWritten(Operation *op) const {
  auto address = dyn_cast<AddressOp>(op);
  return address && writtenArrays.contains(getArray(address.getResult()));
}

/// What a value is computed from, also in trips and branches before.
static void collectOperands(Value value, SmallVectorImpl<Value> &operands) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument != loop.getInductionVar())
      operands.append(
          {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return operands.push_back(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
  if (auto condition = dyn_cast<scf::IfOp>(op)) {
    for (scf::YieldOp yield : {condition.thenYield(), condition.elseYield()})
      operands.push_back(yield.getOperand(cast<OpResult>(value).getResultNumber()));
    return;
  }
  llvm::append_range(operands, op->getOperands());
}

KernelFacts::TracedBlocks KernelFacts::findTraced(bool findsNeeds) {
  SmallVector<Value> worklist;
  collectSources(findsNeeds, worklist);
  llvm::DenseSet<Value> needed;
  while (!worklist.empty())
    if (Value value = worklist.pop_back_val(); value && needed.insert(value).second)
      collectOperands(value, worklist);
  auto isTraced = [&](Operation *op, const InstructionFacts *known) {
    if (op->getNumRegions() != 0)
      return true;
    // What occupies several pipes orders them.
    if (known)
      return findsNeeds || known->pipes.size() > 1;
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex())
      return needed.contains(op->getResult(0)) &&
             (!op->hasTrait<OpTrait::ConstantLike>() || slotIndices.contains(op->getResult(0)));
    if (isa<AllocOp>(op))
      return false;
    if (isa<SlotOp, SliceOp>(op))
      return findsNeeds;
    return isa<AddressOp>(op) ? findsNeeds && isPlaceOfWritten(op) : true;
  };
  TracedBlocks blocks;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isEnd = op->hasTrait<OpTrait::IsTerminator>() && op->getNumSuccessors() == 0;
    auto known = instructions.find(op);
    const InstructionFacts *facts = known == instructions.end() ? nullptr : &known->second;
    if (op != kernel && !isEnd && isTraced(op, facts))
      blocks[op->getBlock()].push_back(getTraced(op));
  });
  return blocks;
}

/// The block in each run of which the writes of an instruction keep apart from others: its own, or
/// that of a loop around it which says so of all its trips.
static Block *getApartBlock(Operation *op) {
  Block *block = op->getBlock();
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (loop->hasAttr(apartName) && loop->getAttr(apartName) == op->getAttr(apartName))
      block = loop->getBlock();
  return block;
}

void KernelFacts::setApartDepths() {
  llvm::DenseMap<int64_t, Block *> around;
  for (auto &[op, known] : instructions) {
    if (!known.apart)
      continue;
    Block *own = getApartBlock(op);
    Block *&block = around.try_emplace(*known.apart, own).first->second;
    while (block != own && !block->findAncestorOpInBlock(*own->getParentOp()))
      block = block->getParentOp()->getBlock();
  }
  for (auto [group, block] : around) {
    int32_t &depth = apartDepths[group];
    for (Operation *parent = block->getParentOp(); parent != kernel; parent = parent->getParentOp())
      ++depth;
  }
}

/// What a trace needs to know of an operation that gives a number.
void KernelFacts::setTracedIndex(Operation *op, TraceEntry &traced) {
  Value result = op->getResult(0);
  traced.kind = TraceEntry::Kind::Index;
  traced.result = numberIndex(result);
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex() ||
      !result.getType().isIndex())
    return;
  // What is cut off at the end of a loop is one number in the trips that are traced, and another in
  // the last of those that are left out.
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op) &&
      followsInduction(op))
    return;
  traced.kind = isa<arith::AddIOp>(op)   ? TraceEntry::Kind::Add
                : isa<arith::SubIOp>(op) ? TraceEntry::Kind::Subtract
                : isa<arith::MulIOp>(op) ? TraceEntry::Kind::Multiply
                                         : TraceEntry::Kind::Compute;
  traced.operands = {numberIndex(op->getOperand(0)), numberIndex(op->getOperand(1))};
}

/// The same of one that gives a view of memory.
void KernelFacts::setTracedView(Operation *op, TraceEntry &traced) {
  traced.result = numberView(op->getResult(0));
  if (auto slot = dyn_cast<SlotOp>(op)) {
    traced.kind = TraceEntry::Kind::Slot;
    traced.source = numberView(slot.getBuffer());
    traced.operands = {numberIndex(slot.getIndex())};
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    traced.kind = TraceEntry::Kind::Slice;
    traced.source = numberView(slice.getBuffer());
    traced.operands = {numberIndex(slice.getOffset())};
  } else {
    auto address = cast<AddressOp>(op);
    traced.kind = TraceEntry::Kind::Address;
    if (auto lookup = address.getArray().getDefiningOp<LookupOp>())
      traced.operands.push_back(numberIndex(lookup.getIndex()));
    for (Value index : address.getIndices())
      traced.operands.push_back(numberIndex(index));
  }
}

TraceEntry KernelFacts::getTraced(Operation *op) {
  TraceEntry traced{TraceEntry::Kind::Other, op, numbers.lookup(op)};
  if (auto known = instructions.find(op); known != instructions.end()) {
    traced.kind = TraceEntry::Kind::Instruction;
    traced.instruction = &known->second;
  } else if (isa<scf::ForOp>(op)) {
    traced.kind = TraceEntry::Kind::Loop;
    traced.loop = &loops.find(op)->second;
  } else if (auto condition = dyn_cast<scf::IfOp>(op)) {
    traced.kind = TraceEntry::Kind::Condition;
    for (auto [number, result] : llvm::enumerate(condition.getResults()))
      traced.operands.append({numberIndex(result),
                              numberIndex(condition.thenYield().getOperand(number)),
                              numberIndex(condition.elseYield().getOperand(number))});
  } else if (isa<SetFlagOp, WaitFlagOp, BarrierOp, SyncAllOp, CrossSetOp, CrossWaitOp>(op)) {
    traced.kind = TraceEntry::Kind::Sync;
    for (Value slot : op->getOperands())
      traced.operands.push_back(numberIndex(slot));
  } else if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0) {
    traced.kind = TraceEntry::Kind::Other;
  } else if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex()) {
    setTracedIndex(op, traced);
  } else if (isa<SlotOp, SliceOp, AddressOp>(op)) {
    setTracedView(op, traced);
  }
  return traced;
}

void KernelFacts::add(scf::ForOp loop) {
  LoopFacts &known = loops[loop];
  known = {numberIndex(loop.getLowerBound()),
           numberIndex(loop.getUpperBound()),
           numberIndex(loop.getStep()),
           numberIndex(loop.getInductionVar()),
           {}};
  for (auto [init, argument, yielded, result] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getResults()))
    known.carried.push_back(
        {numberIndex(init), numberIndex(argument), numberIndex(yielded), numberIndex(result)});
  tripLimits[loop] = getTripLimit(loop, ranges);
  if (scf::ForOp outer = findVaryingWith(loop))
    varyingWith[loop] = outer;
  if (tripLimits[loop] && getConstantIntValue(loop.getLowerBound()) &&
      getConstantIntValue(loop.getUpperBound()))
    fixedLoops.insert(loop);
  SmallVector<Operation *> &views = movingViews[loop];
  for (BlockArgument index : loop.getBody()->getArguments())
    for (Operation *moving : findMoving(index)) {
      auto address = dyn_cast<AddressOp>(moving);
      Value array = address ? getArray(address.getResult()) : Value();
      bool isApart = address && (!writtenArrays.contains(array) ||
                                 (loop->hasAttr("ascend.parallel") && !isWorkspace(array)));
      if (!isApart)
        movingLoops.insert(loop);
      if (!address && index == loop.getInductionVar())
        views.push_back(moving);
    }
}

/// Whether all blocks of a launch may touch the same part of an array, as iterations of a loop may.
bool KernelFacts::isWorkspace(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  return argument && argument.getOwner() == &kernel.getBody().front() &&
         kernel.getArgAttr(argument.getArgNumber(), "launch.workspace");
}

/// Whether the cores of a group pass tiles on to each other through an array. Its slots are written
/// by one kind of core and read by the other, and flags between cores, which are there already, say
/// when: a slot is not written again before it was read. What a core does there needs no other
/// order.
bool KernelFacts::isExchanged(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  if (!argument || !isWorkspace(array))
    return false;
  auto dims = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), launch::dimsName);
  return dims && llvm::is_contained(dims, StringAttr::get(kernel.getContext(), launch::groupsDim));
}

void KernelFacts::add(InstructionOpInterface instruction) {
  InstructionFacts &facts = instructions[instruction];
  facts.number = numbers.lookup(instruction);
  facts.pipes = instruction.getPipes();
  if (auto group = instruction->getAttrOfType<IntegerAttr>(apartName))
    facts.apart = group.getInt();
  SmallVector<Access> accesses;
  instruction.getAccesses(accesses, ranges);
  for (Access &access : accesses) {
    if (getSpace(access.memory.getType()) != Space::GM) {
      facts.local.push_back(getLocal(std::move(access)));
      continue;
    }
    facts.global.push_back(getGlobal(access));
    if (Value array = facts.global.back().array; access.isWrite && !isExchanged(array))
      writtenArrays.insert(array);
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
  std::optional<int64_t> constant = getConstantIntValue(pitch);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!constant || failed(address.getArray().getType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  auto found = llvm::find(strides, *constant);
  if (found == strides.end())
    return std::nullopt;
  return found - strides.begin() + (lookup ? 1 : 0);
}

LocalFacts KernelFacts::getLocal(Access access) {
  int32_t view = numberView(access.memory);
  LocalFacts facts{std::move(access), localAccessCount++, view};
  if (facts.access.exactSize)
    facts.amount = numberIndex(facts.access.exactSize->amount);
  return facts;
}

GlobalFacts KernelFacts::getGlobal(const Access &access) {
  Value array = getArray(access.memory);
  GlobalFacts facts{numberView(access.memory), array, access.isWrite, isWorkspace(array),
                    access.pipeNumber};
  facts.isDistinct = llvm::any_of(access.memory.getUsers(), llvm::IsaPred<ExpectDistinctOp>);
  if (!access.range)
    return facts;
  facts.length = numberIndex(access.range->length);
  for (auto [count, pitch] : access.range->levels) {
    GlobalFacts::Level level{numberIndex(count), std::nullopt, noIndex,
                             ranges.getUpperBound(count).value_or(2) > 1};
    if (auto product = pitch.getDefiningOp<arith::MulIOp>())
      for (auto [stride, step] : {std::pair(product.getLhs(), product.getRhs()),
                                  std::pair(product.getRhs(), product.getLhs())})
        if (level.step == noIndex && stride.getDefiningOp<StrideOp>()) {
          pitch = stride;
          level.step = numberIndex(step);
          rowSteps.insert(step);
        }
    if (auto address = access.memory.getDefiningOp<AddressOp>())
      level.dimension = findRowDimension(address, pitch);
    facts.levels.push_back(level);
  }
  return facts;
}
