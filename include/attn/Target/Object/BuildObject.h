// Builds the object of a kernel with the vendor's compiler, and its sidecar beside it.
#ifndef ATTN_TARGET_OBJECT_BUILDOBJECT_H
#define ATTN_TARGET_OBJECT_BUILDOBJECT_H

#include "attn/Target/Object/Toolchain.h"
#include "attn/Target/Sidecar/Sidecar.h"

namespace attn::object {

struct BuildOptions {
  /// The file to write; the sidecar gets its name with the ending `.json`.
  std::string output;
  Form form = Form::Object;
  sidecar::Route route = sidecar::Route::AscendC;
  /// The vendor's compiler, where the user chose one.
  std::string compiler;
  /// The section `call` of the sidecar.
  llvm::json::Value call = nullptr;
};

/// Builds a planned and synchronised module, whose kernels keep their composites on the route by
/// HIVM. Both files appear complete or not at all; what the
/// vendor's compiler complains about is shown at the author's line.
mlir::LogicalResult buildObject(mlir::ModuleOp module, const BuildOptions &options);

} // namespace attn::object

#endif // ATTN_TARGET_OBJECT_BUILDOBJECT_H
