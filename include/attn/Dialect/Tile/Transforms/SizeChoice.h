// Sizes, stages and strips of a kernel as chosen, and how they are applied to it.
#ifndef ATTN_DIALECT_TILE_TRANSFORMS_SIZECHOICE_H
#define ATTN_DIALECT_TILE_TRANSFORMS_SIZECHOICE_H

#include "attn/Dialect/Tile/IR/Tile.h"

namespace attn::tile {

/// The size of a symbol.
struct BoundSize {
  mlir::StringAttr symbol;
  int64_t size;
};

/// How the cores of a group share a kernel that needs cores of both kinds; see `#tile.group`.
struct GroupChoice {
  int64_t preload = 0;
  int64_t lag = 0;
  int64_t slots = 0;
  int64_t stripRows = 0;
  int64_t part = 0;
  bool runOn = false;
};

/// The choice that an attribute says, and back.
GroupChoice getGroupChoice(GroupAttr group);
GroupAttr getGroup(mlir::MLIRContext *context, const GroupChoice &choice);

/// What is chosen for a kernel that has neither bands nor softmax states.
struct SizeChoice {
  llvm::SmallVector<BoundSize> sizes;
  int64_t gridStages = 1;
  /// Loops have the stages that their author asked for, but not more than these.
  int64_t maxRangeStages = 8;
  /// Columns of a strip; 0 where rows are computed whole.
  int64_t stripColumns = 0;
  /// Which of the candidates of the `StripPlan` are kept whole.
  llvm::SmallVector<bool> keep;
  /// For kernels that need cube and vector cores.
  std::optional<GroupChoice> group;
  /// Rows of tiles in a band; 0 where blocks have contiguous shares. Tiles are ordered when grids
  /// are clamped, before sizes are applied.
  int64_t order = 0;
};

/// The part of a kernel's `tile.choice` that is about sizes, and the whole of it from its parts;
/// forms that the kernel has no use for are null.
SizeChoice getSizeChoice(ChoiceAttr choice);
ChoiceAttr getChoice(mlir::MLIRContext *context, mlir::StringAttr band, mlir::StringAttr softmax,
                     const SizeChoice &sizes);

/// A dimension, or a type, with the sizes of its symbols.
mlir::Attribute bindDim(mlir::Attribute dim, llvm::ArrayRef<BoundSize> sizes);
TileType bindType(TileType type, llvm::ArrayRef<BoundSize> sizes);
SpanType bindType(SpanType type, llvm::ArrayRef<BoundSize> sizes);

/// Replaces the symbols of a function by numbers.
void bindSizes(mlir::func::FuncOp function, llvm::ArrayRef<BoundSize> sizes);

/// The most columns of any tile that are a number: the rows that strips are cut from.
int64_t getRowWidth(mlir::func::FuncOp kernel);

/// Binds the sizes of a kernel, noting them for the caller, limits its stages and cuts its rows
/// into strips. False, with the kernel half-way, where it cannot be computed in such strips.
bool applySizes(mlir::func::FuncOp kernel, const SizeChoice &choice);

} // namespace attn::tile

#endif // ATTN_DIALECT_TILE_TRANSFORMS_SIZECHOICE_H
