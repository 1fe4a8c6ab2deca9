// Runs a kernel abstractly: indices are evaluated, loops unrolled, and every access is held against
// the history of its bytes.
#include "attn/Dialect/Ascend/Analysis/BufferUses.h"
#include "attn/Dialect/Ascend/Analysis/ExecutionTrace.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn::ascend;

/// A longer trace means loops nested too deeply to look at.
static constexpr size_t maxSteps = 4000000;

namespace attn::ascend {

class TraceBuilder {
public:
  TraceBuilder(func::FuncOp kernel, const TraceChoice &choice) : kernel(kernel), choice(choice) {
    kernel.walk([&](SlotOp op) { slotIndices.insert(op.getIndex()); });
    kernel.walk([&](CopyOutOp op) { writtenArrays.insert(getArray(op.getDst())); });
  }

  FailureOr<ExecutionTrace> run() {
    trace.frames.push_back({-1, 0});
    if (failed(walk(kernel.getBody().front(), 0)))
      return failure();
    return std::move(trace);
  }

private:
  using Step = ExecutionTrace::Step;

  LogicalResult walk(Block &block, int32_t frame);
  LogicalResult visit(scf::ForOp loop, int32_t frame);
  LogicalResult visit(scf::IfOp condition, int32_t frame);
  LogicalResult visit(InstructionOpInterface instruction, int32_t frame);
  void visitSync(Operation *op, int32_t frame);

  int64_t getTripCount(scf::ForOp loop);
  int32_t enter(Operation *op, int32_t frame);
  void leave(int32_t visit);
  int32_t pushFrame(int32_t visit);

  /// Indices.
  IndexExpression get(Value index);
  void set(Value index, IndexExpression expression);
  std::optional<IndexExpression> evaluate(Operation *op);
  IndexExpression makeUnknown() { return IndexExpression::unknown(nextSymbol++); }

  /// Memory.
  void setPlace(Operation *op);
  void setSlot(SlotOp op);
  void setSlice(SliceOp op);
  /// The argument behind a memref of GM, or none.
  static Value getArray(Value memory);
  SmallVector<Extent, 4> getExtents(Value memory, Value rows, Value length, Value pitch);
  bool areInParallelIterations(int32_t left, int32_t right) const;
  bool isScratch(Value array);
  void addGlobal(Operation *op, Pipe pipe, int32_t step, Needs &needs);

  func::FuncOp kernel;
  const TraceChoice &choice;
  ExecutionTrace trace;
  int32_t nextSymbol = 0;
  int64_t conditions = 0;
  DenseSet<Value> slotIndices;
  DenseSet<Value> writtenArrays;
  DenseMap<Value, IndexExpression> indices;
  DenseMap<Value, LocalPlace> localPlaces;
  DenseMap<Value, GlobalPlace> globalPlaces;
  DenseMap<Operation *, int64_t> tripLimits;
  LocalHistory local;
  GlobalHistory global;
};

} // namespace attn::ascend

FailureOr<ExecutionTrace> ExecutionTrace::make(func::FuncOp kernel, const TraceChoice &choice) {
  return TraceBuilder(kernel, choice).run();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult TraceBuilder::walk(Block &block, int32_t frame) {
  for (Operation &op : block) {
    if (trace.steps.size() > maxSteps)
      return op.emitError("lies in loops nested too deeply to synchronise");
    LogicalResult done =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<scf::ForOp, scf::IfOp>([&](auto op) { return visit(op, frame); })
            .Case([&](InstructionOpInterface op) { return visit(op, frame); })
            .Case<SetFlagOp, WaitFlagOp, BarrierOp>([&](auto op) {
              visitSync(op, frame);
              return success();
            })
            .Default([&](Operation *op) -> LogicalResult {
              if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
                return op->emitError("is control flow that synchronisation cannot follow");
              setPlace(op);
              if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex())
                set(op->getResult(0), evaluate(op).value_or(makeUnknown()));
              return success();
            });
    if (failed(done))
      return failure();
  }
  return success();
}

int32_t TraceBuilder::enter(Operation *op, int32_t frame) {
  int32_t visit = trace.visits.size();
  trace.visits.push_back({op, static_cast<int32_t>(trace.steps.size()), -1, frame});
  trace.steps.push_back({Step::Kind::Enter, op, frame, visit});
  return visit;
}

void TraceBuilder::leave(int32_t visit) {
  ExecutionTrace::Visit &left = trace.visits[visit];
  left.exit = trace.steps.size();
  trace.steps.push_back({Step::Kind::Exit, left.op, left.parentFrame, visit});
}

int32_t TraceBuilder::pushFrame(int32_t visit) {
  int32_t depth = trace.frames[trace.visits[visit].parentFrame].depth + 1;
  trace.frames.push_back({visit, depth});
  return trace.frames.size() - 1;
}

/// How often the loop runs in this trace.
int64_t TraceBuilder::getTripCount(scf::ForOp loop) {
  std::optional<int64_t> begin = get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> end = get(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = get(loop.getStep()).getConstant();
  if (begin && end && step && *step > 0)
    return std::min<int64_t>(choice.trips < 3 ? 3 : choice.trips,
                             *end <= *begin ? 0 : (*end - *begin - 1) / *step + 1);
  int64_t trips = choice.exception == loop ? choice.exceptionTrips : choice.trips;
  auto [limit, isNew] = tripLimits.try_emplace(loop, trips);
  if (isNew) {
    std::optional<int64_t> first = getLowerBound(loop.getLowerBound());
    std::optional<int64_t> last = getUpperBound(loop.getUpperBound());
    if (first && last && step && *step > 0 && *first >= 0)
      limit->second = *last <= *first ? 0 : (*last - *first - 1) / *step + 1;
  }
  return std::min(trips, limit->second);
}

LogicalResult TraceBuilder::visit(scf::ForOp loop, int32_t frame) {
  for (Value init : loop.getInitArgs())
    if (isa<BaseMemRefType>(init.getType()))
      return loop.emitError("carries a buffer, which synchronisation cannot follow");
  int64_t trips = getTripCount(loop);
  IndexExpression induction = get(loop.getLowerBound()), step = get(loop.getStep());
  SmallVector<IndexExpression> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(get(init));

  int32_t visit = enter(loop, frame);
  for (int64_t trip = 0; trip < trips; ++trip) {
    int32_t iteration = pushFrame(visit);
    set(loop.getInductionVar(), induction);
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
      set(argument, value);
    if (failed(walk(*loop.getBody(), iteration)))
      return failure();
    carried.clear();
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      carried.push_back(get(value));
    induction = IndexExpression::add(induction, step).value_or(makeUnknown());
  }
  leave(visit);
  for (auto [result, value] : llvm::zip(loop.getResults(), carried))
    set(result, value);
  return success();
}

LogicalResult TraceBuilder::visit(scf::IfOp condition, int32_t frame) {
  bool isThen = choice.branch == TraceChoice::Branch::Then ||
                (choice.branch == TraceChoice::Branch::Alternating && conditions++ % 2 == 0);
  Block *block = isThen ? condition.thenBlock() : condition.elseBlock();
  int32_t visit = enter(condition, frame);
  if (block && failed(walk(*block, pushFrame(visit))))
    return failure();
  leave(visit);
  for (auto [index, result] : llvm::enumerate(condition.getResults())) {
    if (isa<BaseMemRefType>(result.getType()))
      return condition.emitError("chooses a buffer, which synchronisation cannot follow");
    set(result, get(block->getTerminator()->getOperand(index)));
  }
  return success();
}

void TraceBuilder::visitSync(Operation *op, int32_t frame) {
  Step step{Step::Kind::Barrier, op, frame};
  auto addFlag = [&](auto flag, Step::Kind kind) {
    step.kind = kind;
    step.slotNumber = flag.getSlot() ? get(flag.getSlot()).getConstant().value_or(-1) : 0;
  };
  if (auto flag = dyn_cast<SetFlagOp>(op))
    addFlag(flag, Step::Kind::Set);
  if (auto flag = dyn_cast<WaitFlagOp>(op))
    addFlag(flag, Step::Kind::Wait);
  trace.steps.push_back(step);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

IndexExpression TraceBuilder::get(Value index) {
  auto [found, isNew] = indices.try_emplace(index);
  if (isNew) {
    std::optional<int64_t> constant = getConstant(index);
    found->second = constant ? IndexExpression(*constant) : makeUnknown();
  }
  return found->second;
}

void TraceBuilder::set(Value index, IndexExpression expression) {
  if (slotIndices.contains(index)) {
    Step step{Step::Kind::Slot};
    step.slot = index;
    step.slotNumber = expression.getConstant().value_or(-1);
    trace.steps.push_back(step);
  }
  indices[index] = std::move(expression);
}

/// What an operation gives on known numbers, or none.
static std::optional<int64_t> compute(Operation *op, int64_t a, int64_t b) {
  using Result = std::optional<int64_t>;
  bool divides = b > 0 && a >= 0;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return divides ? Result(a / b) : Result(); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return divides ? Result(a / b + (a % b != 0)) : Result(); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return divides ? Result(a % b) : Result(); })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Default(Result());
}

std::optional<IndexExpression> TraceBuilder::evaluate(Operation *op) {
  if (std::optional<int64_t> constant = getConstant(op->getResult(0)))
    return IndexExpression(*constant);
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex())
    return std::nullopt;
  IndexExpression a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return IndexExpression::add(a, b);
  if (isa<arith::SubIOp>(op))
    return IndexExpression::subtract(a, b);
  if (isa<arith::MulIOp>(op))
    return IndexExpression::multiply(a, b);
  if (!a.getConstant() || !b.getConstant())
    return std::nullopt;
  std::optional<int64_t> number = compute(op, *a.getConstant(), *b.getConstant());
  return number ? std::optional(IndexExpression(*number)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void TraceBuilder::setPlace(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    int64_t begin = alloc.getAddress().value_or(0);
    localPlaces[alloc.getResult()] = {alloc, begin, begin + alloc.getByteSize(), {}};
  } else if (auto slot = dyn_cast<SlotOp>(op)) {
    setSlot(slot);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    setSlice(slice);
  } else if (auto address = dyn_cast<AddressOp>(op)) {
    GlobalPlace place{getArray(address.getArray()), {}};
    if (auto lookup = address.getArray().getDefiningOp<LookupOp>())
      place.indices.push_back(get(lookup.getIndex()));
    for (Value index : address.getIndices())
      place.indices.push_back(get(index));
    globalPlaces[address.getResult()] = std::move(place);
  }
}

void TraceBuilder::setSlot(SlotOp op) {
  LocalPlace place = localPlaces.lookup(op.getBuffer());
  std::optional<int64_t> number = get(op.getIndex()).getConstant();
  if (place.buffer && number && *number >= 0 && *number < place.buffer.getSlotCount()) {
    place.begin += *number * place.buffer.getSlotPitchBytes();
    place.end = place.begin + place.buffer.getSlotPitchBytes();
    place.slot = op.getIndex();
  }
  localPlaces[op.getResult()] = place;
}

void TraceBuilder::setSlice(SliceOp op) {
  LocalPlace place = localPlaces.lookup(op.getBuffer());
  std::optional<int64_t> offset = get(op.getOffset()).getConstant();
  int64_t bytes = cast<MemRefType>(op.getBuffer().getType()).getElementTypeBitWidth() / 8;
  // A view at an unknown offset may lie anywhere from the start of its buffer on.
  if (offset && *offset >= 0 && *offset <= place.end)
    place.begin = std::min(place.begin + *offset * bytes, place.end);
  else
    place.isExact = false;
  localPlaces[op.getResult()] = place;
}

Value TraceBuilder::getArray(Value memory) {
  if (auto address = memory.getDefiningOp<AddressOp>())
    memory = address.getArray();
  if (auto lookup = memory.getDefiningOp<LookupOp>())
    memory = lookup.getTable();
  return memory;
}

bool TraceBuilder::isScratch(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  return argument && argument.getOwner() == &kernel.getBody().front() &&
         kernel.getArgAttr(argument.getArgNumber(), "launch.scratch");
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

/// What a transfer touches of an array, per dimension; empty where that is not known.
SmallVector<Extent, 4> TraceBuilder::getExtents(Value memory, Value rows, Value length,
                                                Value pitch) {
  auto address = memory.getDefiningOp<AddressOp>();
  auto found = globalPlaces.find(memory);
  if (!address || found == globalPlaces.end() || found->second.indices.empty())
    return {};
  SmallVector<Extent, 4> extents;
  for (const IndexExpression &index : found->second.indices)
    extents.push_back({index, 1});
  extents.back().size = getUpperBound(length);
  if (getUpperBound(rows) == 1)
    return extents;
  std::optional<int64_t> dimension = findRowDimension(address, pitch);
  if (!dimension || *dimension >= static_cast<int64_t>(extents.size()))
    return {};
  extents[*dimension].size = getUpperBound(rows);
  return extents;
}

bool TraceBuilder::areInParallelIterations(int32_t left, int32_t right) const {
  ExecutionTrace::Meeting meeting = trace.meet(trace.steps[left].frame, trace.steps[right].frame);
  if (meeting.left == -1 || meeting.right == -1)
    return false;
  int32_t visit = trace.frames[meeting.left].visit;
  return visit == trace.frames[meeting.right].visit &&
         trace.visits[visit].op->hasAttr("ascend.parallel");
}

void TraceBuilder::addGlobal(Operation *op, Pipe pipe, int32_t step, Needs &needs) {
  GlobalHistory::Touch touch{step, pipe, false, {}};
  Value memory;
  if (auto in = dyn_cast<CopyInOp>(op)) {
    memory = in.getSrc();
    touch.extents = getExtents(memory, in.getRows(), in.getLength(), in.getSrcPitch());
  } else if (auto out = dyn_cast<CopyOutOp>(op)) {
    memory = out.getDst();
    touch.isWrite = true;
    touch.extents = getExtents(memory, out.getRows(), out.getLength(), out.getDstPitch());
  } else {
    return;
  }
  Value array = getArray(memory);
  if (!writtenArrays.contains(array))
    return;
  bool isScratchArray = isScratch(array);
  global.add(array, std::move(touch), needs, [&](int32_t left, int32_t right) {
    return !isScratchArray && areInParallelIterations(left, right);
  });
}

LogicalResult TraceBuilder::visit(InstructionOpInterface instruction, int32_t frame) {
  int32_t step = trace.steps.size();
  trace.steps.push_back(
      {Step::Kind::Instruction, instruction, frame, static_cast<int32_t>(trace.needs.size())});
  SmallVector<Access> accesses;
  instruction.getAccesses(accesses);
  SmallVector<std::pair<LocalPlace, Access>> touched;
  for (Access &access : accesses) {
    if (getSpace(access.memory.getType()) != Space::UB)
      continue;
    auto found = localPlaces.find(access.memory);
    if (found == localPlaces.end() || !found->second.buffer)
      return instruction->emitError("uses a buffer that no ascend.alloc of the kernel made");
    access.toEnd |= !found->second.isExact;
    touched.push_back({found->second, access});
  }

  Needs found;
  Pipe pipe = instruction.getPipe();
  for (auto &[place, access] : touched)
    local.collect(place, access, found);
  addGlobal(instruction, pipe, step, found);
  for (bool isWrite : {false, true})
    for (auto &[place, access] : touched)
      if (access.isWrite == isWrite)
        local.record(place, access, pipe, step);
  for (int index = 0; index < pipeCount; ++index)
    if (found[index].step >= 0)
      trace.needs.push_back({static_cast<Pipe>(index), found[index]});
  trace.steps.back().needCount = trace.needs.size() - trace.steps.back().detail;
  return success();
}
