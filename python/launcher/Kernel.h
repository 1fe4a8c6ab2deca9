// Loaded objects, their kernels, and launches that hold all they need by value.
#ifndef ATTN_PYTHON_LAUNCHER_KERNEL_H
#define ATTN_PYTHON_LAUNCHER_KERNEL_H

#include "Acl.h"
#include <memory>
#include <vector>

namespace attn::launcher {

/// An argument in the block of bytes, for messages. The form is 'p' of addresses, 'i' of whole
/// numbers and 'f' of floats.
struct Field {
  std::string name;
  size_t offset;
  size_t size;
  char form;
};

/// A kernel of a loaded object. It stays loaded: an object may not go while a launch of it may be
/// queued.
struct Kernel {
  std::string name;
  aclrtFuncHandle function;
  std::vector<Field> fields;
  /// Its blocks wait for each other, so all of them must run at the same time.
  bool isAllAtOnce;
};

/// Launches that differ in addresses and floating-point numbers only: everything else is packed
/// once.
struct Plan {
  /// Launched one after the other, with the same arguments.
  std::vector<std::shared_ptr<const Kernel>> kernels;
  uint32_t blocks;
  /// The argument block, with the tables of addresses after it.
  std::string arguments;
  /// Where each address goes, 64 bits, and each real, 32 bits.
  std::vector<size_t> addressOffsets;
  std::vector<size_t> floatOffsets;
  /// Where in the block the runtime writes the addresses of what lies after it.
  std::vector<aclrtPlaceHolderInfo> places;

  /// std::invalid_argument where an offset leads out of the arguments.
  void check() const;
  /// The arguments of one launch; std::invalid_argument where there are more or fewer values than
  /// places, std::overflow_error for a real that has no place in 32 bits.
  std::string pack(const std::vector<uint64_t> &addresses, const std::vector<double> &floats) const;
};

/// One launch of one kernel of a plan.
struct Launch {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Kernel> kernel;
  aclrtStream stream;
  std::shared_ptr<const std::string> arguments;

  /// Hands the launch to the runtime, which copies the arguments; returns its code.
  aclError run() const;
  /// What to say when that fails: the code, the kernel, its blocks and its arguments.
  std::string describeFailure(aclError code) const;
};

/// Loads an object on the device of this thread; gives a handle for `findKernel`.
aclrtBinHandle loadObject(const std::string &data, uint32_t magic);
std::shared_ptr<const Kernel> findKernel(aclrtBinHandle object, const std::string &name,
                                         std::vector<Field> fields, bool isAllAtOnce);

/// The groups of one cube core and its vector cores that a device has.
int64_t countGroups(uint32_t device);

/// The address through which the cores of this thread's device meet.
uint64_t getSyncBase();

} // namespace attn::launcher

#endif // ATTN_PYTHON_LAUNCHER_KERNEL_H
