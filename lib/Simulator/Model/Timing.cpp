// What an instruction costs on its pipe.
#include "Timing.h"
#include "attn/Machine/Architecture.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;
using ascend::InstructionGroup;

namespace {

using architecture::blockBytes;
using architecture::blocksPerRepeat;
using architecture::repeatBytes;
constexpr int64_t f32PerRepeat = architecture::getLanes(sizeof(float));

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

VectorTime getElementwiseTime(const Costs &costs, const Issued &issued) {
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
  VectorTime get() const { return {0, cycles, 0}; }

private:
  const Costs &costs;
  double cycles = 0;
};

VectorTime getCompositeTime(const Costs &costs, const Issued &issued) {
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

} // namespace

VectorTime simulator::getVectorTime(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  switch (ascend::getGroup(instruction.opcode)) {
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
    return getElementwiseTime(costs, issued);
  }
}

TransferTime simulator::getTransferTime(const Costs &costs, const Issued &issued) {
  const Instruction &instruction = *issued.instruction;
  auto [rows, length, pitch] = issued.amounts;
  bool isLoad = instruction.opcode == Opcode::CopyIn;
  int64_t elementBytes = getBytes(instruction.elements[0]);
  int64_t bytes = std::max<int64_t>(0, rows) * std::max<int64_t>(0, length) * elementBytes;
  bool isUnaligned = rows > 1 && pitch * elementBytes % blockBytes != 0;
  double factor = isUnaligned ? costs.unalignedPitchFactor : 1;
  return {isLoad ? costs.loadStart : costs.storeStart,
          factor * getCopyWork(costs, isLoad, rows, bytes), factor * bytes, bytes};
}
