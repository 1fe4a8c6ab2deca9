// What a C++ compiler of clang's family says, as diagnostics.
#ifndef ATTN_SUPPORT_COMPILEROUTPUT_H
#define ATTN_SUPPORT_COMPILEROUTPUT_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attn {

/// Emits the errors, warnings and notes of a compiler's `text`, each after `prefix`. Its `#line`
/// directives have made the positions those of the source; `locate` finds them there. Returns the
/// number of errors.
unsigned
emitCompilerOutput(llvm::StringRef text, llvm::StringRef prefix,
                   llvm::function_ref<mlir::Location(llvm::StringRef file, unsigned line)> locate);

} // namespace attn

#endif // ATTN_SUPPORT_COMPILEROUTPUT_H
