// What all traces of a kernel share: the accesses of its instructions and the bounds of its loops.
#ifndef ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H
#define ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H

#include "attn/Dialect/Ascend/IR/Ascend.h"

namespace attn::ascend {

/// What a transfer touches of an array, as far as that does not change while the kernel runs.
struct GlobalFacts {
  mlir::Value memory;
  mlir::Value array;
  bool isWrite = false;
  bool isScratch = false;
  mlir::Value rows = {}, length = {};
  /// The dimension that the rows run along and how many of its numbers they are apart (none: one);
  /// no dimension where it is not known.
  std::optional<int64_t> rowDimension = {};
  mlir::Value rowStep = {};
};

/// How much a load or fill writes: a number of elements or rows, each of so many bytes.
struct WrittenSize {
  mlir::Value amount;
  int64_t unitBytes;
};

struct InstructionFacts {
  Pipe pipe;
  llvm::SmallVector<Access, 4> accesses; // of UB
  std::optional<WrittenSize> written;
  std::optional<GlobalFacts> global;
};

/// What an index always is between.
struct IndexBounds {
  std::optional<int64_t> low, high;
};

struct KernelFacts {
  explicit KernelFacts(mlir::func::FuncOp kernel);
  /// The bounds of an index, looked for once.
  const IndexBounds &getBounds(mlir::Value index);
  void add(InstructionOpInterface instruction);
  void addGlobal(InstructionFacts &facts, mlir::Value memory, bool isWrite, mlir::Value rows,
                 mlir::Value length, mlir::Value pitch);

  mlir::func::FuncOp kernel;
  /// Instructions, loops and conditions, numbered.
  llvm::DenseMap<mlir::Operation *, int32_t> numbers;
  llvm::DenseMap<mlir::Operation *, InstructionFacts> instructions;
  llvm::DenseMap<mlir::Operation *, std::optional<int64_t>> tripLimits;
  /// The views of buffers that each trip of a loop takes at another place.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> movingViews;
  llvm::DenseSet<mlir::Value> slotIndices;
  llvm::DenseSet<mlir::Value> writtenArrays;
  llvm::DenseMap<mlir::Value, IndexBounds> bounds;
  /// Indices that rows are apart by: transfers step forward, so they are positive.
  llvm::DenseSet<mlir::Value> rowSteps;
};

} // namespace attn::ascend

#endif // ATTN_DIALECT_ASCEND_ANALYSIS_KERNELFACTS_H
