// Where every buffer of a kernel lies in its memory, and an independent check of that.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYPLAN_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYPLAN_H

#include "attn/Dialect/Ascend/Analysis/BufferLiveness.h"
#include "attn/Machine/Chip.h"

namespace attn::ascend {

class MemoryPlan {
public:
  /// Plans all buffers of the kernel, each memory on its own. Fails with an error at the kernel
  /// that names every buffer alive at the fullest place of a memory.
  static mlir::FailureOr<MemoryPlan> make(mlir::func::FuncOp kernel, const Chip &chip);

  /// Whether `make` would find a place for all buffers.
  static bool hasRoom(mlir::func::FuncOp kernel, const Chip &chip);

  /// Checks the plan by walking the kernel in program order and keeping, for every byte, the buffer
  /// that wrote there last: a buffer that is read must still own all its bytes. Also checks bounds,
  /// alignment, and that buffers with slots share nothing inside their loop.
  mlir::LogicalResult verify(mlir::func::FuncOp kernel, const Chip &chip) const;

  int64_t getAddress(AllocOp buffer) const { return addresses.lookup(buffer); }
  /// One past the highest byte of a memory in use.
  int64_t getByteSize(LocalMemory memory) const { return bytes[static_cast<size_t>(memory)]; }
  /// Whether a memory is planned as was counted, since nothing better was found.
  bool isAsCounted(LocalMemory memory) const { return asCounted[static_cast<size_t>(memory)]; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> addresses;
  std::array<int64_t, localMemoryCount> bytes = {};
  std::array<bool, localMemoryCount> asCounted = {};
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_MEMORYPLAN_H
