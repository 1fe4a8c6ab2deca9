// Which cores run a kernel, as its attributes say.
#ifndef ATTN_DIALECT_ASCEND_IR_KERNELKIND_H
#define ATTN_DIALECT_ASCEND_IR_KERNELKIND_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

constexpr llvm::StringLiteral kindName = "ascend.kind";
constexpr llvm::StringLiteral halfOfName = "ascend.half_of";

/// The kind of a kernel: vector where it does not say.
KernelKind getKernelKind(mlir::func::FuncOp kernel);

/// The kind of core that runs the function `kernel`: of a mixed kernel, one of its halves.
CoreKind getCoreKind(mlir::func::FuncOp kernel);

/// The function that the cube cores of a mixed kernel run, or null.
mlir::func::FuncOp getCubeHalf(mlir::func::FuncOp kernel);

/// What the cores of a block run: the kernel, before it the cube half of a mixed one.
llvm::SmallVector<mlir::func::FuncOp, 2> getFunctions(mlir::func::FuncOp kernel);

/// How many cores of one kind a block starts at most.
int64_t getCoresPerBlock(KernelKind kind);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_IR_KERNELKIND_H
