// From an object file to an image.
#ifndef ATTN_CPU_COMPILER_IMAGELINKER_H
#define ATTN_CPU_COMPILER_IMAGELINKER_H

#include "attn/Cpu/Runtime/Image.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace attn::jit {

/// The code and data of an object, and where in them its symbols are.
struct LinkedObject {
  host::Image image;
  llvm::StringMap<uint64_t> symbols;
};

/// Links an object by itself; what it takes from outside must be one of the host's functions.
llvm::Expected<LinkedObject> linkImage(llvm::MemoryBufferRef object);

} // namespace attn::jit

#endif // ATTN_CPU_COMPILER_IMAGELINKER_H
