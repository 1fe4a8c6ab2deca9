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

/// One launch. `places` say where addresses of data behind the argument block go.
struct Launch {
  std::shared_ptr<const Kernel> kernel;
  uint32_t blocks;
  aclrtStream stream;
  std::string arguments;
  std::vector<aclrtPlaceHolderInfo> places;

  /// Hands the launch to the runtime, which copies the arguments; gives its code.
  aclError run() const;
  /// What to say when that fails: the code, the kernel, its blocks and its arguments.
  std::string describeFailure(aclError code) const;
};

/// Loads an object on the device of this thread; gives a handle for `findKernel`.
aclrtBinHandle loadObject(const std::string &data, uint32_t magic);
std::shared_ptr<const Kernel> findKernel(aclrtBinHandle object, const std::string &name,
                                         std::vector<Field> fields, bool isAllAtOnce);

} // namespace attn::launcher

#endif // ATTN_PYTHON_LAUNCHER_KERNEL_H
