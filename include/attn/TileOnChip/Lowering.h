// The lowering of one kernel from tiles to instructions: what it knows about the kernel's tiles,
// spans and scalars. The families of ops write the instructions.
#ifndef ATTN_TILEONCHIP_LOWERING_H
#define ATTN_TILEONCHIP_LOWERING_H

#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/TileOnChip/BufferAssignment.h"
#include "attn/TileOnChip/ChipBuilder.h"
#include "attn/TileOnChip/ProductExtents.h"
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
  /// Where a list says which row of the array an index is: that list.
  tile::ListRowsOp list = {};
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
  /// 0 where a loop around has nothing to run over and runs only to start sums, else 1: how often
  /// what is stored there exists, and what is loaded by the index of such a loop. Null where all
  /// loops have something.
  mlir::Value existingStores, existingLoads;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// The memory of a tile; null where it is not written anywhere.
  mlir::Value getMemory(mlir::Value tile);
  /// A number for instructions that write different bytes, see `ascend::apartName`.
  int64_t makeGroup() { return groups++; }
  /// Says where a tile that is a view of another one lies.
  void setView(mlir::Value tile, mlir::Value memory) { views[tile] = memory; }
  /// The scratch that `op` was given under this name.
  mlir::Value getScratch(mlir::Operation *op, Scratch scratch, unsigned number = 0) {
    return buffers[assignment.getScratch(op, scratch, number)];
  }
  /// Where the tiles of cube cores lie.
  const Placement &getPlacement() const { return assignment.getPlacement(); }
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

  /// The spans that limit rows and columns of tiles.
  const tile::RowLimits &getRowLimits() const { return rowLimits; }
  /// How many of `size` rows or columns the spans that limit them have.
  mlir::Value getLimit(llvm::ArrayRef<mlir::Value> limits, int64_t size);

  /// How many rows or columns of sums are computed, of as many as there is room for.
  mlir::Value getExtent(mlir::Value sums, ProductExtents::Axis axis);
  /// As many of a limit as take part in products: whole fractals, and at least one. Written where
  /// the limit is.
  mlir::Value getWholeFractals(mlir::Value limit, mlir::Type elementType);

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
  ProductExtents extents;
  mlir::func::FuncOp function;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> strides;
  int64_t groups = 0;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> parts;
  llvm::DenseMap<mlir::Value, mlir::Value> views;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> wholeFractals;
  /// Valid rows of tiles that may have fewer than their type says.
  llvm::DenseMap<mlir::Value, mlir::Value> validRows;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_LOWERING_H
