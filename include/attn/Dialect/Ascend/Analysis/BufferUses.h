// Which instructions touch a buffer, in program order: the base of double buffering and liveness.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERUSES_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERUSES_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "llvm/ADT/MapVector.h"

namespace attn::ascend {

/// One instruction's touch of a buffer.
struct BufferUse {
  InstructionOpInterface instruction;
  bool reads = false;
  bool writes = false;
  /// The condition under which it does not read; null where it always may.
  mlir::Value unless = {};
};

/// The buffer that a memref is a view of, through slots and slices, or none.
AllocOp getBuffer(mlir::Value memory);

/// Whether two buffers have bytes in common. Without addresses, all of one memory have.
bool shareBytes(AllocOp a, AllocOp b);

/// The argument that a memref of GM comes from.
mlir::Value getArray(mlir::Value memory);

class BufferUses {
public:
  explicit BufferUses(mlir::func::FuncOp kernel);

  /// All buffers, in the order of their definitions.
  llvm::ArrayRef<AllocOp> getBuffers() const { return buffers; }
  llvm::ArrayRef<BufferUse> getUses(AllocOp buffer) const;

  /// The innermost loop that holds all uses of the buffer, or none.
  mlir::scf::ForOp getCommonLoop(AllocOp buffer) const;

  /// Whether the first touch in the common loop's body is certain to come and only writes: then no
  /// iteration needs what an earlier one left. Sums that a product starts are written.
  bool isWrittenFirst(AllocOp buffer) const;

  /// Whether instructions of different pipes touch the buffer: then one pipe may run ahead of the
  /// other, and what it fills is what the other still reads.
  bool isBetweenPipes(AllocOp buffer) const;

private:
  llvm::SmallVector<AllocOp> buffers;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<BufferUse, 4>> uses;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_BUFFERUSES_H
