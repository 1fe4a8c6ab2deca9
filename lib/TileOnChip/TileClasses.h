// Which tiles of a kernel share memory: the decisions that `BufferAssignment` turns into buffers.
#ifndef ATTN_LIB_TILEONCHIP_TILECLASSES_H
#define ATTN_LIB_TILEONCHIP_TILECLASSES_H

#include "TileLiveness.h"
#include "llvm/ADT/IntervalMap.h"

namespace attn::onchip {

/// Tiles that share memory: no two of them are alive at the same time.
struct TileClass {
  /// A set of intervals: whatever lies in it is true.
  using Intervals = llvm::IntervalMap<int64_t, bool>;

  LocalMemory memory;
  mlir::Type elementType;
  int64_t elements;
  Intervals occupied;
  llvm::SmallVector<mlir::Value> members = {};
  /// The number of the insertion whose part the class lies in; none for a buffer of its own.
  std::optional<size_t> insertion = std::nullopt;

  /// How many intervals were put together: the lives of its tiles, and what a part leaves free on
  /// either side.
  size_t getIntervalCount() const { return members.size() + (insertion ? 2 : 0); }
};

class TileClasses {
public:
  TileClasses(mlir::func::FuncOp kernel, const TileLiveness &liveness);

  /// All tiles, in the order in which they are written.
  llvm::ArrayRef<mlir::Value> getValues() const { return values; }
  /// The class of a tile; none where it is not written anywhere, or is a view of another.
  std::optional<size_t> getClass(mlir::Value value) const;
  const TileClass &operator[](size_t index) const { return classes[index]; }
  /// When a tile that has a class lives.
  Life getLife(mlir::Value value) const { return lives.lookup(value); }

  /// The insertions whose part is computed in place.
  llvm::ArrayRef<tile::InsertOp> getInsertions() const { return insertions; }
  /// Whether the part of `insert` is computed in place.
  bool isInPlace(tile::InsertOp insert) const;
  /// Whether `extract` takes the part that `insert` replaces, at the same place.
  bool isSamePart(tile::ExtractOp extract, tile::InsertOp insert) const;

private:
  void add(mlir::Value value);
  size_t find(size_t index) const;
  bool merge(size_t first, size_t second);
  bool merge(mlir::Value first, mlir::Value second);

  void placeCarried(tile::RangeOp range);
  void placePart(tile::InsertOp insert);
  int64_t getPartFree(tile::InsertOp insert) const;
  void placeInPlace(mlir::Operation *op);

  const TileLiveness &liveness;
  TileClass::Intervals::Allocator allocator;
  std::vector<TileClass> classes;
  mutable llvm::SmallVector<size_t> parents;
  llvm::DenseMap<mlir::Value, size_t> classOf;
  llvm::DenseMap<mlir::Value, Life> lives;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<tile::InsertOp> insertions;
};

} // namespace attn::onchip

#endif // ATTN_LIB_TILEONCHIP_TILECLASSES_H
