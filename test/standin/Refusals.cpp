// Entry points that torch_npu links or looks for and that do nothing here. Operators and what they
// are described with: the descriptions are taken, and the operator itself fails with its name. The
// rest is refused.
//
// Nothing is read from their arguments, so they are written without any; the vendor's signatures do
// not matter.
#include "EntryPoint.h"

using namespace attn::standin;

namespace {

aclError refuse(const char *entryPoint) {
  return fail(OperatorNotFound, std::string(entryPoint) + " is not part of the stand-in");
}

aclError refuseOperator(const char *entryPoint, const char *name) {
  return fail(OperatorNotFound,
              "the operator " + std::string(name) + " is not there (" + entryPoint + ")");
}

} // namespace

#define REFUSE(name)                                                                               \
  ATTN_EXPORT aclError name() {                                                                    \
    ATTN_ENTRY();                                                                                  \
    return refuse(__func__);                                                                       \
  }
#define ACCEPT(name)                                                                               \
  ATTN_EXPORT aclError name() {                                                                    \
    ATTN_ENTRY();                                                                                  \
    return Success;                                                                                \
  }
// Whatever makes a description gives the same one: nothing looks at it.
#define DESCRIBE(name)                                                                             \
  ATTN_EXPORT void *name() {                                                                       \
    ATTN_ENTRY();                                                                                  \
    static char description;                                                                       \
    return &description;                                                                           \
  }
#define OPERATOR(name)                                                                             \
  ATTN_EXPORT aclError name(const char *type) {                                                    \
    ATTN_ENTRY();                                                                                  \
    return refuseOperator(__func__, type);                                                         \
  }
#include "Refusals.def"
