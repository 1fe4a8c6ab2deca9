// Sizes of elements, data blocks and repeats, as the rules and the accesses of instructions count
// them.
#ifndef ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H
#define ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H

#include "attn/Machine/Architecture.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/MathExtras.h"

namespace attn::ascend {

using architecture::blockBytes;
using architecture::blocksPerRepeat;
using architecture::getLanes;

inline mlir::Type getElementType(mlir::Value memory) {
  return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType();
}

inline int64_t getElementBytes(mlir::MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

inline int64_t getElementBytes(mlir::Value memory) {
  return getElementBytes(mlir::cast<mlir::MemRefType>(memory.getType()));
}

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H
