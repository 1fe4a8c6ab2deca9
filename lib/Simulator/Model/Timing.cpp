// What an instruction costs on its pipe.
#include "Timing.h"
#include "attn/Machine/Architecture.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::InstructionGroup;

namespace {

using architecture::blockBytes;
using architecture::blocksPerRepeat;
using architecture::fractalBytes;
using architecture::fractalRows;
using architecture::l2LineBytes;
using architecture::l2RequestBytes;
using architecture::repeatBytes;
constexpr int64_t f32PerRepeat = architecture::getLanes(sizeof(float));

/// What a wrong kernel makes negative is nothing.
std::array<int64_t, 3> getAmounts(const Issued &issued) {
  std::array<int64_t, 3> amounts = issued.amounts;
  for (int64_t &amount : amounts)
    amount = std::max<int64_t>(0, amount);
  return amounts;
}

VectorCost getCost(const Instruction &instruction, int64_t elementBytes) {
  std::optional<VectorFamily> family = ascend::getFamily(instruction.opcode, instruction.kind);
  assert(family && "asked for one vector instruction");
  return getVectorCost(*family, elementBytes);
}

/// Of the calls that arithmetic on rows and columns stands for.
VectorFamily getBinaryFamily(const Instruction &instruction) {
  return *ascend::getFamily(Opcode::Binary, instruction.kind);
}

VectorFamily getBlockReduceFamily(const Instruction &instruction) {
  return *ascend::getFamily(Opcode::BlockReduce, instruction.kind);
}

int64_t getWidest(const Instruction &instruction) {
  int64_t widest = 1;
  for (Element element : instruction.elements)
    widest = std::max(widest, getBytes(element));
  return widest;
}

/// An elementwise operand as the banks see it: `bytes` of it in each repeat.
BankOperand getBankOperand(const Issued &issued, int operand, int64_t lanes) {
  const Instruction &instruction = *issued.instruction;
  int64_t bytes = lanes * getBytes(instruction.elements[operand]);
  int64_t blocks = llvm::divideCeil(bytes, blockBytes);
  int64_t address = issued.places[operand].offset;
  if (!instruction.mask)
    return {address, blockBytes, bytes, blocks};
  int operands = instruction.getOperandCount();
  return {address, instruction.strides[operand] * blockBytes,
          instruction.strides[operands + operand] * blockBytes, blocks};
}

LocalTime getElementwiseTime(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  int64_t widest = getWidest(instruction), lanesPerRepeat = repeatBytes / widest;
  int64_t amount = std::max<int64_t>(0, issued.amounts[0]);
  int64_t repeats = instruction.mask ? amount : llvm::divideCeil(amount, lanesPerRepeat);
  VectorCost cost = getCost(instruction, widest);
  int64_t lanes = instruction.mask.value_or(std::min(amount, lanesPerRepeat));
  SmallVector<BankOperand, 3> sources;
  for (int operand = 1; operand < instruction.getOperandCount(); ++operand)
    sources.push_back(getBankOperand(issued, operand, lanes));
  double conflicts = getBankConflicts(costs, getBankOperand(issued, 0, lanes), sources, repeats);
  double work = getVectorWork(cost, repeats, conflicts);
  if (instruction.opcode == Opcode::Binary && !instruction.mask && amount % lanesPerRepeat != 0)
    work += costs.partialCount;
  return {cost.start, work, cost.drain};
}

/// A composite is charged as the calls it stands for, one after the other with a barrier between.
class CompositeTime {
public:
  explicit CompositeTime(const Costs &costs) : costs(costs) {}

  void add(VectorFamily family, int64_t repeats, int64_t calls = 1) {
    VectorCost cost = getVectorCost(family, /*elementBytes=*/4);
    cycles += calls * (cost.start + cost.drain + costs.barrier) + getVectorWork(cost, repeats, 0);
  }
  LocalTime get() const { return {0, cycles, 0}; }

private:
  const Costs &costs;
  double cycles = 0;
};

LocalTime getCompositeTime(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  CompositeTime time(costs);
  int64_t rows = std::max<int64_t>(0, issued.amounts[0]);
  int64_t repeatsPerRow = llvm::divideCeil(instruction.pitch, f32PerRepeat);
  switch (instruction.opcode) {
  case Opcode::RowReduce: {
    int64_t left = llvm::divideCeil(instruction.cols, f32PerRepeat);
    // Data blocks of all rows first, then one value per row.
    for (; left > 1; left = llvm::divideCeil(left, blocksPerRepeat))
      time.add(getBlockReduceFamily(instruction), rows * left);
    time.add(VectorFamily::WholeReduce, rows);
    break;
  }
  case Opcode::RowMulAdd:
    time.add(VectorFamily::Brcb, llvm::divideCeil(rows, blocksPerRepeat));
    time.add(VectorFamily::MulAddDst, rows * repeatsPerRow);
    break;
  case Opcode::RowBinary:
    time.add(VectorFamily::Brcb, llvm::divideCeil(rows, blocksPerRepeat));
    time.add(getBinaryFamily(instruction), rows * repeatsPerRow);
    break;
  default:
    time.add(getBinaryFamily(instruction), rows * repeatsPerRow);
  }
  return time.get();
}

//===----------------------------------------------------------------------===//
// Cube cores
//===----------------------------------------------------------------------===//

/// Where the instruction puts its operand, L0A or L0B, decides how fast that is.
double getLoadRate(const Costs &costs, Memory memory) {
  return memory == Memory::L0A ? costs.loadToL0ABytesPerCycle : costs.loadToL0BBytesPerCycle;
}

/// The k that fractals of 16 rows and 16 columns take in a cycle.
double getMmadDepth(const Costs &costs, int64_t elementBytes) {
  return elementBytes == 1   ? costs.mmadDepth8
         : elementBytes == 2 ? costs.mmadDepth16
                             : costs.mmadDepth32;
}

double getMmadWork(const Costs &costs, int64_t m, int64_t n, int64_t k, int64_t elementBytes) {
  return costs.mmad + llvm::divideCeil(m, fractalRows) * llvm::divideCeil(n, fractalRows) *
                          std::ceil(k / getMmadDepth(costs, elementBytes));
}

/// Parts of the operands along k are loaded while the part before is multiplied.
LocalTime getMatmulTime(const Costs &costs, const Issued &issued) {
  auto [m, n, k] = getAmounts(issued);
  int64_t elementBytes = getBytes(issued.instruction->elements[1]);
  auto getDepth = [&](int scratch, int64_t extent) {
    const Place &place = issued.places[scratch];
    int64_t columnBytes = llvm::alignTo(std::max<int64_t>(1, extent), fractalRows) * elementBytes;
    return std::max<int64_t>(1, (place.end - place.begin) / columnBytes);
  };
  int64_t depth = std::min({std::max<int64_t>(1, k), getDepth(3, m), getDepth(4, n)});
  int64_t parts = llvm::divideCeil(k, depth);
  double load = costs.loadTileStart + m * depth * elementBytes / costs.loadToL0ABytesPerCycle +
                costs.loadTileStart + n * depth * elementBytes / costs.loadToL0BBytesPerCycle;
  double multiply = getMmadWork(costs, m, n, depth, elementBytes);
  return {costs.mmadStart, load + (parts - 1) * std::max(load, multiply) + multiply, 0};
}

LocalTime getCubeTime(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  auto [first, second, third] = getAmounts(issued);
  int64_t elementBytes = getBytes(instruction.elements[0]);
  double loadRate = getLoadRate(costs, issued.places[0].memory);
  switch (instruction.opcode) {
  case Opcode::LoadFractals:
    return {costs.loadFractalsStart, first * fractalBytes / loadRate, 0};
  case Opcode::LoadSquares: {
    int64_t fractals = elementBytes == 2 ? 1 : 2;
    return {costs.loadFractalsStart, first * fractals * fractalBytes / loadRate, 0};
  }
  case Opcode::LoadTile:
    return {costs.loadTileStart, first * second * elementBytes / loadRate, 0};
  case Opcode::LoadBias:
    return {costs.loadBiasStart, first * elementBytes / costs.loadBiasBytesPerCycle, 0};
  case Opcode::Fill:
    // No value is published: as fast as copies fill L1.
    return {0, std::max(costs.copyIssue, first * second * blockBytes / costs.loadToL1BytesPerCycle),
            0};
  case Opcode::Mmad:
    return {costs.mmadStart,
            getMmadWork(costs, first, second, third, getBytes(instruction.elements[1])), 0};
  default:
    return {costs.fixToL1Start, first * second / costs.fixToL1ElementsPerCycle, 0};
  }
}

} // namespace

ProductWork simulator::getProductWork(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  if (instruction.opcode != Opcode::Mmad && instruction.opcode != Opcode::Matmul)
    return {};
  auto [m, n, k] = getAmounts(issued);
  double perCycle =
      fractalRows * fractalRows * getMmadDepth(costs, getBytes(instruction.elements[1]));
  return {2 * m * n * k, m * n * k / perCycle};
}

LocalTime LocalTimes::get(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  if (instruction.opcode == Opcode::Matmul)
    return getMatmulTime(costs, issued);
  switch (ascend::getGroup(instruction.opcode)) {
  case InstructionGroup::Cube:
    return getCubeTime(costs, issued);
  case InstructionGroup::Composite:
    return getCompositeTime(costs, issued);
  case InstructionGroup::Vector: {
    VectorCost cost = getCost(instruction, getWidest(instruction));
    int64_t amount = std::max<int64_t>(0, issued.amounts[0]);
    bool isCount =
        llvm::is_contained({Opcode::Copy, Opcode::Compare, Opcode::Select}, instruction.opcode);
    int64_t repeats =
        isCount ? llvm::divideCeil(amount * getWidest(instruction), repeatBytes) : amount;
    return {cost.start, getVectorWork(cost, repeats, 0), cost.drain};
  }
  default:
    return getElementwise(costs, issued);
  }
}

LocalTime LocalTimes::getElementwise(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  if (kept.size() <= static_cast<size_t>(instruction.number))
    kept.resize(instruction.number + 1);
  std::vector<Kept> &known = kept[instruction.number];
  auto isSame = [&](const Kept &other) {
    if (other.amount != issued.amounts[0])
      return false;
    for (int operand = 0; operand < instruction.getOperandCount(); ++operand)
      if (other.offsets[operand] != issued.places[operand].offset)
        return false;
    return true;
  };
  if (auto found = llvm::find_if(known, isSame); found != known.end())
    return found->time;
  Kept &added = known.size() < mostKept ? known.emplace_back() : known[nextReplaced++ % mostKept];
  added.amount = issued.amounts[0];
  for (int operand = 0; operand < instruction.getOperandCount(); ++operand)
    added.offsets[operand] = issued.places[operand].offset;
  added.time = getElementwiseTime(costs, issued);
  return added.time;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

std::optional<int> simulator::findGlobalOperand(const Issued &issued) {
  for (int operand = 0; operand < issued.instruction->getOperandCount(); ++operand)
    if (!issued.places[operand].isLocal())
      return operand;
  return std::nullopt;
}

Transfer simulator::getTransfer(const Costs &costs, const Issued &issued, int64_t arrayAddress) {
  const Instruction &instruction = *issued.instruction;
  int global = *findGlobalOperand(issued);
  auto [rows, length, pitch] = getAmounts(issued);
  int64_t elementBytes = getBytes(instruction.elements[global]);
  bool isWrite = global == 0;
  if (instruction.isFractal) { // Column blocks of fractals instead of rows.
    int64_t blocks = llvm::divideCeil(length, fractalRows);
    length = rows * fractalRows;
    rows = blocks;
    pitch *= fractalRows;
  }
  Transfer transfer;
  transfer.bytes = rows * length * elementBytes;
  transfer.rows = {arrayAddress + issued.places[global].offset,
                   rows,
                   length * elementBytes,
                   pitch * elementBytes,
                   isWrite,
                   instruction.bypassesL2};
  bool isUnaligned = rows > 1 && pitch * elementBytes % blockBytes != 0;
  switch (instruction.pipe) {
  case Pipe::FIX:
    transfer.start = costs.fixOutStart;
    transfer.rowWork = rows * costs.fixOutRow;
    transfer.byteWork = transfer.bytes / costs.fixOutBytesPerCycle;
    return transfer;
  case Pipe::MTE2:
    transfer.start = costs.loadStart;
    if (issued.places[0].memory == Memory::UB)
      break;
    transfer.isToL1 = true;
    transfer.rowWork = std::max(costs.copyIssue, rows * costs.loadToL1Row);
    transfer.byteWork = transfer.bytes / costs.loadToL1BytesPerCycle;
    if (isUnaligned)
      transfer.pitchFactor = costs.ndToNzUnalignedPitchFactor;
    return transfer;
  default:
    transfer.start = costs.storeStart;
  }
  transfer.rowWork = std::max(costs.copyIssue, rows * costs.copyRow);
  transfer.byteWork =
      transfer.bytes / (isWrite ? costs.storeBytesPerCycle : costs.loadBytesPerCycle);
  if (isUnaligned)
    transfer.pitchFactor = costs.unalignedPitchFactor;
  return transfer;
}

PoolBytes simulator::addMemory(const Costs &costs, const L2Outcome &found, Transfer &transfer) {
  const GlobalRows &rows = transfer.rows;
  if (!rows.isWrite) {
    bool isToL1 = transfer.isToL1;
    double shared = found.lines == 0 ? 0 : static_cast<double>(found.contended) / found.lines;
    double factor = isToL1 ? costs.sharedLinesToL1Factor : costs.sharedLinesFactor;
    transfer.byteWork *= 1 + (factor - 1) * shared;
    if (found.missed > 0)
      transfer.start += costs.missLatency;
    if (isToL1)
      transfer.rowWork += found.missed * costs.missedLineToL1;
  }
  if (rows.address % l2LineBytes != 0)
    transfer.byteWork *= costs.unalignedStartFactor;
  double fromHBM = (found.missed + found.writtenBack) * l2LineBytes;
  double asked = rows.rows * llvm::alignTo(rows.rowBytes, l2RequestBytes);
  if (rows.bypassesL2) // Requests, not lines, go to HBM.
    return {transfer.pitchFactor * std::min(fromHBM, asked), 0, 0};
  return {transfer.pitchFactor * fromHBM, rows.isWrite ? 0 : transfer.pitchFactor * asked,
          transfer.pitchFactor * asked};
}
