// Where in an array the rows and columns lie that a load or a store moves.
#ifndef ATTN_TILEONCHIP_FAMILIES_ARRAYPLACE_H
#define ATTN_TILEONCHIP_FAMILIES_ARRAYPLACE_H

#include "attn/Dialect/Tile/Analysis/Selection.h"
#include "attn/TileOnChip/Lowering.h"

namespace attn::onchip {

/// A tile's place in an array: that of its rows and columns that exist.
class ArrayPlace {
public:
  /// For a load or a store of a tile of `type`; `isRun` where its rows are one run of elements.
  template <typename Op>
  ArrayPlace(Lowering &lowering, Op op, tile::TileType type, bool isRun)
      : ArrayPlace(lowering, op.getArray(), op.getKinds(), op.getIndices(), type, isRun) {
    isBounded = op.getBounded();
    isStored = std::is_same_v<Op, tile::StoreOp>;
    if (isBounded)
      limitBlocks(type);
  }
  ArrayPlace(Lowering &lowering, mlir::Value array, llvm::ArrayRef<int64_t> kinds,
             mlir::OperandRange operands, tile::TileType type, bool isRun);

  /// The address `rowsOn` rows further, of `amount` rows that follow each other.
  mlir::Value getAddress(mlir::Value rowsOn, mlir::Value amount) const;
  /// A buffer of rows at a pitch, from the tile's row of the place on that is `rowsOn` further.
  mlir::Value getRowMemory(mlir::Value buffer, int64_t bufferPitch, mlir::Value rowsOn) const;
  /// Whether a list names the rows of one array one by one.
  bool isListed() const {
    tile::ListRowsOp in = list;
    return in && !in.getSize() && !isTableOfRows;
  }
  /// The row of the array that the list has `rowsOn` rows further. Where that is brought inside the
  /// array, the modelled chip is told, or is told elsewhere.
  mlir::Value getRow(mlir::Value rowsOn, bool isTold) const;
  /// The address of a row of the array.
  mlir::Value getAddressOf(mlir::Value row) const;
  /// Elements from one row of the array to the next.
  mlir::Value getArrayPitch() const { return lowering.getStride(array, selection.rowDimension); }
  /// Leaves out the rows from `end` on.
  void limit(mlir::Value end, tile::TileType type);

  /// Elements from one row to the next.
  mlir::Value pitch;
  mlir::Value rows;
  /// Null where all columns exist.
  mlir::Value cols;
  /// The row of the tile that exists first, null for row 0, and the first after those that do.
  mlir::Value firstRow;
  mlir::Value endRow;
  /// Rows that one transfer moves at most.
  int64_t rowsPerTransfer;

private:
  void addIndices(llvm::ArrayRef<int64_t> kinds, mlir::OperandRange operands);
  void limitBlocks(tile::TileType type);
  mlir::Value getListedRow(mlir::Value place, mlir::Value amount, bool isTold) const;
  mlir::Value makeAddress(llvm::SmallVector<mlir::Value> at) const;

  Lowering &lowering;
  mlir::Value tileArray, array;
  llvm::SmallVector<mlir::Value> indices;
  /// The dimensions of `indices` that count rows and columns, or -1, and how far apart rows are in
  /// theirs; null where they follow each other.
  tile::Selection selection;
  mlir::Value step;
  /// The list that says where rows lie, null where none does; whether what it says is brought
  /// inside the array, and whether rows are written, which then must be different ones.
  tile::ListRowsOp list;
  bool isBounded = false, isStored = false;
  /// Whether each row is an array of its own.
  bool isTableOfRows = false;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_FAMILIES_ARRAYPLACE_H
