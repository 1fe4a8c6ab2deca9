// Two files that appear together: an object and its sidecar.
#ifndef ATTN_TARGET_OBJECT_OUTPUTPAIR_H
#define ATTN_TARGET_OBJECT_OUTPUTPAIR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn::object {

/// The name of the sidecar that belongs to an object's.
std::string getSidecarName(llvm::StringRef object);

/// Writes both beside their places and moves them there at once, the sidecar last. After an error
/// neither is there. Should the process be killed between the moves, an older sidecar stays with
/// the newer object; its hash then tells.
llvm::Error writePair(llvm::StringRef object, llvm::StringRef objectContent,
                      llvm::StringRef sidecarContent);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_OUTPUTPAIR_H
