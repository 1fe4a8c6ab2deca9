// The scalar program of one block of HIVM text: control flow, numbers and views of memory.
#include "Program.h"
#include "CheckForm.h"
#include "attn/Machine/Architecture.h"
#include "attn/Simulator/Model/ScalarArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::hivm;
using namespace attn::simulator;

using architecture::blockBytes;

/// As the machine computes: what is too large wraps, and the checks of the place find it.
static int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

Program::Program(Kernel &kernel, const CorePlace &place)
    : kernel(kernel), isForCubes(place.kind == CoreKind::Cube),
      isMixed(kernel.vectorEntry && kernel.cubeEntry), place(place), stepsLeft(kernel.maxSteps) {
  func::FuncOp entry = isForCubes ? kernel.cubeEntry : kernel.vectorEntry;
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments(), kernel.arguments)) {
    scalars[argument] = value;
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      View &view = views[argument];
      view.memory = Memory::GM;
      view.address = value.integer;
      view.element = *getElement(type);
      view.sizes = {std::numeric_limits<int64_t>::max()}; // the launch knows
      view.strides = {1};
    }
  }
  frames.push_back(entry.getBody().front().begin());
}

ScalarProgram::Stop Program::run(Issued &next) {
  while (pending.empty()) {
    if (frames.empty())
      return Stop::Finished;
    Operation *op = &*frames.back();
    if (--stepsLeft < 0) {
      failEndless(op);
      return Stop::Failed;
    }
    if (!visit(op))
      return Stop::Failed;
  }
  next = pending.front();
  pending.pop_front();
  return Stop::Issue;
}

StringRef hivm::getSpelling(Operation *op) {
  StringRef name = op->getName().stripDialect();
  name.consume_front("hir.");
  return name;
}

bool Program::fail(Operation *op, HazardKind kind, const Twine &message) {
  failure = {kind, op->getLoc(), (getSpelling(op) + " " + message).str()};
  return false;
}

/// Names the loop around that has the most to go.
void Program::failEndless(Operation *op) {
  Operation *longest = nullptr;
  int64_t mostLeft = 0;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    int64_t left = get(loop.getUpperBound()) - get(loop.getInductionVar());
    if (!longest || left > mostLeft) {
      longest = loop;
      mostLeft = left;
    }
  }
  fail(longest ? longest : op, HazardKind::Scalar,
       describeEndless(longest ? std::optional(mostLeft) : std::nullopt));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool Program::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return enter(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return enter(branch), true;
  if (auto yield = dyn_cast<scf::YieldOp>(op))
    return leave(yield);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return finish(end);
  ++frames.back();
  return TypeSwitch<Operation *, bool>(op)
      .Case<PointerCastOp, memref::ReinterpretCastOp, memref::SubViewOp>(
          [&](auto view) { return define(view), true; })
      .Case([&](memref::LoadOp load) { return lookUp(load); })
      .Case([&](arith::ConstantOp number) {
        scalars[number] = *getScalar(number);
        return true;
      })
      .Default([&](Operation *other) {
        return isa<HIVMDialect>(other->getDialect()) ? execute(other) : evaluate(other);
      });
}

void Program::assign(ValueRange targets, ValueRange sources) {
  SmallVector<std::pair<Scalar, View>> values;
  for (Value source : sources)
    values.push_back({scalars.lookup(source), views.lookup(source)});
  for (auto [target, value] : llvm::zip_equal(targets, values)) {
    scalars[target] = value.first;
    views[target] = value.second;
  }
}

bool Program::enter(scf::ForOp op) {
  if (get(op.getStep()) <= 0)
    return fail(op, HazardKind::Scalar, "has a step that is not positive");
  assign(op.getRegionIterArgs(), op.getInitArgs());
  scalars[op.getInductionVar()] = scalars.lookup(op.getLowerBound());
  ++frames.back();
  if (!enterIteration(op))
    assign(op.getResults(), op.getRegionIterArgs());
  return true;
}

/// Begins an iteration, unless the counter is at the end.
bool Program::enterIteration(scf::ForOp op) {
  int64_t counter = get(op.getInductionVar()), bound = get(op.getUpperBound());
  bool isUnsigned = op->hasAttr("unsignedCmp");
  if (isUnsigned ? static_cast<uint64_t>(counter) >= static_cast<uint64_t>(bound)
                 : counter >= bound)
    return false;
  turns.push_back({static_cast<int32_t>(frames.size()), bound - counter});
  frames.push_back(op.getBody()->begin());
  return true;
}

void Program::enter(scf::IfOp op) {
  ++frames.back();
  Block *taken = get(op.getCondition()) ? op.thenBlock() : op.elseBlock();
  if (taken)
    frames.push_back(taken->begin());
}

bool Program::leave(scf::YieldOp op) {
  frames.pop_back();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop) {
    assign(op->getParentOp()->getResults(), op.getOperands());
    return true;
  }
  assign(loop.getRegionIterArgs(), op.getOperands());
  Scalar &counter = scalars[loop.getInductionVar()];
  if (llvm::AddOverflow(counter.integer, get(loop.getStep()), counter.integer))
    return fail(loop, HazardKind::Scalar, "counts beyond what 64 bits hold");
  if (!enterIteration(loop))
    assign(loop.getResults(), loop.getRegionIterArgs());
  return true;
}

bool Program::finish(func::ReturnOp op) {
  frames.clear();
  if (raisedFlag)
    return fail(op, HazardKind::Flag,
                "is reached while flag " + Twine(*raisedFlag) + " between cores is raised");
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool Program::evaluate(Operation *op) {
  // Every evaluation takes three; unused operands read the first one.
  std::array<Scalar, 3> operands;
  for (int index = 0; index < 3; ++index)
    operands[index] =
        scalars.lookup(op->getOperand(index < static_cast<int>(op->getNumOperands()) ? index : 0));
  Scalar result;
  if (!getEvaluate(op)(result, operands[0], operands[1], operands[2]))
    return fail(op, HazardKind::Scalar, "divides by zero or overflows");
  scalars[op->getResult(0)] = result;
  return true;
}

int64_t Program::get(OpFoldResult number) const {
  if (auto known = dyn_cast<Attribute>(number))
    return cast<IntegerAttr>(known).getInt();
  return get(cast<Value>(number));
}

SmallVector<int64_t, 4> Program::get(ArrayRef<OpFoldResult> numbers) const {
  SmallVector<int64_t, 4> known;
  for (OpFoldResult number : numbers)
    known.push_back(get(number));
  return known;
}

/// An entry of a table of addresses, or an integer of an array, by its bits with those of the sign.
bool Program::lookUp(memref::LoadOp op) {
  const View &view = views[op.getMemRef()];
  uint64_t address = view.address, bytes = getBytes(view.element);
  for (auto [index, stride] : llvm::zip_equal(op.getIndices(), view.strides))
    address = add(address, multiply(multiply(get(index), stride), bytes));
  // One address leads to one array: what runs out of it is in none.
  const DeviceMemory *found = findMemory(kernel.memory, address);
  if (!found || address - found->address + bytes > found->bytes || !found->data)
    return fail(
        op, HazardKind::OutOfBounds,
        llvm::formatv("reads a number at {0:x}, where no array or table is", address).str());
  uint64_t bits = 0;
  std::memcpy(&bits, found->data + (address - found->address), bytes);
  scalars[op.getResult()] = {llvm::SignExtend64(bits, bytes * 8), 0};
  return true;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Memory getMemory(AddressSpace space) {
  switch (space) {
  case AddressSpace::GM:
    return Memory::GM;
  case AddressSpace::L1:
    return Memory::L1;
  case AddressSpace::L0C:
    return Memory::L0C;
  case AddressSpace::UB:
    return Memory::UB;
  }
  llvm_unreachable("all memories are listed");
}

int32_t Program::getBuffer(Memory memory, int64_t begin, int64_t end, Location location) {
  auto [known, isNew] =
      kernel.buffers.try_emplace({memory, begin, end}, kernel.listing.buffers.size());
  if (isNew) {
    auto named = dyn_cast<NameLoc>(location);
    std::string name =
        named ? named.getName().str() : llvm::formatv("{0} at {1}", nameOf(memory), begin).str();
    kernel.listing.buffers.push_back({name, location, memory, begin, end - begin});
  }
  return known->second;
}

void Program::define(PointerCastOp op) {
  auto type = cast<MemRefType>(op.getResult().getType());
  View view;
  view.address = get(op.getAddresses().front());
  view.element = *getElement(type);
  unsigned dynamic = 0;
  for (int64_t size : type.getShape())
    view.sizes.push_back(ShapedType::isDynamic(size) ? get(op.getSizes()[dynamic++]) : size);
  int64_t offset;
  if (type.getRank() != 4) {
    (void)type.getStridesAndOffset(view.strides, offset);
  } else {
    // Sizes that only the run knows give strides that only the run knows.
    view.strides.assign(view.sizes.size(), 1);
    for (size_t dimension = view.sizes.size() - 1; dimension > 0; --dimension)
      view.strides[dimension - 1] = multiply(view.strides[dimension], view.sizes[dimension]);
  }
  view.memory = getMemory(cast<AddressSpaceAttr>(type.getMemorySpace()).getValue());
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides))
    last = add(last, multiply(size - 1, stride));
  int64_t bytes = multiply(std::max<int64_t>(0, add(last, 1)), getBytes(view.element));
  if (view.memory == Memory::GM) {
    view.end = add(view.address, bytes);
    views[op] = view;
    return;
  }
  // A place before the first byte has none: whatever touches it is out of bounds.
  view.begin = std::max<int64_t>(0, view.address);
  // Loads fill the last data block of a row, and a broadcast reads whole ones.
  view.end = std::min<int64_t>(add(view.begin, llvm::alignTo(bytes, blockBytes)),
                               kernel.chip.getUsableBytes(*ascend::getLocalMemory(view.memory)));
  view.buffer = getBuffer(view.memory, view.begin, view.end, op.getLoc());
  views[op] = view;
}

void Program::define(memref::ReinterpretCastOp op) {
  View view = views[op.getSource()];
  view.address = add(view.address, multiply(get(op.getMixedOffsets()[0]), getBytes(view.element)));
  view.sizes = get(op.getMixedSizes());
  view.strides = get(op.getMixedStrides());
  views[op] = view;
}

void Program::define(memref::SubViewOp op) {
  View view = views[op.getSource()];
  auto offsets = get(op.getMixedOffsets()), strides = get(op.getMixedStrides());
  for (auto [index, stride] : llvm::enumerate(view.strides)) {
    view.address =
        add(view.address, multiply(multiply(offsets[index], stride), getBytes(view.element)));
    stride = multiply(stride, strides[index]);
  }
  view.sizes = get(op.getMixedSizes());
  views[op] = view;
}
