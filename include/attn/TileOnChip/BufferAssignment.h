// Which buffer of a core's local memory every tile of a kernel lives in, and for how long.
#ifndef ATTN_TILEONCHIP_BUFFERASSIGNMENT_H
#define ATTN_TILEONCHIP_BUFFERASSIGNMENT_H

#include "attn/TileOnChip/OnChipOpInterface.h"
#include "attn/TileOnChip/Placement.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace attn::onchip {

/// A buffer in local memory. It is alive from the op at position `begin` to the op at position
/// `end`, both included; positions count the ops of the kernel in the order in which they are
/// written.
struct TileBuffer {
  std::string name;
  LocalMemory memory;
  mlir::Type elementType;
  int64_t elements;
  /// Copies of it that are in use at once, so that transfers of one iteration overlap with the
  /// arithmetic of another.
  int64_t slots;
  mlir::Location loc;
  int64_t begin;
  int64_t end;

  /// Bytes of all slots.
  int64_t getBytes() const {
    return slots * elements * static_cast<int64_t>(elementType.getIntOrFloatBitWidth() / 8);
  }
};

/// What buffers take of one memory.
struct MemoryUse {
  LocalMemory memory;
  int64_t bytes;
};

/// Decides the buffer of every tile value of a bound kernel without softmax states, before or after
/// `tile-clamp-grid`. `convert-tile-to-ascend` follows it exactly, so that `tile-fit-tiles` counts
/// what is used. A tile has a buffer of its own, except that
/// - an elementwise result takes the place of an operand of the same size that is not used any
/// more;
/// - a tile carried by a loop is one buffer: initial value, argument, yielded value and result;
/// - a part of a tile is worked on inside the whole where it is one run of elements;
/// - a splat that is only used as a scalar, or to fill another buffer, has none;
/// - a product that is added in place to another tile, or summed along short rows, is never
/// written.
class BufferAssignment {
public:
  /// Reports what it cannot assign at its place.
  static mlir::FailureOr<BufferAssignment> create(mlir::func::FuncOp kernel,
                                                  const ChipModel &model);

  llvm::ArrayRef<TileBuffer> getBuffers() const { return buffers; }
  /// Which tiles lie in the memories of cube cores.
  const Placement &getPlacement() const { return placement; }

  /// Where a value lives: in a buffer as a whole, in the part of a tile that `insert` will replace,
  /// or (as the result of `tile.extract`) in the part of the tile it is taken from, or (as sums on
  /// their way out of L0C) where those lie. None of these: it is not written anywhere.
  struct Place {
    enum Kind { None, Buffer, Part, View } kind = None;
    /// The buffer's number, or the number of the insertion.
    size_t index = 0;
    bool operator==(const Place &other) const { return kind == other.kind && index == other.index; }
    bool operator!=(const Place &other) const { return !(*this == other); }
  };
  Place getPlace(mlir::Value value) const { return places.lookup(value); }

  /// The insertion whose part is computed in place.
  tile::InsertOp getInsertion(size_t index) const { return insertions[index]; }
  /// The insertions whose part is first written inside this op or its regions.
  llvm::ArrayRef<size_t> getInsertionsFrom(mlir::Operation *op) const;

  /// The buffer that a value lies in, be it as a part; none where it is not written anywhere.
  std::optional<size_t> getBuffer(mlir::Value value) const;

  /// The number of the buffer that `op` was given as this scratch: what is lowered takes only what
  /// was counted. `number` tells several of one name apart.
  size_t getScratch(mlir::Operation *op, Scratch scratch, unsigned number = 0) const;

  /// The carried tiles, by their number among the carried values, whose initial value (for a loop)
  /// or next value (for its yield) lies where another one is copied to: they are copied aside
  /// first.
  llvm::SmallVector<unsigned> getSetAside(mlir::Operation *op) const;

  /// The product that an addition or a sum along rows absorbs, or null.
  tile::MulOp getFusedProduct(mlir::Operation *op) const { return fusedProducts.lookup(op); }

  /// Where the buffers lie, each in its memory, when they are packed by their lifetimes.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }
  /// The bytes that they take then, of every memory that has some.
  llvm::ArrayRef<MemoryUse> getMemoryUse() const { return memoryUse; }
  int64_t getBytes(LocalMemory memory) const;
  /// Whether every memory of `chip` has that many.
  bool fits(const Chip &chip) const;

private:
  friend class BufferAssigner;

  struct NamedScratch {
    Scratch scratch;
    unsigned number;
    size_t buffer;
  };

  Placement placement;
  llvm::SmallVector<TileBuffer> buffers;
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<MemoryUse, 1> memoryUse;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::SmallVector<tile::InsertOp> insertions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<size_t, 1>> insertionsFrom;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<NamedScratch, 2>> scratch;
  llvm::DenseMap<mlir::Operation *, tile::MulOp> fusedProducts;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_BUFFERASSIGNMENT_H
