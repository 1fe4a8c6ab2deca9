// One launch on the modelled chip, whatever its kernels come from: arguments, blocks, result.
#ifndef ATTN_SIMULATOR_MODEL_SESSION_H
#define ATTN_SIMULATOR_MODEL_SESSION_H

#include "attn/Simulator/Model/Instruction.h"
#include <memory>

namespace attn::simulator {

/// An array of the launch: an argument, or an entry of a table.
struct GlobalArray {
  std::string name;
  Array array;
  bool isDefined;
  /// The argument it belongs to.
  int argument;
};

/// An argument as the program sees it.
struct BoundArgument {
  Scalar scalar;
  int firstArray = -1;
  int arrayCount = 0;
  bool isTable = false;
};

struct Launch {
  std::vector<GlobalArray> arrays;
  std::vector<BoundArgument> arguments;
  /// Memory of workspaces that the caller left to us.
  std::vector<std::vector<uint8_t>> ownedMemory;
};

struct GlobalMemory;

/// One kernel after the other on the arrays of one launch.
class Session {
public:
  Session(const Chip &chip, const SimulationOptions &options, Launch launch, int64_t blocks);
  ~Session();

  /// A kernel as the chip takes it.
  struct Kernel {
    mlir::Location location;
    /// Which cores a block of it starts.
    ascend::KernelKind kind;
    /// What its instructions refer to.
    const Listing &listing;
    /// The scalar program of a core.
    llvm::function_ref<std::unique_ptr<ScalarProgram>(const CorePlace &place)> start;
  };
  /// Runs a kernel, unless hazards of those before leave nothing to see.
  void run(const Kernel &kernel);

  const Launch &getLaunch() const { return launch; }
  int64_t getBlocks() const { return result.blocks; }
  SimulationResult finish();

private:
  void noteMemories(const Kernel &kernel);
  void listUse();

  const Chip &chip;
  const SimulationOptions &options;
  Launch launch;
  std::unique_ptr<GlobalMemory> gm;
  SimulationResult result;
  /// Per kind of core and pipe, and per kind the most cores that a launch had.
  std::array<std::array<double, pipeCount>, coreKindCount> busyCycles = {};
  std::array<int64_t, coreKindCount> cores = {};
  std::array<double, coreKindCount> heldCycles = {};
  /// Per local memory, the highest byte that a buffer ends at.
  std::array<int64_t, localMemoryCount> bytesUsed = {};
  int64_t launches = 0;
};

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_MODEL_SESSION_H
