// Sizes of elements, blocks and repeats, as the rules and the accesses of instructions count them.
#ifndef ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H
#define ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H

#include "attn/Machine/VectorUnit.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/MathExtras.h"

namespace attn::ascend {

constexpr int64_t blockBytes = vectorBlockBytes;
constexpr int64_t blocksPerRepeat = vectorBlocksPerRepeat;

inline mlir::Type getElementType(mlir::Value memory) {
  return mlir::cast<mlir::MemRefType>(memory.getType()).getElementType();
}

inline int64_t getElementBytes(mlir::MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

inline int64_t getElementBytes(mlir::Value memory) {
  return getElementBytes(mlir::cast<mlir::MemRefType>(memory.getType()));
}

/// Elements of that size in one repeat.
inline int64_t getLanes(int64_t elementBytes) {
  return blocksPerRepeat * blockBytes / elementBytes;
}

} // namespace attn::ascend

#endif // ATTN_LIB_DIALECT_ASCEND_IR_ELEMENTSIZES_H
