// The `launch` dialect: attributes that say how a kernel is called.
#ifndef ATTN_LAUNCH_IR_LAUNCHDIALECT_H
#define ATTN_LAUNCH_IR_LAUNCHDIALECT_H

#include "mlir/IR/Dialect.h"

#include "attn/Launch/IR/LaunchDialect.h.inc"

namespace attn::launch {
constexpr llvm::StringLiteral dimsName = "launch.dims";
constexpr llvm::StringLiteral outputName = "launch.output";
constexpr llvm::StringLiteral workspaceName = "launch.workspace";
constexpr llvm::StringLiteral limitName = "launch.limit";
constexpr llvm::StringLiteral gridOfName = "launch.grid_of";
constexpr llvm::StringLiteral afterName = "launch.after";
constexpr llvm::StringLiteral sizesName = "launch.sizes";
constexpr llvm::StringLiteral signatureName = "launch.signature";
/// Dimensions of workspaces that the launch decides: the launched blocks, the groups of a mixed
/// kernel, and the cores of one kind.
constexpr llvm::StringLiteral blocksDim = "@blocks";
constexpr llvm::StringLiteral groupsDim = "@groups";
constexpr llvm::StringLiteral coresDim = "@cores";
} // namespace attn::launch

#endif // ATTN_LAUNCH_IR_LAUNCHDIALECT_H
