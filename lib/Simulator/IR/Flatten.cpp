// The simulator's front: turns a function of scf, arith and ascend ops into a line of steps.
#include "Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

namespace {

class Flattener {
public:
  Flattener(func::FuncOp function, const Launch &launch, Listing &listing)
      : launch(launch), listing(listing) {
    program.function = function;
  }

  FailureOr<Program> run() {
    bindArguments();
    if (failed(visitBlock(program.function.getBody().front())))
      return failure();
    return std::move(program);
  }

private:
  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  int addScalar(Scalar initial = {}) {
    program.scalars.push_back(initial);
    return program.scalars.size() - 1;
  }
  int addPlace(Place initial = {}) {
    program.places.push_back(initial);
    return program.places.size() - 1;
  }
  static bool isPlace(Type type) { return isa<MemRefType, ascend::TableType>(type); }

  /// The register of a value; made at its first mention.
  int getRegister(Value value) {
    auto [it, isNew] = registers.try_emplace(value, -1);
    if (isNew)
      it->second = isPlace(value.getType()) ? addPlace() : addScalar();
    return it->second;
  }
  /// Where the register is written before anything runs.
  void define(Value value, Scalar scalar) { program.scalars[getRegister(value)] = scalar; }
  void define(Value value, Place place) { program.places[getRegister(value)] = place; }

  Step &addStep(Step::Kind kind, Operation *op) {
    program.steps.push_back({});
    program.steps.back().kind = kind;
    program.steps.back().op = op;
    return program.steps.back();
  }
  void addMove(Operation *op, Type type, int to, int from) {
    Step &step = addStep(isPlace(type) ? Step::Kind::MovePlace : Step::Kind::Move, op);
    step.dst = to;
    step.a = from;
  }

  /// dst_i = src_i for all i at once: through fresh registers, as a source may be another's
  /// destination.
  void addMoves(Operation *op, ArrayRef<int> to, ValueRange from) {
    SmallVector<int> between;
    for (Value value : from) {
      between.push_back(isPlace(value.getType()) ? addPlace() : addScalar());
      addMove(op, value.getType(), between.back(), getRegister(value));
    }
    for (auto [index, value] : llvm::enumerate(from))
      addMove(op, value.getType(), to[index], between[index]);
  }

  void bindArguments() {
    for (auto [bound, value] : llvm::zip(launch.arguments, program.function.getArguments())) {
      if (!isPlace(value.getType())) {
        define(value, bound.scalar);
        continue;
      }
      Place place;
      place.memory = Memory::GM;
      place.object = bound.firstArray;
      define(value, place);
      bounds[value] = &bound;
    }
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult visitBlock(Block &block) {
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<arith::ConstantOp, scf::ForOp, scf::IfOp, func::ReturnOp, ascend::BlockIdOp,
              ascend::BlockCountOp, ascend::CoreIdOp, ascend::SubBlockIdOp, ascend::DimOp,
              ascend::StrideOp, ascend::AllocOp, ascend::SlotOp, ascend::SliceOp, ascend::LookupOp,
              ascend::AddressOp, ascend::LoadIndexOp, ascend::ExpectIndexOp, ascend::ExpectCountOp,
              ascend::ExpectDistinctOp>([&](auto typed) { return visitOp(typed); })
        .Case([](scf::YieldOp) { return success(); })
        .Default([&](Operation *other) { return visitOther(other); });
  }

  LogicalResult visitOther(Operation *op) {
    if (Evaluate evaluate = getEvaluate(op)) {
      Step &step = addStep(Step::Kind::Evaluate, op);
      int *sources[] = {&step.a, &step.b, &step.c};
      step.evaluate = evaluate;
      // Unused operands read the first one; every evaluation takes three.
      for (int index = 0; index < 3; ++index)
        *sources[index] =
            getRegister(op->getOperand(index < static_cast<int>(op->getNumOperands()) ? index : 0));
      step.dst = getRegister(op->getResult(0));
      return success();
    }
    auto lookUp = [&](Value value) { return getRegister(value); };
    FailureOr<Decoded> decoded = decode(op, {lookUp, lookUp});
    if (failed(decoded))
      return op->emitOpError("is not supported by the simulator");
    if (op->hasAttr("virtual_event"))
      return op->emitOpError("has a virtual event: ascend-assign-events must run first");
    decoded->instruction.number = listing.instructions.size();
    listing.instructions.push_back(std::move(decoded->instruction));
    addStep(Step::Kind::Issue, op).a = program.operands.size();
    program.operands.push_back(std::move(decoded->operands));
    program.operands.back().instruction = &listing.instructions.back();
    return success();
  }

  LogicalResult visitOp(arith::ConstantOp op) {
    if (std::optional<Scalar> number = getScalar(op)) {
      define(op, *number);
      return success();
    }
    return op.emitOpError("is not supported by the simulator");
  }

  LogicalResult visitOp(scf::ForOp op) {
    addStep(Step::Kind::CheckStep, op).a = getRegister(op.getStep());
    SmallVector<int> carried;
    for (auto [argument, result] : llvm::zip(op.getRegionIterArgs(), op.getResults())) {
      carried.push_back(getRegister(argument));
      registers[result] = carried.back();
    }
    addMoves(op, carried, op.getInitArgs());
    int counter = getRegister(op.getInductionVar());
    addMove(op, op.getInductionVar().getType(), counter, getRegister(op.getLowerBound()));
    int head = program.steps.size();
    Step &test = addStep(Step::Kind::LoopTest, op);
    test.a = counter;
    test.b = getRegister(op.getUpperBound());
    test.c = op->hasAttr("unsignedCmp");
    if (failed(visitBlock(*op.getBody())))
      return failure();
    addMoves(op, carried, op.getBody()->getTerminator()->getOperands());
    Step &next = addStep(Step::Kind::Evaluate, op);
    next.dst = next.a = next.c = counter;
    next.b = getRegister(op.getStep());
    next.evaluate = [](Scalar &result, const Scalar &a, const Scalar &b, const Scalar &) {
      return !llvm::AddOverflow(a.integer, b.integer, result.integer);
    };
    addStep(Step::Kind::Jump, op).target = head;
    program.steps[head].target = program.steps.size();
    return success();
  }

  LogicalResult visitOp(scf::IfOp op) {
    SmallVector<int> results;
    for (Value result : op.getResults())
      results.push_back(getRegister(result));
    int branch = program.steps.size();
    addStep(Step::Kind::JumpUnless, op).a = getRegister(op.getCondition());
    if (failed(visitBlock(*op.thenBlock())))
      return failure();
    addMoves(op, results, op.thenYield().getOperands());
    int skip = program.steps.size();
    addStep(Step::Kind::Jump, op);
    program.steps[branch].target = program.steps.size();
    if (op.elseBlock()) {
      if (failed(visitBlock(*op.elseBlock())))
        return failure();
      addMoves(op, results, op.elseYield().getOperands());
    }
    program.steps[skip].target = program.steps.size();
    return success();
  }

  LogicalResult visitOp(func::ReturnOp op) {
    for (Value value : op.getOperands())
      program.results.push_back(getRegister(value));
    addStep(Step::Kind::Return, op);
    return success();
  }

  LogicalResult visitOp(ascend::BlockIdOp op) {
    program.blockIds.push_back(getRegister(op));
    return success();
  }
  LogicalResult visitOp(ascend::BlockCountOp op) {
    program.blockCounts.push_back(getRegister(op));
    return success();
  }

  LogicalResult visitOp(ascend::CoreIdOp op) {
    program.coreIds.push_back(getRegister(op));
    return success();
  }
  LogicalResult visitOp(ascend::SubBlockIdOp op) {
    program.subBlockIds.push_back(getRegister(op));
    return success();
  }

  /// The launch's argument that an array value stands for; entries of a table are alike.
  const BoundArgument *getBound(Value array) {
    if (auto lookup = array.getDefiningOp<ascend::LookupOp>())
      array = lookup.getTable();
    return bounds.lookup(array);
  }

  /// The size or stride of an array's dimension, as the op names them.
  template <typename Op> FailureOr<int64_t> getShape(Op op, bool wantsStride) {
    const BoundArgument *bound = getBound(op.getArray());
    if (!bound)
      return op.emitOpError("asks for an array that is not an argument of the kernel");
    int64_t dimension = op.getDimension();
    if (isa<ascend::TableType>(op.getArray().getType()) && dimension-- == 0)
      return bound->arrayCount;
    if (bound->arrayCount == 0)
      return 0;
    const Array &array = launch.arrays[bound->firstArray].array;
    return wantsStride ? array.strides[dimension] : array.shape[dimension];
  }
  template <typename Op> LogicalResult visitShape(Op op, bool wantsStride) {
    FailureOr<int64_t> number = getShape(op, wantsStride);
    if (succeeded(number))
      define(op, Scalar{*number, 0});
    return number;
  }
  LogicalResult visitOp(ascend::DimOp op) { return visitShape(op, /*wantsStride=*/false); }
  LogicalResult visitOp(ascend::StrideOp op) { return visitShape(op, /*wantsStride=*/true); }

  LogicalResult visitOp(ascend::AllocOp op) {
    if (!op.getAddress())
      return op.emitOpError() << "of \"" << op.getName()
                              << "\" has no address: ascend-plan-memory must run first";
    Place place;
    place.memory = *ascend::getSpace(op.getResult().getType());
    place.object = listing.buffers.size();
    place.offset = place.begin = *op.getAddress();
    place.end = place.begin + op.getByteSize();
    listing.buffers.push_back(
        {op.getName().str(), op.getLoc(), place.memory, place.begin, op.getByteSize()});
    define(op, place);
    return success();
  }

  LogicalResult visitOp(ascend::SlotOp op) {
    auto alloc = op.getBuffer().getDefiningOp<ascend::AllocOp>();
    if (!alloc)
      return op.emitOpError("takes a slot of something other than an ascend.alloc");
    Step &step = addStep(Step::Kind::Slot, op);
    step.a = getRegister(op.getBuffer());
    step.b = getRegister(op.getIndex());
    step.bytes = alloc.getSlotPitchBytes();
    step.count = alloc.getSlotCount();
    step.dst = getRegister(op);
    return success();
  }

  LogicalResult visitOp(ascend::SliceOp op) {
    std::optional<Element> element = getElement(op.getResult().getType());
    if (!element)
      return op.emitOpError("has an element type the simulator does not know");
    Step &step = addStep(Step::Kind::Slice, op);
    step.a = getRegister(op.getBuffer());
    step.b = getRegister(op.getOffset());
    step.bytes = getBytes(*element);
    step.dst = getRegister(op);
    return success();
  }

  LogicalResult visitOp(ascend::LookupOp op) {
    const BoundArgument *bound = getBound(op.getTable());
    if (!bound)
      return op.emitOpError("asks for a table that is not an argument of the kernel");
    Step &step = addStep(Step::Kind::Lookup, op);
    step.a = bound->firstArray;
    step.b = getRegister(op.getIndex());
    step.count = bound->arrayCount;
    step.dst = getRegister(op);
    return success();
  }

  LogicalResult visitOp(ascend::AddressOp op) { return visitElement(op, Step::Kind::Address); }
  LogicalResult visitOp(ascend::LoadIndexOp op) { return visitElement(op, Step::Kind::LoadIndex); }

  LogicalResult visitOp(ascend::ExpectIndexOp op) {
    FailureOr<int64_t> size = getShape(op, /*wantsStride=*/false);
    if (failed(size))
      return failure();
    Step &step = addStep(Step::Kind::Expect, op);
    step.a = getRegister(op.getIndex());
    step.b = getRegister(op.getBounded());
    step.count = *size;
    return success();
  }

  LogicalResult visitOp(ascend::ExpectCountOp op) {
    Step &step = addStep(Step::Kind::Expect, op);
    step.a = getRegister(op.getUpper());
    step.b = getRegister(op.getBounded());
    return success();
  }

  LogicalResult visitOp(ascend::ExpectDistinctOp op) {
    Step &step = addStep(Step::Kind::Distinct, op);
    step.a = getRegister(op.getIndex());
    step.b = getRegister(op.getAddress());
    return success();
  }

  /// What takes an element of an array.
  template <typename Op> LogicalResult visitElement(Op op, Step::Kind kind) {
    if (op.getIndices().size() > maxRank)
      return op.emitOpError() << "has more than " << maxRank << " indices";
    std::optional<Element> element = getElement(op.getArray().getType());
    if (!element)
      return op.emitOpError("has an element type the simulator does not know");
    Step &step = addStep(kind, op);
    step.a = getRegister(op.getArray());
    step.b = program.indices.size();
    step.count = op.getIndices().size();
    step.bytes = getBytes(*element);
    step.dst = getRegister(op);
    for (Value index : op.getIndices())
      program.indices.push_back(getRegister(index));
    return success();
  }

  const Launch &launch;
  Listing &listing;
  Program program;
  llvm::DenseMap<Value, int> registers;
  llvm::DenseMap<Value, const BoundArgument *> bounds;
};

} // namespace

FailureOr<Program> simulator::flatten(func::FuncOp function, const Launch &launch,
                                      Listing &listing) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError(
        "has no body, or one with branches: the simulator takes scf control flow");
  return Flattener(function, launch, listing).run();
}
