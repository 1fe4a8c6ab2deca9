// The sidecar of a kernel: what a loader must know to launch its object without the compiler.
#ifndef ATTN_TARGET_SIDECAR_SIDECAR_H
#define ATTN_TARGET_SIDECAR_SIDECAR_H

#include "attn/Launch/Convention/ArgumentLayout.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

namespace attn::sidecar {

/// The version of the form that docs/Sidecar.md describes.
constexpr int64_t formVersion = 4;

using launch::Route;

/// "ascendc" or "hivm", as the sidecar spells them.
llvm::StringRef spellRoute(Route route);
std::optional<Route> parseRoute(llvm::StringRef name);

/// Describes the kernel of a planned and synchronised module (the pipeline `attn-ascend`), with its
/// later phases. What cannot be described gives a diagnostic.
mlir::FailureOr<llvm::json::Object> makeSidecar(mlir::ModuleOp module);

/// Prints what `makeSidecar` gives, or nothing where that fails.
mlir::LogicalResult emitSidecar(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace attn::sidecar

#endif // ATTN_TARGET_SIDECAR_SIDECAR_H
