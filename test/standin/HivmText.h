// Objects by HIVM. The stand-in for hivmc hands on the text that the vendor's own tool has
// prepared: nothing executes it here, but it says which arguments its kernels take.
#ifndef ATTN_TEST_STANDIN_HIVMTEXT_H
#define ATTN_TEST_STANDIN_HIVMTEXT_H

#include "EntryPoint.h"
#include <optional>

namespace attn::standin {

/// The arguments of a kernel.
struct HivmArguments {
  size_t bytes = 0;
  /// Where the address goes through which cores meet.
  std::optional<size_t> syncBase;
};

bool isHivmText(const std::string &object);

/// Reads the arguments of the function of that name.
Status readHivmArguments(const std::string &text, const std::string &name,
                         HivmArguments &arguments);

} // namespace attn::standin

#endif // ATTN_TEST_STANDIN_HIVMTEXT_H
