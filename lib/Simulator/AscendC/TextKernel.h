// Compiled text as the modelled chip takes it: its calls become instructions, and the scalar
// program of each block is the text's own machine code on a stack of its own.
#ifndef ATTN_LIB_SIMULATOR_ASCENDC_TEXTKERNEL_H
#define ATTN_LIB_SIMULATOR_ASCENDC_TEXTKERNEL_H

#include "attn/Simulator/AscendC/Device/twin_interface.h"
#include "attn/Simulator/Launch/TextLaunch.h"
#include <map>

namespace attn::twin {

class TextProgram;

class TextKernel {
public:
  TextKernel(const attn_twin::Kernel &kernel, llvm::ArrayRef<uint8_t> arguments,
             llvm::ArrayRef<simulator::DeviceMemory> memory, const Chip &chip, int64_t blocks,
             int64_t maxSteps, mlir::MLIRContext *context);

  const simulator::Listing &getListing() const { return listing; }
  /// Blocks that meet need a kernel that is declared mixed, without cube cores.
  ascend::KernelKind getKind() const;
  std::unique_ptr<simulator::ScalarProgram> start(const simulator::CorePlace &place);

private:
  friend class TextProgram;

  /// Of the core that runs.
  CoreKind getCore() const;

  // What the table of functions leads to; all run on the stack of the block that calls.
  void initialise(attn_twin::Readied cores);
  void declare(const attn_twin::Operand &tensor, attn_twin::Source at);
  void call(const attn_twin::Call &call, attn_twin::Source at);
  uint64_t load(const attn_twin::Operand &place, attn_twin::Source at);
  void drop(const attn_twin::Operand &place);
  void count();
  [[noreturn]] void fail(simulator::HazardKind kind, const llvm::Twine &what, attn_twin::Source at);

  /// The instruction that a call stands for: the same one each time it is the same call.
  const simulator::Instruction &getInstruction(const attn_twin::Call &call, attn_twin::Source at,
                                               int64_t pitch);
  simulator::Instruction makeInstruction(const attn_twin::Call &call, int64_t pitch);
  simulator::Place getPlace(const attn_twin::Operand &operand, attn_twin::Source at);
  int getBuffer(const attn_twin::Operand &operand);
  void checkPipes(const attn_twin::Call &call, attn_twin::Source at);
  void checkUse(const attn_twin::Call &call, attn_twin::Source at);
  /// Sets rows, length and pitch in GM of a copy; returns the pitch in local memory.
  int64_t fillCopy(const attn_twin::Call &call, simulator::Issued &next, attn_twin::Source at);
  mlir::Location getLocation(attn_twin::Source at) const;

  const attn_twin::Kernel &kernel;
  llvm::ArrayRef<uint8_t> arguments;
  llvm::ArrayRef<simulator::DeviceMemory> memory;
  const Chip &chip;
  int64_t maxSteps;
  mlir::MLIRContext *context;
  attn_twin::Chip table;
  simulator::Listing listing;
  std::map<std::vector<int64_t>, int32_t> instructions;
  std::map<std::vector<int64_t>, int32_t> buffers;
  /// The core's program that runs.
  TextProgram *running = nullptr;
};

} // namespace attn::twin

#endif // ATTN_LIB_SIMULATOR_ASCENDC_TEXTKERNEL_H
