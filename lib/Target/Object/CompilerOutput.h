// What the vendor's compiler says, as diagnostics at the lines of the author's source.
#ifndef ATTN_TARGET_OBJECT_COMPILEROUTPUT_H
#define ATTN_TARGET_OBJECT_COMPILEROUTPUT_H

#include "mlir/IR/BuiltinOps.h"

namespace attn::object {

/// Emits the errors, warnings and notes of a compiler's text. Its `#line` directives have made the
/// positions those of the source; columns are taken from the ops of `module` on that line. Returns
/// the number of errors.
unsigned emitCompilerOutput(llvm::StringRef text, llvm::StringRef compiler, mlir::ModuleOp module);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_COMPILEROUTPUT_H
