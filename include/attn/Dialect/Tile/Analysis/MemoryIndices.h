// Which indices of a kernel depend on integers from memory, and so may be anything.
#ifndef ATTN_DIALECT_TILE_ANALYSIS_MEMORYINDICES_H
#define ATTN_DIALECT_TILE_ANALYSIS_MEMORYINDICES_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::tile {

/// The numbers and spans that are computed from a `tile.load_index` (or an argument), through
/// arithmetic, spans, the bounds of loops and what loops carry.
class MemoryIndices {
public:
  /// Where numbers come from: arguments are those of the call that are integers.
  enum class Sources { Memory, MemoryAndArguments };

  explicit MemoryIndices(mlir::func::FuncOp kernel, Sources sources = Sources::Memory);

  bool contains(mlir::Value value) const { return found.contains(value); }
  bool empty() const { return found.empty(); }

private:
  void add(mlir::Value value);
  void addUser(mlir::OpOperand &use);

  llvm::DenseSet<mlir::Value> found;
  llvm::SmallVector<mlir::Value> worklist;
};

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_ANALYSIS_MEMORYINDICES_H
