// Which functions of a module belong to a kernel: the one that counts its tiles, and later phases.
#ifndef ATTN_LAUNCH_IR_LAUNCHORDER_H
#define ATTN_LAUNCH_IR_LAUNCHORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn::launch {

/// The function that counts the tiles of `kernel`, or null.
mlir::func::FuncOp getCounter(mlir::func::FuncOp kernel);

/// Gives the function that counts the tiles of `kernel`, where there is one, the arguments that
/// were added to the kernel.
void addNewArguments(mlir::func::FuncOp kernel);

/// The kernel and its later phases, in the order of their launches.
llvm::SmallVector<mlir::func::FuncOp> getPhases(mlir::func::FuncOp kernel);

} // namespace attn::launch

#endif // ATTN_LAUNCH_IR_LAUNCHORDER_H
