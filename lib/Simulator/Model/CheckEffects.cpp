// Compares what an instruction touched with what its interface declares: the only use the simulator
// makes of that interface.
#include "CheckEffects.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace attn;
using namespace attn::simulator;

/// Which of the instruction's memory operands a value is; several where it is used twice.
static bool isOperand(const Issued &issued, int operand, Value memory) {
  return issued.instruction->op->getOperand(operand) == memory;
}

/// Whether [begin, end) lies inside what `access` declares from `place` on.
static bool covers(const ascend::Access &access, const Place &place, int64_t begin, int64_t end) {
  if (begin < place.offset)
    return false;
  if (access.toEnd)
    return place.memory == Memory::GM || end <= place.end;
  return access.covers(begin - place.offset, end - place.offset);
}

/// Whether the run decided against an access: sums start either from what is there or, where
/// `init` holds, from zero or the bias.
static bool isLeftOut(const Issued &issued, const ascend::Access &access, int operand) {
  if (issued.instruction->opcode != Opcode::Mmad || access.isWrite)
    return false;
  constexpr int sums = 0, bias = 3;
  return operand == (issued.scalar.integer ? sums : bias);
}

void simulator::checkEffects(const Issued &issued, ArrayRef<Touch> touches,
                             const IndexRanges &ranges, const CorePlace &core, HazardLog &log) {
  const Instruction &instruction = *issued.instruction;
  SmallVector<ascend::Access> accesses;
  cast<ascend::InstructionOpInterface>(instruction.op).getAccesses(accesses, ranges);
  auto complain = [&](StringRef what, int operand, bool isWrite, int64_t begin, int64_t end) {
    log.report(HazardKind::Effects, instruction, core,
               llvm::formatv("{0} bytes {1} to {2} of operand {3}, which its interface {4}",
                             isWrite ? "writes" : "reads", begin - issued.places[operand].offset,
                             end - 1 - issued.places[operand].offset, operand, what)
                   .str());
  };
  for (const Touch &touch : touches) {
    bool isDeclared = llvm::any_of(accesses, [&](const ascend::Access &access) {
      return access.isWrite == touch.isWrite && isOperand(issued, touch.operand, access.memory) &&
             covers(access, issued.places[touch.operand], touch.begin, touch.end);
    });
    if (!isDeclared)
      complain("does not declare", touch.operand, touch.isWrite, touch.begin, touch.end);
  }
  if (ascend::isComposite(instruction.opcode) || touches.empty())
    return;
  for (const ascend::Access &access : accesses) {
    if (access.toEnd)
      continue;
    for (int operand = 0, count = instruction.getOperandCount(); operand < count; ++operand) {
      if (!isOperand(issued, operand, access.memory) || isLeftOut(issued, access, operand))
        continue;
      int64_t begin = std::numeric_limits<int64_t>::max(),
              end = std::numeric_limits<int64_t>::min();
      for (const Touch &touch : touches)
        if (touch.isWrite == access.isWrite && isOperand(issued, touch.operand, access.memory)) {
          begin = std::min(begin, touch.begin);
          end = std::max(end, touch.end);
        }
      int64_t declaredBegin = issued.places[operand].offset;
      int64_t declaredEnd = declaredBegin + access.getExtentBytes();
      if (declaredBegin != declaredEnd && (begin != declaredBegin || end != declaredEnd))
        complain("declares without it", operand, access.isWrite, declaredBegin, declaredEnd);
    }
  }
}
