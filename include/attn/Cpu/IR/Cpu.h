// The `cpu` dialect: what a kernel on the CPU checks before it touches memory or divides.
#ifndef ATTN_CPU_IR_CPU_H
#define ATTN_CPU_IR_CPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "attn/Cpu/IR/CpuDialect.h.inc"

#define GET_OP_CLASSES
#include "attn/Cpu/IR/CpuOps.h.inc"

namespace attn::cpu {
constexpr llvm::StringLiteral checkOfName = "cpu.check_of";
constexpr llvm::StringLiteral checksName = "cpu.checks";
} // namespace attn::cpu

#endif // ATTN_CPU_IR_CPU_H
