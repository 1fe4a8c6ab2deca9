// The layout of a launch's arguments as the sidecar tells it.
#ifndef ATTN_LIB_TARGET_SIDECAR_LAYOUTDESCRIPTION_H
#define ATTN_LIB_TARGET_SIDECAR_LAYOUTDESCRIPTION_H

#include "Parameters.h"
#include "attn/Launch/Convention/ArgumentLayout.h"

namespace attn::sidecar {

/// The arguments with their offsets, and the bytes of all of them.
llvm::json::Object describeLayout(const launch::ArgumentLayout &layout,
                                  const Parameters &parameters);

} // namespace attn::sidecar

#endif // ATTN_LIB_TARGET_SIDECAR_LAYOUTDESCRIPTION_H
