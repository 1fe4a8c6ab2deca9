// Launches of emitted text: where arrays lie on the device, and what the text's parameters get.
#ifndef ATTN_SIMULATOR_LAUNCH_TEXTLAUNCH_H
#define ATTN_SIMULATOR_LAUNCH_TEXTLAUNCH_H

#include "attn/Simulator/Model/Session.h"

namespace attn::simulator {

/// Memory of the device: an array of the launch, or a table of addresses (`array` is -1).
struct DeviceMemory {
  uint64_t address;
  uint64_t bytes;
  const uint8_t *data;
  int array;
  /// Whether kernels of the launch write it.
  bool isWritten;
};

/// The memory that an address lies in, or null.
const DeviceMemory *findMemory(llvm::ArrayRef<DeviceMemory> memory, uint64_t address);

/// The arrays and tables of a launch in the memory of the device. Arrays are found by their number
/// in the launch: two arguments may be the same memory here, and are two arrays there.
class Device {
public:
  explicit Device(const Launch &launch);

  /// What a kernel gets for an argument that it takes by its address.
  uint64_t getAddress(const Launch &launch, int argument) const;
  llvm::ArrayRef<DeviceMemory> getMemory() const { return memory; }

private:
  uint64_t place(uint64_t bytes, const uint8_t *data, int array, bool isWritten);

  uint64_t next;
  std::vector<uint64_t> addresses, tableAddresses;
  std::vector<std::vector<uint64_t>> tables;
  std::vector<DeviceMemory> memory;
};

/// What one parameter of a text gets.
struct TextArgument {
  enum class Kind { Address, Int64, Int32, Real };
  Kind kind;
  Scalar value;
};

/// What the parameters of the text get that was printed from `kernel`, in their order.
mlir::FailureOr<llvm::SmallVector<TextArgument>>
listArguments(mlir::func::FuncOp kernel, const Launch &launch, const Device &device);

/// The launch that arguments in the order of a text's parameters make.
mlir::FailureOr<Launch> bindParameters(llvm::ArrayRef<Argument> arguments, mlir::Location location);
/// What these parameters get.
llvm::SmallVector<TextArgument> listArguments(llvm::ArrayRef<Argument> arguments,
                                              const Launch &launch, const Device &device);

} // namespace attn::simulator

#endif // ATTN_SIMULATOR_LAUNCH_TEXTLAUNCH_H
