// The lowering of one kernel from tiles to instructions: what it knows about the kernel's tiles,
// spans and scalars. The families of ops write the instructions.
#ifndef ATTN_TILEONCHIP_LOWERING_H
#define ATTN_TILEONCHIP_LOWERING_H

#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "attn/TileOnChip/ChipBuilder.h"
#include "mlir/IR/IRMapping.h"

namespace attn::onchip {

/// The rows `missing` to `end` of a span exist, the first one at index `base + missing`.
struct SpanBounds {
  mlir::Value base;
  mlir::Value end;
  /// Null where no row lacks at the start.
  mlir::Value missing = {};
  /// Where rows are mapped: index i is row `offset + step * i` of the array.
  mlir::Value offset = {};
  mlir::Value step = {};
};

/// Every op is lowered on its own, from its shapes and the buffer assignment.
class Lowering : public ChipBuilder {
public:
  /// `body` is the empty entry block of the new function, with its arguments.
  Lowering(const ChipModel &model, const BufferAssignment &assignment,
           const tile::RowLimits &rowLimits, mlir::Block *body, mlir::func::FuncOp function);

  /// Lowers the body of the function.
  mlir::LogicalResult lower();

  /// Lowers the ops of `block` to where the builder stands.
  mlir::LogicalResult lowerBlock(mlir::Block &block);

  const ChipModel &model;
  const BufferAssignment &assignment;
  /// Arguments and scalars of the tile function to those of the lowered one.
  mlir::IRMapping scalars;
  /// Spans of the tile function.
  llvm::DenseMap<mlir::Value, SpanBounds> spans;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// The memory of a tile; null where it is not written anywhere.
  mlir::Value getMemory(mlir::Value tile);
  /// Says where a tile that is a view of another one lies.
  void setView(mlir::Value tile, mlir::Value memory) { views[tile] = memory; }
  /// The scratch that `op` was given under this name.
  mlir::Value getScratch(mlir::Operation *op, Scratch scratch, unsigned number = 0) {
    return buffers[assignment.getScratch(op, scratch, number)];
  }
  /// The stride of an argument, read once.
  mlir::Value getStride(mlir::Value array, int64_t dimension);
  /// The memory of the part at `row` and `col` of a tile that lies in `memory`.
  mlir::Value getPart(mlir::Value memory, tile::TileType whole, mlir::Value row, mlir::Value col);
  /// Writes the tile `source`, which lies in `memory`, to `dst`; memory of its own where it is
  /// null. Of a column, `rows` may say how many.
  void copyTile(mlir::Value dst, mlir::Value source, mlir::Value memory = {},
                mlir::Value rows = {});

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  /// Counts the valid rows of a tile, once it is defined.
  void limitRows(mlir::Value tile);
  /// Whether a tile may have fewer valid rows than its type says, and then how many; else null.
  mlir::Value getLimit(mlir::Value tile) const { return validRows.lookup(tile); }
  /// Whether at least one row of a tile is valid in every run.
  bool hasRows(mlir::Value tile) const { return rowLimits.hasRows(tile); }
  /// How many rows of a tile are valid.
  mlir::Value getValidRows(mlir::Value tile);
  /// How many rows of a tile are computed with: the valid ones, or all where composites are kept.
  mlir::Value getRows(mlir::Value tile);
  /// How many elements those rows take, padding between rows included.
  mlir::Value getCount(mlir::Value tile);

private:
  void makeBuffers();
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::Value getPartMemory(size_t insertion);

  const tile::RowLimits &rowLimits;
  mlir::func::FuncOp function;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> strides;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> parts;
  llvm::DenseMap<mlir::Value, mlir::Value> views;
  /// Valid rows of tiles that may have fewer than their type says.
  llvm::DenseMap<mlir::Value, mlir::Value> validRows;
};

/// The type of a tile value.
inline tile::TileType getTileType(mlir::Value value) {
  return llvm::cast<tile::TileType>(value.getType());
}

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_LOWERING_H
