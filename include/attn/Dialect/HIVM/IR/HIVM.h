// The vendor's dialects `hivm` and `hacc`, as far as kernels are written in them.
#ifndef ATTN_DIALECT_HIVM_IR_HIVM_H
#define ATTN_DIALECT_HIVM_IR_HIVM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn/Dialect/HIVM/IR/HACCDialect.h.inc"
#include "attn/Dialect/HIVM/IR/HACCEnums.h.inc"
#include "attn/Dialect/HIVM/IR/HIVMDialect.h.inc"
#include "attn/Dialect/HIVM/IR/HIVMEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/HIVM/IR/HACCAttributes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "attn/Dialect/HIVM/IR/HIVMAttributes.h.inc"

#define GET_OP_CLASSES
#include "attn/Dialect/HIVM/IR/HIVMOps.h.inc"

namespace attn::hivm {
/// The flag by which all vector cores meet.
constexpr int16_t meetingFlag = 9;
} // namespace attn::hivm

#endif // ATTN_DIALECT_HIVM_IR_HIVM_H
