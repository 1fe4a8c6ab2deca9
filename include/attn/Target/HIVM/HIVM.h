// The vendor's dialects `hivm` and `hacc`, as far as kernels are written in them.
#ifndef ATTN_TARGET_HIVM_HIVM_H
#define ATTN_TARGET_HIVM_HIVM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "attn/Target/HIVM/HACCDialect.h.inc"
#include "attn/Target/HIVM/HACCEnums.h.inc"
#include "attn/Target/HIVM/HIVMDialect.h.inc"
#include "attn/Target/HIVM/HIVMEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Target/HIVM/HACCAttributes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "attn/Target/HIVM/HIVMAttributes.h.inc"

#define GET_OP_CLASSES
#include "attn/Target/HIVM/HIVMOps.h.inc"

namespace attn::hivm {
/// The flag by which all vector cores meet.
constexpr int16_t meetingFlag = 9;
} // namespace attn::hivm

#endif // ATTN_TARGET_HIVM_HIVM_H
