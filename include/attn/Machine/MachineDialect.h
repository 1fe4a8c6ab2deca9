// The `machine` dialect: the target attribute of a module.
#ifndef ATTN_MACHINE_MACHINEDIALECT_H
#define ATTN_MACHINE_MACHINEDIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "attn/Machine/MachineDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn/Machine/MachineAttributes.h.inc"

namespace attn::machine {
/// The attribute of a module that names its chip.
constexpr llvm::StringLiteral targetName = "machine.target";
} // namespace attn::machine

#endif // ATTN_MACHINE_MACHINEDIALECT_H
