// The record of a run: what each pipe of each core did, in a form that does not depend on where
// the instructions came from.
#include "Records.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

static StringRef getElementName(Element element) {
  switch (element) {
  case Element::F32:
    return "f32";
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::Int8:
    return "i8";
  case Element::Int16:
    return "i16";
  case Element::Int32:
    return "i32";
  case Element::Int64:
    return "i64";
  }
  llvm_unreachable("all elements are listed");
}

static void printNumbers(raw_ostream &stream, StringRef name, ArrayRef<int64_t> numbers) {
  stream << " " << name << "(";
  llvm::interleaveComma(numbers, stream);
  stream << ")";
}

/// What the instructions of cube cores say beyond the bytes they touch.
static void printCubeAmounts(raw_ostream &stream, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  auto [first, second, third] = issued.amounts;
  switch (instruction.opcode) {
  case Opcode::NdToNz:
    printNumbers(stream, "rows", {first, second});
    if (first > 1)
      printNumbers(stream, "pitch", {third});
    break;
  case Opcode::FixOut:
    printNumbers(stream, "rows", {first, second});
    printNumbers(stream, "pitch", {third});
    break;
  case Opcode::Fill:
  case Opcode::LoadTile:
    printNumbers(stream, "rows", {first, second});
    break;
  case Opcode::Mmad:
  case Opcode::Matmul:
    printNumbers(stream, "product", {first, second, third});
    stream << (issued.scalar.integer ? " starts" : " adds");
    break;
  default:
    printNumbers(stream, "count", {first});
  }
  // What is filled once is not followed by anything.
  if (issued.getRoom() != 0 && (instruction.opcode != Opcode::Fill || first > 1))
    printNumbers(stream, "room", {issued.getRoom()});
  if (!instruction.strides.empty())
    printNumbers(stream, "strides", instruction.strides);
  for (auto [isSet, word] : {std::pair<bool, StringRef>(instruction.transposes, " turned"),
                             {instruction.transposesLeft, " left turned"},
                             {instruction.transposesRight, " right turned"},
                             {instruction.isFractal, " nz"},
                             {instruction.isRelu, " relu"}})
    if (isSet)
      stream << word;
  if (instruction.scale)
    stream << llvm::format(" scale(%a)", *instruction.scale);
}

static bool isOfCube(Opcode opcode) {
  return ascend::getGroup(opcode) == ascend::InstructionGroup::Cube || opcode == Opcode::Matmul;
}

/// Counts and strides as the machine sees them: the pitch of one row says nothing.
static void printAmounts(raw_ostream &stream, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  if (instruction.opcode == Opcode::CopyIn || instruction.opcode == Opcode::CopyOut) {
    auto [rows, length, pitch] = issued.amounts;
    printNumbers(stream, "rows", {rows, length});
    if (rows > 1)
      printNumbers(stream, "pitch", {instruction.pitch, pitch});
    printNumbers(stream, "pad", {instruction.rightPad});
    return;
  }
  if (instruction.opcode == Opcode::SetFlag || instruction.opcode == Opcode::WaitFlag) {
    stream << " " << nameOf(instruction.source) << " to " << nameOf(instruction.target);
    return printNumbers(stream, "event", {instruction.event + issued.amounts[0]});
  }
  if (instruction.opcode == Opcode::CrossSet || instruction.opcode == Opcode::CrossWait)
    return printNumbers(stream, "flag", {instruction.event});
  if (ascend::isSynchronisation(instruction.opcode))
    return;
  if (isOfCube(instruction.opcode))
    return printCubeAmounts(stream, issued);
  // Texts take other lanes than IR for what is done bit by bit: of these, bytes count.
  int64_t lane = instruction.opcode == Opcode::Bitwise ? getBytes(instruction.elements[0]) : 1;
  printNumbers(stream, "count", {issued.amounts[0] * (instruction.mask ? 1 : lane)});
  if (instruction.mask)
    printNumbers(stream, "mask", {*instruction.mask * lane});
  ArrayRef<int64_t> strides = instruction.strides;
  if (instruction.opcode == Opcode::Transpose && issued.amounts[0] == 1)
    strides = strides.take_front(2); // those of repeats say nothing of a single one
  if (!strides.empty())
    printNumbers(stream, "strides", strides);
  if (instruction.cols != 0)
    printNumbers(stream, "cols", {instruction.cols, instruction.pitch});
}

void InstructionRecorder::add(const Issued &issued, const CorePlace &core, Pipe pipe,
                              ArrayRef<Touch> touches) {
  if (!isOn)
    return;
  const Instruction &instruction = *issued.instruction;
  std::string line = instruction.name;
  llvm::raw_string_ostream stream(line);
  // A constant is written by its bits, and what is turned over is moved as bits: only the width
  // counts, and where blocks are filled not even that.
  bool isOfBits = llvm::is_contained({Opcode::Duplicate, Opcode::Transpose}, instruction.opcode);
  // The bias of a product is seen where it is read.
  ArrayRef<Element> elements = instruction.elements;
  if (instruction.opcode == Opcode::Mmad)
    elements = elements.take_front(3);
  if (instruction.opcode == Opcode::Fill)
    elements = {};
  for (Element element : elements)
    if (isOfBits)
      stream << " b" << 8 * getBytes(element);
    else if (instruction.opcode != Opcode::Bitwise)
      stream << " " << getElementName(element);
  printAmounts(stream, issued);
  if (instruction.bypassesL2)
    stream << " past l2";
  for (const Touch &touch : touches) {
    const Place &place = issued.places[touch.operand];
    stream << (touch.isWrite ? " writes " : " reads ")
           << (place.isLocal() ? nameOf(place.memory) : launch.arrays[place.object].name) << "["
           << touch.begin << ", " << touch.end << ")";
  }
  lines[{core.block, core.coreOfBlock, pipe}].push_back(std::move(line));
}

std::vector<PipeRecord> InstructionRecorder::take(const HazardLog &names) {
  std::vector<PipeRecord> records;
  for (auto &[key, list] : lines) {
    auto [block, core, pipe] = key;
    records.push_back({kernel, block, names.describeCore(core), nameOf(pipe), std::move(list)});
  }
  lines.clear();
  return records;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::string describe(const PipeRecord &record) {
  return llvm::formatv("kernel {0}, block {1}{2}{3}, pipe {4}", record.kernel, record.block,
                       record.core.empty() ? "" : ", ", record.core, record.pipe);
}

static auto getKey(const PipeRecord &record) {
  return std::tie(record.kernel, record.block, record.core, record.pipe);
}

static std::string compareLines(const PipeRecord &one, const PipeRecord &other) {
  size_t count = std::max(one.lines.size(), other.lines.size());
  for (size_t index = 0; index < count; ++index) {
    StringRef left = index < one.lines.size() ? StringRef(one.lines[index]) : "nothing more";
    StringRef right = index < other.lines.size() ? StringRef(other.lines[index]) : "nothing more";
    if (left != right)
      return llvm::formatv("{0}, instruction {1}: '{2}' against '{3}'", describe(one), index, left,
                           right);
  }
  return {};
}

std::string simulator::compareRecords(ArrayRef<PipeRecord> ones, ArrayRef<PipeRecord> others) {
  size_t count = std::max(ones.size(), others.size());
  for (size_t index = 0; index < count; ++index) {
    const PipeRecord *one = index < ones.size() ? &ones[index] : nullptr;
    const PipeRecord *other = index < others.size() ? &others[index] : nullptr;
    if (!one || !other || getKey(*one) != getKey(*other))
      return (one ? describe(*one) : "nothing more") + " against " +
             (other ? describe(*other) : "nothing more");
    if (std::string difference = compareLines(*one, *other); !difference.empty())
      return difference;
  }
  return {};
}

void simulator::writeRecords(const SimulationResult &result, raw_ostream &stream) {
  for (const PipeRecord &record : result.records) {
    stream << describe(record) << "\n";
    for (StringRef line : record.lines)
      stream << "  " << line << "\n";
  }
}
