// The few calls of the ACL runtime that launch kernels, looked up by name in the installed library.
// With ATTN_VENDOR_HEADERS the types come from the vendor's headers, and the signatures are held
// against them.
#ifndef ATTN_PYTHON_LAUNCHER_ACL_H
#define ATTN_PYTHON_LAUNCHER_ACL_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#ifdef ATTN_VENDOR_HEADERS
#include "acl/acl.h"
#else
// As in version 1.17.0 of the vendor's header acl_rt.h, whose names these are.
// NOLINTBEGIN(readability-identifier-naming,bugprone-tagged-union-member-count)
using aclError = int;
using aclrtStream = void *;
using aclrtBinHandle = void *;
using aclrtFuncHandle = void *;
enum aclrtBinaryLoadOptionType : unsigned {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
};
union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  uint32_t reserved[4];
};
struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
};
struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption *options;
  size_t numOpt;
};
struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
};
enum aclrtLaunchKernelAttrId : unsigned { ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1 };
union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;
  uint32_t reserved[4];
};
struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
};
struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr *attrs;
  size_t numAttrs;
};
enum aclrtDevAttr : unsigned { ACL_DEV_ATTR_CUBE_CORE_NUM = 102 };
// NOLINTEND(readability-identifier-naming,bugprone-tagged-union-member-count)
#endif

#define ATTN_ACL_FUNCTIONS(FUNCTION)                                                               \
  FUNCTION(aclGetRecentErrMsg, const char *())                                                     \
  FUNCTION(aclrtGetDeviceCount, aclError(uint32_t *))                                              \
  FUNCTION(aclrtGetSocName, const char *())                                                        \
  FUNCTION(aclrtGetDeviceInfo, aclError(uint32_t, aclrtDevAttr, int64_t *))                        \
  FUNCTION(aclrtGetHardwareSyncAddr, aclError(void **))                                            \
  FUNCTION(aclrtBinaryLoadFromData,                                                                \
           aclError(const void *, size_t, const aclrtBinaryLoadOptions *, aclrtBinHandle *))       \
  FUNCTION(aclrtBinaryGetFunction, aclError(aclrtBinHandle, const char *, aclrtFuncHandle *))      \
  FUNCTION(aclrtLaunchKernelWithHostArgs,                                                          \
           aclError(aclrtFuncHandle, uint32_t, aclrtStream, aclrtLaunchKernelCfg *, void *,        \
                    size_t, aclrtPlaceHolderInfo *, size_t))

namespace attn::launcher {

/// A call of the runtime that failed.
class AclError : public std::runtime_error {
public:
  AclError(aclError code, const std::string &message) : std::runtime_error(message), code(code) {}
  const aclError code;
};

/// The calls of the runtime in this process.
struct Acl {
  /// Opens the runtime at the first call; std::runtime_error says why that fails.
  static const Acl &get();

  /// AclError with what the runtime says, unless the code means success.
  void check(aclError code, const std::string &action) const;
  /// What the runtime says about the last error of this thread.
  std::string recentMessage() const;
  /// What a runtime that is not CANN says about itself; empty for CANN.
  std::string standInDescription() const;

  void *library;
#define ATTN_MEMBER(name, ...) std::add_pointer_t<__VA_ARGS__> name;
  ATTN_ACL_FUNCTIONS(ATTN_MEMBER)
#undef ATTN_MEMBER
};

} // namespace attn::launcher

#endif // ATTN_PYTHON_LAUNCHER_ACL_H
