// The lowering of one function from tile to ascend: what the files of this conversion share.
#ifndef ATTN_LIB_CONVERSION_TILETOASCEND_LOWERING_H
#define ATTN_LIB_CONVERSION_TILETOASCEND_LOWERING_H

#include "attn/Dialect/Ascend/IR/Ascend.h"
#include "attn/Dialect/Tile/Analysis/BufferAssignment.h"
#include "attn/Dialect/Tile/Analysis/RowLimits.h"
#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/IRMapping.h"

namespace attn {

/// The type of a kernel's argument on the chip.
mlir::Type convertArgumentType(mlir::Type type);

/// Writes the ops of a tile function into the body of an ascend function. Every op is lowered on
/// its own, from its shapes and the buffer assignment.
class Lowering {
public:
  /// `body` is the empty entry block of the new function, with its arguments.
  Lowering(const tile::BufferAssignment &assignment, const tile::RowLimits &rowLimits,
           mlir::Block *body, mlir::func::FuncOp function);

  /// Lowers the body of the function.
  mlir::LogicalResult lower();

private:
  //===--------------------------------------------------------------------===//
  // Lowering.cpp: scalars, spans, loops, and where tiles lie
  //===--------------------------------------------------------------------===//

  /// The rows `missing` to `end` of a span exist, the first one at index `base + missing`.
  struct Span {
    mlir::Value base;
    mlir::Value end;
    /// Null where no row lacks at the start.
    mlir::Value missing = {};
    /// Where rows are mapped: index i stands at `offset + step * i` of the array.
    mlir::Value offset = {};
    mlir::Value step = {};
  };

  void makeBuffers();
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::LogicalResult lowerSpan(tile::MakeSpanOp op);
  mlir::LogicalResult lowerSize(tile::SizeOp op);
  mlir::LogicalResult lowerLoop(tile::RangeOp op);
  /// Brings the carried tiles into their buffers, before the loop or at its yield.
  mlir::LogicalResult handOn(mlir::Operation *op, tile::RangeOp range, mlir::ValueRange sources);

  mlir::Value constant(int64_t number);
  mlir::Value constant(float number);
  mlir::Value constant(const llvm::APFloat &number, mlir::FloatType type);
  mlir::Value scale(mlir::Value value, int64_t factor);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  /// min(size, value), at least `least`; 0 where that is null.
  mlir::Value clamp(mlir::Value value, int64_t size, mlir::Value least = {});
  mlir::Value slice(mlir::Value memory, mlir::Value offset);

  static tile::TileType getType(mlir::Value value) {
    return llvm::cast<tile::TileType>(value.getType());
  }
  /// The memory of a tile.
  mlir::Value getMemory(mlir::Value value);
  mlir::Value getPartMemory(size_t insertion);
  mlir::Value getScratch(mlir::Operation *op, size_t index);
  /// How many rows of a tile are valid.
  mlir::Value getValidRows(mlir::Value value);
  /// How many rows of a tile are computed with: the valid ones, or all where composites are kept.
  mlir::Value getRows(mlir::Value value);
  /// How many elements those rows take, padding between rows included.
  mlir::Value getCount(mlir::Value value);
  /// Counts the valid rows of a tile, once it is defined.
  void limitRows(mlir::Value tile);
  /// Calls `body(first, amount)` for `count` things, of which there are at most `bound`, `step` at
  /// a time.
  void forEachChunk(mlir::Value count, int64_t bound, int64_t step,
                    llvm::function_ref<void(mlir::Value first, mlir::Value amount)> body);

  //===--------------------------------------------------------------------===//
  // Transfers.cpp
  //===--------------------------------------------------------------------===//

  /// A tile's place in an array: that of its rows that exist.
  struct ArrayPlace {
    mlir::Value array;
    llvm::SmallVector<mlir::Value> indices;
    /// Elements from one row to the next.
    mlir::Value pitch;
    mlir::Value rows;
    /// The row of the tile that exists first, null for row 0, and the first behind those that do.
    mlir::Value firstRow = {};
    mlir::Value endRow;
    /// The dimension of `indices` that counts rows, or -1, and how far apart they are in it; null
    /// where they follow each other.
    int64_t rowDimension;
    mlir::Value step = {};
    /// Rows that one transfer moves at most.
    int64_t rowsPerTransfer;
  };

  ArrayPlace getArrayPlace(mlir::Value array, mlir::OperandRange indices,
                           llvm::ArrayRef<int64_t> kinds, const tile::Selection &selection,
                           tile::TileType type);
  mlir::Value getStride(mlir::Value array, int64_t dimension);
  /// The address `rowsOn` rows further.
  mlir::Value getAddress(const ArrayPlace &place, mlir::Value rowsOn);
  /// A buffer of rows at a pitch, from the tile's row of the place on that is `rowsOn` further.
  mlir::Value getRowMemory(const ArrayPlace &place, mlir::Value buffer, int64_t pitch,
                           mlir::Value rowsOn);
  /// Whether a load must fill the rows that are not in the array.
  bool mustFill(const ArrayPlace &place, tile::LoadOp op);
  /// Writes zeros to the rows of `buffer` that are not in the array.
  void fillMissing(tile::LoadOp op, const ArrayPlace &place, mlir::Value buffer, int64_t pitch);
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  void loadContiguousColumn(tile::LoadOp op, const ArrayPlace &place);
  /// Writes zeros to the last block of each row's padding, which the transfer leaves.
  void fillLastBlocks(tile::LoadOp op);
  mlir::LogicalResult loadStridedColumn(tile::LoadOp op, const ArrayPlace &place);
  void storeStridedColumn(tile::StoreOp op, const ArrayPlace &place);
  /// Gathers the first element of each `rowElements` of `blocks` into `column`, for `op`.
  void gatherColumn(mlir::Operation *op, mlir::Value column, mlir::Value blocks, mlir::Value rows,
                    int64_t bound, int64_t rowElements);
  /// Fills one block of `blocks` with each element of `column`, for `op`.
  void spreadColumn(mlir::Operation *op, mlir::Value blocks, mlir::Value column, mlir::Value rows,
                    int64_t bound);
  /// The same, each `rowElements`, by composites: all `rows`, of f32.
  void spreadWideColumn(mlir::Operation *op, mlir::Value blocks, mlir::Value column, int64_t rows,
                        int64_t rowElements);

  //===--------------------------------------------------------------------===//
  // Elementwise.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerUnary(mlir::Operation *op);
  mlir::LogicalResult lowerCast(tile::CastOp op);
  mlir::LogicalResult lowerBinary(mlir::Operation *op);
  mlir::LogicalResult lowerMulAdd(tile::AddOp op, tile::MulOp product);
  mlir::LogicalResult lowerScalarForm(mlir::Operation *op, tile::BinaryShape shape);
  mlir::LogicalResult lowerColumnForm(mlir::Operation *op, tile::BinaryShape shape);
  mlir::LogicalResult lowerRowForm(mlir::Operation *op, tile::BinaryShape shape, mlir::Value row);
  mlir::LogicalResult lowerOneForm(mlir::Operation *op, tile::BinaryShape shape);
  mlir::LogicalResult lowerOuterForm(mlir::Operation *op, tile::BinaryShape shape);

  void emitScalar(ascend::ScalarKind kind, mlir::Value dst, mlir::Value src, mlir::Value scalar,
                  mlir::Value count);
  void emitBinary(ascend::BinaryKind kind, mlir::Value dst, mlir::Value lhs, mlir::Value rhs,
                  mlir::Value count);
  void emitDuplicate(mlir::Value dst, mlir::Value scalar, mlir::Value count);

  //===--------------------------------------------------------------------===//
  // Reductions.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  void fillWhereEmpty(tile::ReduceOp op);
  void reduceProduct(tile::ReduceOp op, tile::MulOp product);
  void reduceColumn(tile::ReduceOp op);
  void reduceRows(tile::ReduceOp op);

  //===--------------------------------------------------------------------===//
  // Parts.cpp
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult lowerSplat(tile::SplatOp op);
  mlir::LogicalResult lowerExtract(tile::ExtractOp op);
  mlir::LogicalResult lowerInsert(tile::InsertOp op);
  void insertPart(tile::InsertOp op, mlir::Value dst);
  mlir::Value widen(mlir::Value column, mlir::Value wide, int64_t elements);
  void gatherNarrow(mlir::Operation *op, mlir::Value dst, mlir::Value wide, mlir::Value blocks,
                    int64_t elements);
  void extractThroughBlocks(tile::ExtractOp op, mlir::Value dst);
  void insertThroughBlocks(tile::InsertOp op, mlir::Value dst);
  mlir::LogicalResult lowerBandMask(tile::BandMaskOp op);
  mlir::Value getPartOffset(tile::TileType whole, mlir::Value row, mlir::Value col);
  void copyPart(mlir::Value dst, int64_t dstPitch, mlir::Value src, int64_t srcPitch,
                mlir::Value part);
  /// Writes the tile `source`, which lies in `memory`, to `dst`; memory of its own where it is
  /// null. Of a column, `rows` may say how many.
  void copyTile(mlir::Value dst, mlir::Value source, mlir::Value memory = {},
                mlir::Value rows = {});

  const tile::BufferAssignment &assignment;
  const tile::RowLimits &rowLimits;
  mlir::func::FuncOp function;
  /// Whether composites stay to the end.
  const bool keepsComposites;
  mlir::OpBuilder builder;
  /// Where constants and buffers go: the start of the function.
  mlir::OpBuilder entry;
  /// The location of the op being lowered.
  mlir::Location loc;

  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Span> spans;
  llvm::DenseMap<int64_t, mlir::Value> indexConstants;
  llvm::DenseMap<mlir::Attribute, mlir::Value> floatConstants;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> strides;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> parts;
  llvm::DenseMap<mlir::Value, mlir::Value> views;
  /// Valid rows of tiles that may have fewer than their type says.
  llvm::DenseMap<mlir::Value, mlir::Value> validRows;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOASCEND_LOWERING_H
