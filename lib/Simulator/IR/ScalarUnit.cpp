// The scalar unit of a core: a resumable machine over the steps of a program.
#include "ScalarUnit.h"
#include "attn/Dialect/Ascend/IR/KernelKind.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

/// As the machine multiplies: what is too large wraps, and the checks of the place find it.
static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

ScalarUnit::ScalarUnit(const Program &program, const Listing &listing, const Launch &launch,
                       const CorePlace &place, int64_t blocks, int64_t maxSteps,
                       WrittenRows &written)
    : program(program), listing(listing), launch(launch), scalars(program.scalars),
      places(program.places), stepsLeft(maxSteps), written(written),
      isMeeting(ascend::getKernelKind(program.function) == ascend::KernelKind::MeetingVector) {
  auto set = [&](ArrayRef<int> registers, int64_t value) {
    for (int number : registers)
      scalars[number].integer = value;
  };
  set(program.blockIds, place.block);
  set(program.coreIds, place.core);
  set(program.subBlockIds, place.subBlock);
  set(program.blockCounts, blocks);
}

ScalarProgram::Stop ScalarUnit::run(Issued &next) {
  while (true) {
    const Step &step = program.steps[at];
    if (step.kind == Step::Kind::Return)
      return Stop::Finished;
    if (--stepsLeft < 0) {
      failEndless(step);
      return Stop::Failed;
    }
    ++at;
    if (step.kind == Step::Kind::Issue) {
      fill(step.a, next);
      return Stop::Issue;
    }
    if (step.kind == Step::Kind::Expect) {
      if (scalars[step.a].integer == scalars[step.b].integer)
        continue;
      if (auto count = dyn_cast<ascend::ExpectCountOp>(step.op))
        noteCount(count, step);
      else
        noteIndex(step);
      return Stop::Noticed;
    }
    if (step.kind == Step::Kind::Distinct) {
      const Place &row = places[step.b];
      if (written.insert({&step, row.object, row.offset}).second)
        continue;
      noteRow(step);
      return Stop::Noticed;
    }
    if (!advance(step))
      return Stop::Failed;
  }
}

bool ScalarUnit::advance(const Step &step) {
  switch (step.kind) {
  case Step::Kind::Evaluate: {
    Scalar result;
    if (!step.evaluate(result, scalars[step.a], scalars[step.b], scalars[step.c]))
      return fail(step, HazardKind::Scalar, "divides by zero or overflows");
    scalars[step.dst] = result;
    return true;
  }
  case Step::Kind::Move:
    scalars[step.dst] = scalars[step.a];
    return true;
  case Step::Kind::MovePlace:
    places[step.dst] = places[step.a];
    return true;
  case Step::Kind::CheckStep:
    return scalars[step.a].integer > 0 ||
           fail(step, HazardKind::Scalar, "has a step that is not positive");
  case Step::Kind::LoopTest: {
    int64_t counter = scalars[step.a].integer, bound = scalars[step.b].integer;
    bool enters =
        step.c ? static_cast<uint64_t>(counter) < static_cast<uint64_t>(bound) : counter < bound;
    if (enters)
      turns.push_back({static_cast<int32_t>(&step - program.steps.data()), bound - counter});
    else
      at = step.target;
    return true;
  }
  case Step::Kind::JumpUnless:
    at = scalars[step.a].integer ? at : step.target;
    return true;
  case Step::Kind::Jump:
    at = step.target;
    return true;
  case Step::Kind::Slot:
    return takeSlot(step);
  case Step::Kind::Slice:
    places[step.dst] = places[step.a];
    places[step.dst].offset += multiply(scalars[step.b].integer, step.bytes);
    return true;
  case Step::Kind::Address:
    return takeAddress(step);
  case Step::Kind::Lookup:
    return takeEntry(step);
  case Step::Kind::LoadIndex:
    return loadIndex(step);
  case Step::Kind::Expect:
  case Step::Kind::Distinct:
  case Step::Kind::Issue:
  case Step::Kind::Return:
    break;
  }
  llvm_unreachable("handled by run");
}

bool ScalarUnit::fail(const Step &step, HazardKind kind, const std::string &message) {
  failure = {kind, step.op->getLoc(), step.op->getName().stripDialect().str() + " " + message};
  return false;
}

/// Names the loop around that has the most to go.
void ScalarUnit::failEndless(const Step &step) {
  const Step *longest = nullptr;
  int64_t mostLeft = 0;
  for (const Step &test : program.steps) {
    if (test.kind != Step::Kind::LoopTest || !test.op->isAncestor(step.op))
      continue;
    int64_t left = scalars[test.b].integer - scalars[test.a].integer;
    if (!longest || left > mostLeft) {
      longest = &test;
      mostLeft = left;
    }
  }
  fail(longest ? *longest : step, HazardKind::Scalar,
       describeEndless(longest ? std::optional(mostLeft) : std::nullopt));
}

bool ScalarUnit::takeSlot(const Step &step) {
  int64_t index = scalars[step.b].integer;
  if (index < 0 || index >= step.count)
    return fail(step, HazardKind::OutOfBounds,
                "takes slot " + std::to_string(index) + " of buffer \"" +
                    listing.buffers[places[step.a].object].name + "\", which has " +
                    std::to_string(step.count));
  Place place = places[step.a];
  place.begin += index * step.bytes;
  place.offset = place.begin;
  place.end = place.begin + step.bytes;
  places[step.dst] = place;
  return true;
}

bool ScalarUnit::takeAddress(const Step &step) {
  Place place = places[step.a];
  const Array &array = launch.arrays[place.object].array;
  place.offset = 0;
  place.hasIndices = true;
  for (int axis = 0; axis < step.count; ++axis) {
    place.indices[axis] = scalars[program.indices[step.b + axis]].integer;
    place.offset += multiply(multiply(place.indices[axis], array.strides[axis]), step.bytes);
  }
  places[step.dst] = place;
  return true;
}

bool ScalarUnit::takeEntry(const Step &step) {
  int64_t index = scalars[step.b].integer;
  if (index < 0 || index >= step.count)
    return fail(step, HazardKind::OutOfBounds,
                "looks up entry " + std::to_string(index) + " of a table of " +
                    std::to_string(step.count));
  Place place;
  place.memory = Memory::GM;
  place.object = step.a + index;
  places[step.dst] = place;
  return true;
}

/// Bits of the array's memory; a number that has a sign is followed by copies of it.
bool ScalarUnit::loadIndex(const Step &step) {
  const GlobalArray &global = launch.arrays[places[step.a].object];
  int64_t offset = 0;
  for (int axis = 0; axis < step.count; ++axis) {
    int64_t index = scalars[program.indices[step.b + axis]].integer;
    if (index < 0 || index >= global.array.shape[axis])
      return fail(step, HazardKind::OutOfBounds,
                  "takes index " + std::to_string(index) + " of dimension " + std::to_string(axis) +
                      " of array \"" + global.name + "\", which has " +
                      std::to_string(global.array.shape[axis]));
    offset += index * global.array.strides[axis];
  }
  if (!global.array.data)
    return fail(step, HazardKind::Scalar,
                "reads array \"" + global.name + "\", whose values this run does not have");
  if (isMeeting && !global.isDefined && !cast<ascend::LoadIndexOp>(step.op).getWritten())
    return fail(step, HazardKind::Race,
                "reads array \"" + global.name +
                    "\", which the launch writes, by way of a line of the cache that may be old");
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const uint8_t *>(global.array.data) + offset * step.bytes,
              step.bytes);
  bool isUnsigned = global.array.elementType.isUnsignedInteger();
  scalars[step.dst].integer =
      isUnsigned ? static_cast<int64_t>(bits) : llvm::SignExtend64(bits, step.bytes * 8);
  return true;
}

/// An index of a dimension of an array, in the words of hazards.
template <typename Op> static std::string showIndex(Op op, int64_t index) {
  auto name = op.getArray().getLoc()->template findInstanceOf<NameLoc>();
  return "index " + std::to_string(index) + " of dimension " + std::to_string(op.getDimension()) +
         " of array \"" + (name ? name.getName().str() : "") + "\"";
}

/// The index that lies outside: of an end, the last before it.
void ScalarUnit::noteIndex(const Step &step) {
  int64_t index = scalars[step.a].integer;
  bool isEnd = scalars[step.b].integer == step.count;
  failure = {HazardKind::OutOfBounds, step.op->getLoc(),
             showIndex(cast<ascend::ExpectIndexOp>(step.op), isEnd ? index - 1 : index) +
                 ", which has " + std::to_string(step.count),
             static_cast<int32_t>(at)};
}

/// A loop that does not run ends where it begins. The distance of its ends has no sign: all of them
/// fit 64 bits.
void ScalarUnit::noteCount(ascend::ExpectCountOp op, const Step &step) {
  uint64_t distance = static_cast<uint64_t>(scalars[step.a].integer) -
                      static_cast<uint64_t>(scalars[step.b].integer);
  uint64_t size = op.getStep(), iterations = distance / size + (distance % size != 0);
  failure = {HazardKind::OutOfBounds, op.getLoc(),
             "loop has " + std::to_string(iterations) + " iterations by \"" + op.getName().str() +
                 "\"; where no array ends a loop, it has at most " + std::to_string(op.getMost()),
             static_cast<int32_t>(at)};
}

void ScalarUnit::noteRow(const Step &step) {
  failure = {HazardKind::Overlap, step.op->getLoc(),
             showIndex(cast<ascend::ExpectDistinctOp>(step.op), scalars[step.a].integer) +
                 " is written twice: its list names it more than once",
             static_cast<int32_t>(at)};
}

void ScalarUnit::fill(int32_t instruction, Issued &next) {
  const OperandRegisters &operands = program.operands[instruction];
  next.instruction = operands.instruction;
  for (auto [index, place] : llvm::enumerate(operands.places))
    next.places[index] = places[place];
  next.amounts = {};
  for (auto [index, amount] : llvm::enumerate(operands.amounts))
    next.amounts[index] = scalars[amount].integer;
  next.room = std::nullopt;
  if (operands.room >= 0)
    next.room = scalars[operands.room].integer;
  if (operands.scalar >= 0)
    next.scalar = scalars[operands.scalar];
}
