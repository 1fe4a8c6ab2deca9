// Calls of compiled text as instructions of the modelled chip.
#include "TextKernel.h"
#include "TextProgram.h"
#include "attn/Machine/Architecture.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::twin;
using namespace attn::simulator;
using attn_twin::Call;
using attn_twin::CallKind;
using attn_twin::Operand;
using attn_twin::Position;
using attn_twin::Source;

using architecture::blockBytes;
using architecture::repeatBytes;

//===----------------------------------------------------------------------===//
// Words: both sides number them alike
//===----------------------------------------------------------------------===//

template <typename Ours, typename Text> static constexpr bool isAlike(Ours ours, Text text) {
  return static_cast<int>(ours) == static_cast<int>(text);
}
static_assert(isAlike(Element::F32, attn_twin::ElementType::F32) &&
              isAlike(Element::BF16, attn_twin::ElementType::BF16) &&
              isAlike(Element::Int64, attn_twin::ElementType::Int64));
static_assert(isAlike(ascend::Pipe::S, attn_twin::PipeName::S) &&
              isAlike(ascend::Pipe::MTE2, attn_twin::PipeName::MTE2) &&
              isAlike(ascend::Pipe::ALL, attn_twin::PipeName::ALL));
#define ATTN_INSTRUCTION(name, group, pipe, kinds, elements, call, hivm, family)                   \
  static_assert(isAlike(Opcode::name, CallKind::name));
#define ATTN_SYNCHRONISATION(name, call) static_assert(isAlike(Opcode::name, CallKind::name));
#define ATTN_KIND(kinds, member, hivm, family)                                                     \
  static_assert(isAlike(ascend::kinds##Kind::member, attn_twin::kinds##Function::member));
#include "attn/Dialect/Ascend/IR/Instructions.def"
static_assert(isAlike(ascend::RoundMode::None, attn_twin::Rounding::None) &&
              isAlike(ascend::RoundMode::Trunc, attn_twin::Rounding::Trunc));

/// Flags and barriers name their pipes.
static Pipe getPipe(const Call &call) {
  switch (call.kind) {
  case CallKind::SetFlag:
  case CallKind::CrossSet:
  case CallKind::CrossWait:
    return static_cast<Pipe>(call.source);
  case CallKind::WaitFlag:
    return static_cast<Pipe>(call.target);
  case CallKind::Barrier:
    return static_cast<Pipe>(call.function);
  default:
    return ascend::getPipe(static_cast<Opcode>(call.kind)).value_or(Pipe::ALL);
  }
}

static bool isOf(const Call &call, ascend::InstructionGroup group) {
  return ascend::getGroup(static_cast<Opcode>(call.kind)) == group;
}
static bool isCopy(const Call &call) { return isOf(call, ascend::InstructionGroup::Transfer); }

//===----------------------------------------------------------------------===//
// The table of functions
//===----------------------------------------------------------------------===//

static TextKernel &get(void *context) { return *static_cast<TextKernel *>(context); }

TextKernel::TextKernel(const attn_twin::Kernel &kernel, ArrayRef<uint8_t> arguments,
                       ArrayRef<DeviceMemory> memory, const Chip &chip, int64_t blocks,
                       int64_t maxSteps, MLIRContext *context)
    : kernel(kernel), arguments(arguments), memory(memory), chip(chip), maxSteps(maxSteps),
      context(context) {
  table.context = this;
  table.blocks = static_cast<uint32_t>(blocks);
  table.block = [](void *context) {
    return static_cast<uint32_t>(get(context).running->getPlace().core);
  };
  table.subBlock = [](void *context) {
    return static_cast<uint32_t>(get(context).running->getPlace().subBlock);
  };
  table.isCube = [](void *context) { return get(context).getCore() == CoreKind::Cube; };
  table.initialise = [](void *context, attn_twin::Readied cores) {
    get(context).initialise(cores);
  };
  table.declare = [](void *context, const Operand *tensor, Source at) {
    get(context).declare(*tensor, at);
  };
  table.call = [](void *context, const Call *call, Source at) { get(context).call(*call, at); };
  table.load = [](void *context, const Operand *place, Source at) {
    return get(context).load(*place, at);
  };
  table.drop = [](void *context, const Operand *place) { get(context).drop(*place); };
  table.refuse = [](void *context, const char *what, Source at) {
    get(context).fail(HazardKind::Usage, what, at);
  };
  table.fail = [](void *context, const char *what, Source at) {
    get(context).fail(HazardKind::Scalar, what, at);
  };
  table.count = [](void *context) { get(context).count(); };
}

ascend::KernelKind TextKernel::getKind() const {
  return llvm::StringSwitch<ascend::KernelKind>(kernel.kind)
      .Case("__mix__(0, 1)", ascend::KernelKind::MeetingVector)
      .Case("__cube__", ascend::KernelKind::Cube)
      .Case("__mix__(1, 2)", ascend::KernelKind::Mixed)
      .Default(ascend::KernelKind::Vector);
}

CoreKind TextKernel::getCore() const { return running->getPlace().kind; }

void TextKernel::initialise(attn_twin::Readied cores) {
  attn_twin::Readied own =
      getCore() == CoreKind::Cube ? attn_twin::Readied::Cube : attn_twin::Readied::Vector;
  running->isInitialised |= cores == attn_twin::Readied::Any || cores == own;
}

std::unique_ptr<ScalarProgram> TextKernel::start(const CorePlace &place) {
  return std::make_unique<TextProgram>(*this, place);
}

Location TextKernel::getLocation(Source at) const {
  return FileLineColLoc::get(context, at.file, at.line, /*column=*/1);
}

void TextKernel::fail(HazardKind kind, const Twine &what, Source at) {
  running->fail(kind, getLocation(at), what.str());
}

void TextKernel::count() {
  running->stepsLeft -= attn_twin::stepsPerCount;
  if (running->stepsLeft < 0)
    running->failEndless();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Memory getMemory(Position position) {
  switch (position) {
  case Position::GM:
    return Memory::GM;
  case Position::VecIn:
  case Position::VecOut:
  case Position::VecCalc:
    return Memory::UB;
  case Position::A1:
  case Position::B1:
  case Position::C1:
    return Memory::L1;
  case Position::A2:
    return Memory::L0A;
  case Position::B2:
    return Memory::L0B;
  case Position::CO1:
    return Memory::L0C;
  case Position::C2:
    return Memory::BT;
  }
  llvm_unreachable("all positions are listed");
}

void TextKernel::declare(const Operand &tensor, Source at) {
  Memory space = getMemory(tensor.position);
  LocalMemory local = *ascend::getLocalMemory(space);
  if (getFacts(local).core != getCore())
    fail(HazardKind::Usage,
         "declares a tensor in " + nameOf(space) + ", which " + getCoreName(getCore()) +
             " cores do not have",
         at);
  uint64_t alignment = getFacts(local).alignment, bytes = chip.getUsableBytes(local);
  if (tensor.begin % alignment != 0)
    fail(HazardKind::Misaligned,
         "a tensor begins at byte " + Twine(tensor.begin) + ", not a multiple of " +
             Twine(alignment),
         at);
  if (tensor.end > bytes)
    fail(HazardKind::Capacity,
         "a tensor ends at byte " + Twine(tensor.end) + " of " + nameOf(space) + ", which has " +
             Twine(bytes),
         at);
}

static StringRef getName(Position position) {
  switch (position) {
  case Position::GM:
    return "GM";
  case Position::VecIn:
    return "VECIN";
  case Position::VecOut:
    return "VECOUT";
  case Position::VecCalc:
    return "VECCALC";
  case Position::A1:
    return "A1";
  case Position::B1:
    return "B1";
  case Position::C1:
    return "C1";
  case Position::A2:
    return "A2";
  case Position::B2:
    return "B2";
  case Position::CO1:
    return "CO1";
  case Position::C2:
    return "C2";
  }
  llvm_unreachable("all positions are listed");
}

int TextKernel::getBuffer(const Operand &operand) {
  std::vector<int64_t> key = {static_cast<int64_t>(operand.begin),
                              static_cast<int64_t>(operand.end),
                              static_cast<int64_t>(operand.position)};
  auto [known, isNew] = buffers.try_emplace(key, listing.buffers.size());
  if (isNew)
    listing.buffers.push_back(
        {llvm::formatv("{0} at {1}", getName(operand.position), operand.begin),
         getLocation(operand.declared), getMemory(operand.position),
         static_cast<int64_t>(operand.begin), static_cast<int64_t>(operand.end - operand.begin)});
  return known->second;
}

Place TextKernel::getPlace(const Operand &operand, Source at) {
  Place place;
  place.memory = getMemory(operand.position);
  if (place.isLocal()) {
    // As debug builds of the vendor's headers, also for a call on no elements.
    if (operand.address >= operand.end)
      fail(HazardKind::OutOfBounds,
           llvm::formatv("takes byte {0} of a tensor of {1}", operand.address - operand.begin,
                         operand.end - operand.begin)
               .str(),
           at);
    place.object = getBuffer(operand);
    place.offset = operand.address;
    place.begin = operand.begin;
    place.end = operand.end;
    return place;
  }
  const DeviceMemory *region = findMemory(memory, operand.begin);
  if (!region || region->array < 0)
    fail(HazardKind::OutOfBounds,
         llvm::formatv("uses a tensor at address {0:x}, which is not an array of the launch",
                       operand.begin)
             .str(),
         at);
  place.object = region->array;
  place.offset = operand.address - region->address;
  place.begin = operand.begin - region->address;
  place.end = std::min(operand.end - region->address, region->bytes);
  return place;
}

/// The line of the scalar unit's cache that has a place.
static uint64_t getCacheLine(const Operand &place) {
  return place.address / architecture::scalarCacheLineBytes;
}

uint64_t TextKernel::load(const Operand &place, Source at) {
  const DeviceMemory *region = findMemory(memory, place.address);
  uint64_t bytes = getBytes(static_cast<Element>(place.element));
  bool isInside = place.address >= place.begin && place.address + bytes <= place.end;
  if (!region || !isInside || place.address - region->address + bytes > region->bytes) {
    const DeviceMemory *whole = findMemory(memory, place.begin);
    bool isTable = whole && whole->array < 0;
    fail(HazardKind::OutOfBounds,
         llvm::formatv("{0} {1} of {2} of {3}", isTable ? "looks up entry" : "reads element",
                       static_cast<int64_t>(place.address - place.begin) /
                           static_cast<int64_t>(bytes),
                       isTable ? "a table" : "a tensor", (place.end - place.begin) / bytes)
             .str(),
         at);
  }
  // Only where blocks meet do they read what the kernel itself has written.
  bool mayBeOld = region->isWritten && getKind() == ascend::KernelKind::MeetingVector;
  if (mayBeOld && !running->droppedLines.erase(getCacheLine(place)))
    fail(HazardKind::Race,
         "reads an array that the launch writes, by way of a line of the cache that may be old",
         at);
  uint64_t value = 0;
  std::memcpy(&value, region->data + (place.address - region->address), bytes);
  return value;
}

void TextKernel::drop(const Operand &place) { running->droppedLines.insert(getCacheLine(place)); }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void TextKernel::checkPipes(const Call &call, Source at) {
  SmallVector<Pipe, 2> pipes = {getPipe(call)};
  if (call.kind == CallKind::SetFlag || call.kind == CallKind::WaitFlag)
    pipes = {static_cast<Pipe>(call.source), static_cast<Pipe>(call.target)};
  for (Pipe pipe : pipes)
    if (pipe != Pipe::ALL && !hasPipe(getCore(), ascend::getCorePipe(pipe)))
      fail(HazardKind::Usage,
           "needs the pipe " + nameOf(pipe) + ", which " + getCoreName(getCore()) +
               " cores do not have",
           at);
}

void TextKernel::checkUse(const Call &call, Source at) {
  if (!running->isInitialised)
    fail(HazardKind::Usage, "AscendC::InitSocState() must come before the first instruction", at);
  checkPipes(call, at);
  if (call.kind == CallKind::SyncAll && getKind() != ascend::KernelKind::MeetingVector)
    fail(HazardKind::Usage,
         Twine("AscendC::SyncAll() needs a kernel of the kind __mix__(0, 1), not ") + kernel.kind,
         at);
  if (call.kind == CallKind::Cast && call.function > static_cast<int>(ascend::RoundMode::Trunc))
    fail(HazardKind::Usage, "the model of the chip does not round to odd", at);
  int64_t widest = 1;
  for (int operand = 0; operand < call.operandCount; ++operand)
    widest = std::max(widest, getBytes(static_cast<Element>(call.operands[operand].element)));
  if (call.mask == 0 || call.mask > repeatBytes / widest)
    fail(HazardKind::Limit,
         "a mask of " + Twine(call.mask) + " lanes; 1 to " + Twine(repeatBytes / widest) +
             " are possible",
         at);
  if (!isCopy(call))
    return;
  // Documented for the positions of loads and stores only.
  const Operand &local = call.operands[call.kind == CallKind::CopyIn ? 0 : 1];
  if (local.position != Position::VecIn && local.position != Position::VecOut)
    fail(HazardKind::Usage,
         "AscendC::DataCopyPad takes tensors of VECIN and VECOUT, not " + getName(local.position),
         at);
}

int64_t TextKernel::fillCopy(const Call &call, Issued &next, Source at) {
  int64_t bytes = getBytes(static_cast<Element>(call.operands[0].element));
  if (call.rowBytes % bytes != 0 || (call.amount > 1 && call.globalGapBytes % bytes != 0))
    fail(HazardKind::Usage,
         llvm::formatv("AscendC::DataCopyPad moves rows of {0} bytes, {1} between them, which are "
                       "not whole elements",
                       call.rowBytes, call.globalGapBytes)
             .str(),
         at);
  next.amounts = {call.amount, call.rowBytes / bytes,
                  (call.rowBytes + call.globalGapBytes) / bytes};
  int64_t rowBytes = llvm::alignTo(call.rowBytes + call.rightPad * bytes, blockBytes);
  return (rowBytes + call.localGapBlocks * blockBytes) / bytes;
}

static bool doesBypassL2(const Call &call) {
  return llvm::any_of(ArrayRef(call.operands, call.operandCount),
                      [](const Operand &operand) { return operand.bypassesL2; });
}

Instruction TextKernel::makeInstruction(const Call &call, int64_t pitch) {
  Instruction instruction;
  instruction.opcode = static_cast<Opcode>(call.kind);
  instruction.pipe = getPipe(call);
  instruction.kind = call.kind == CallKind::Barrier ? 0 : call.function;
  instruction.name = ascend::getName(instruction.opcode, instruction.kind);
  for (int operand = 0; operand < call.operandCount; ++operand)
    instruction.elements.push_back(static_cast<Element>(call.operands[operand].element));
  if (call.mask >= 0)
    instruction.mask = call.mask;
  instruction.strides.assign(call.strides, call.strides + call.strideCount);
  instruction.pitch = pitch;
  instruction.rightPad = call.rightPad;
  instruction.transposes = call.transposes;
  instruction.isFractal = call.isFractal;
  instruction.isRelu = call.isRelu;
  if (call.hasScale)
    instruction.scale = call.scale;
  instruction.bypassesL2 = doesBypassL2(call);
  instruction.source = static_cast<Pipe>(call.source);
  instruction.target = static_cast<Pipe>(call.target);
  instruction.event = call.event;
  return instruction;
}

const Instruction &TextKernel::getInstruction(const Call &call, Source at, int64_t pitch) {
  std::vector<int64_t> key = {reinterpret_cast<intptr_t>(at.file),
                              at.line,
                              static_cast<int64_t>(call.kind),
                              call.function,
                              call.mask,
                              pitch,
                              call.rightPad,
                              static_cast<int64_t>(call.source),
                              static_cast<int64_t>(call.target),
                              call.event,
                              call.transposes,
                              call.isFractal,
                              call.isRelu,
                              call.hasScale,
                              llvm::bit_cast<int32_t>(call.scale),
                              doesBypassL2(call)};
  for (int operand = 0; operand < call.operandCount; ++operand)
    key.push_back(static_cast<int64_t>(call.operands[operand].element));
  key.insert(key.end(), call.strides, call.strides + call.strideCount);
  auto [known, isNew] = instructions.try_emplace(std::move(key), listing.instructions.size());
  if (isNew) {
    Instruction instruction = makeInstruction(call, pitch);
    instruction.location = getLocation(at);
    instruction.number = listing.instructions.size();
    listing.instructions.push_back(std::move(instruction));
  }
  return listing.instructions[known->second];
}

void TextKernel::call(const Call &call, Source at) {
  checkUse(call, at);
  Issued &next = running->getNext();
  for (int operand = 0; operand < call.operandCount; ++operand)
    next.places[operand] = getPlace(call.operands[operand], at);
  bool isCube = isOf(call, ascend::InstructionGroup::Cube);
  next.amounts = isCube ? std::array<int64_t, 3>{call.amounts[0], call.amounts[1], call.amounts[2]}
                        : std::array<int64_t, 3>{call.amount, 0, 0};
  int64_t pitch = isCopy(call) ? fillCopy(call, next, at) : call.pitch;
  next.scalar = {call.integer, call.real};
  next.instruction = &getInstruction(call, at, pitch);
  running->issue();
}
