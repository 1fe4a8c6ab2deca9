// The types of the ACL runtime that the stand-in's entry points take. With ATTN_VENDOR_HEADERS they
// come from the vendor's headers instead, which makes every wrong signature a compile error.
#ifndef ATTN_TEST_STANDIN_ACL_H
#define ATTN_TEST_STANDIN_ACL_H

#ifdef ATTN_VENDOR_HEADERS
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#else
#include <cstddef>
#include <cstdint>

using aclError = int;
using aclrtStream = void *;
using aclrtEvent = void *;
using aclrtContext = void *;
using aclrtBinHandle = void *;
using aclrtFuncHandle = void *;
using aclrtArgsHandle = void *;
using aclrtParamHandle = void *;
using aclrtHostFunc = void (*)(void *);
struct aclTensorDesc;
struct aclDataBuffer;
struct aclopAttr;

enum aclrtMemcpyKind : unsigned {
  ACL_MEMCPY_HOST_TO_HOST,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
};
enum aclrtEventRecordedStatus : unsigned {
  ACL_EVENT_RECORDED_STATUS_NOT_READY,
  ACL_EVENT_RECORDED_STATUS_COMPLETE,
};
enum aclrtEventWaitStatus : unsigned {
  ACL_EVENT_WAIT_STATUS_COMPLETE,
  ACL_EVENT_WAIT_STATUS_NOT_READY,
};
enum aclrtStreamStatus : unsigned { ACL_STREAM_STATUS_COMPLETE, ACL_STREAM_STATUS_NOT_READY };
enum aclrtMemLocationType : unsigned {
  ACL_MEM_LOCATION_TYPE_HOST,
  ACL_MEM_LOCATION_TYPE_DEVICE,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED,
};
enum aclrtDevAttr : unsigned {
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
};
enum aclDeviceInfo : int {
  ACL_DEVICE_INFO_AI_CORE_NUM,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM,
  ACL_DEVICE_INFO_L2_SIZE,
};
enum aclrtBinaryLoadOptionType : unsigned {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
};

// Those of which the stand-in looks at no value.
enum aclrtMemMallocPolicy : unsigned {};
enum aclrtMemAttr : unsigned {};
enum aclSysParamOpt : unsigned {};
enum aclCompileOpt : unsigned {};
enum aclCannAttr : int {};
enum aclrtFloatOverflowMode : unsigned {};
enum aclrtLastErrLevel : unsigned {};
enum aclCANNPackageName : unsigned {};
enum aclLogLevel : unsigned {};
enum aclopEngineType : unsigned {};
enum aclopCompileType : unsigned {};

struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
};
struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;
  uint32_t rsv[4];
};
struct aclCANNPackageVersion {
  char version[128];
  char majorVersion[64];
  char minorVersion[64];
  char releaseVersion[64];
  char patchVersion[64];
  char reserved[128];
};
union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  uint32_t rsv[4];
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
#endif

#endif // ATTN_TEST_STANDIN_ACL_H
