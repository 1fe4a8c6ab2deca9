// What the passes of the ascend stage ask about a function before they look inside.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_KERNEL_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_KERNEL_H

#include "attn/Dialect/Ascend/IR/KernelKind.h"
#include "attn/Machine/Chip.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn::ascend {

/// Whether the function is a kernel for the chip, with a body of one block.
bool isKernel(mlir::func::FuncOp function);

/// The chip that the kernel is compiled for, or an error where the module names none with pipes.
mlir::FailureOr<Chip> getKernelChip(mlir::func::FuncOp kernel);

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_KERNEL_H
