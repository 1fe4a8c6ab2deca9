// Opens the ACL runtime and finds its calls.
#include "Acl.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace attn::launcher;

#ifdef ATTN_VENDOR_HEADERS
#define ATTN_CHECK_SIGNATURE(name, ...)                                                            \
  static_assert(std::is_same_v<decltype(::name), __VA_ARGS__>, #name);
ATTN_ACL_FUNCTIONS(ATTN_CHECK_SIGNATURE)
#endif

namespace {

constexpr const char *libraryName = "libascendcl.so";

/// Opens the library by its name, or in the toolkit that the environment names.
void *openLibrary() {
  if (void *library = dlopen(libraryName, RTLD_NOW))
    return library;
  std::string problem = dlerror();
  const char *home = std::getenv("ASCEND_HOME_PATH");
  if (home && *home)
    if (void *library = dlopen((std::string(home) + "/lib64/" + libraryName).c_str(), RTLD_NOW))
      return library;
  throw std::runtime_error(problem);
}

void *find(void *library, const char *name) {
  if (void *function = dlsym(library, name))
    return function;
  throw std::runtime_error(std::string(libraryName) + " lacks " + name +
                           ": CANN 8.5 or later is needed");
}

Acl open() {
  Acl acl{};
  acl.library = openLibrary();
#define ATTN_FIND(name, ...)                                                                       \
  acl.name = reinterpret_cast<decltype(acl.name)>(find(acl.library, #name));
  ATTN_ACL_FUNCTIONS(ATTN_FIND)
#undef ATTN_FIND
  return acl;
}

} // namespace

const Acl &Acl::get() {
  static const Acl acl = open();
  return acl;
}

std::string Acl::recentMessage() const {
  const char *message = aclGetRecentErrMsg();
  return message ? message : "";
}

void Acl::check(aclError code, const std::string &action) const {
  if (code == 0)
    return;
  std::string message = recentMessage();
  throw AclError(code, action + " failed with ACL error " + std::to_string(code) +
                           (message.empty() ? "" : ": " + message));
}

std::string Acl::standInDescription() const {
  void *marker = dlsym(library, "attn_standin_description");
  return marker ? reinterpret_cast<const char *(*)()>(marker)() : "";
}
