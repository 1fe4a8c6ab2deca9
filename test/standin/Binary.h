// Binaries and kernels. An object is a shared library that holds emitted text, compiled for the
// modelled chip, or text in the vendor's IR, which nothing executes here.
#ifndef ATTN_TEST_STANDIN_BINARY_H
#define ATTN_TEST_STANDIN_BINARY_H

#include "HivmText.h"
#include "attn/Simulator/AscendC/attn_chip.h"
#include <memory>
#include <vector>

namespace attn::standin {

/// The cores that an object is for, as who loads it says.
constexpr uint32_t aiCoreMagic = 0x43554245, vectorCoreMagic = 0x41415246,
                   cubeCoreMagic = 0x41494343;

/// A loaded object; it belongs to one device and is closed with its last use.
class Binary {
public:
  static Status load(int device, uint32_t magic, const void *data, size_t bytes,
                     std::shared_ptr<Binary> &binary);
  Binary(int device, uint32_t magic, attn_chip_library *library)
      : device(device), magic(magic), library(library) {}
  Binary(int device, uint32_t magic, std::string hivm)
      : device(device), magic(magic), library(nullptr), hivm(std::move(hivm)) {}
  Binary(const Binary &) = delete;
  ~Binary() {
    if (library)
      attn_chip_close(library);
  }

  const int device;
  const uint32_t magic;
  /// Null where the object is text in the vendor's IR.
  attn_chip_library *const library;
  const std::string hivm;
};

/// A kernel of a binary.
struct Function {
  std::shared_ptr<Binary> binary;
  std::string name;
  /// Null where nothing executes it.
  const attn_chip_kernel *kernel;
  size_t argumentBytes;
  /// Where its arguments have the address through which cores meet, as far as the object tells.
  std::optional<size_t> syncBase;
};

/// What one launch has: everything by value, since it runs later. Where data lies after the
/// argument block, the launch has device memory for it.
struct Launch {
  std::shared_ptr<Function> function;
  uint32_t blocks = 0;
  std::vector<char> arguments;
  std::shared_ptr<void> data;
  const void *deviceArguments = nullptr; // where the block is read when the kernel starts
};

/// Finds a kernel of a binary.
Status findFunction(std::shared_ptr<Binary> binary, const char *name,
                    std::shared_ptr<Function> &function);

/// Runs a launch on the modelled chip, to its end.
Status runOnChip(Launch &launch);

} // namespace attn::standin

#endif // ATTN_TEST_STANDIN_BINARY_H
