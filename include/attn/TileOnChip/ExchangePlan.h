// How the cores of a group exchange tiles: in which order each kind of core works on the body of a
// loop, how many slots each tile has in memory, and which flags say that a slot is full or free.
#ifndef ATTN_TILEONCHIP_EXCHANGEPLAN_H
#define ATTN_TILEONCHIP_EXCHANGEPLAN_H

#include "attn/Dialect/Tile/Transforms/SizeChoice.h"
#include "attn/TileOnChip/CoreAssignment.h"

namespace attn::onchip {

/// On each of several loops of one block that exchange tiles: the pipes of a core come to rest
/// before it begins, whichever of the loops run at all.
constexpr llvm::StringLiteral settledName = "tile.settled";

/// A block of a kernel in which tiles cross.
struct ExchangeBlock {
  mlir::Block *block = nullptr;
  /// The innermost loop around, or null.
  tile::RangeOp loop;
  /// The level of each op of the block that computes with tiles, where no loop inside uses both
  /// kinds of cores; else empty, and the block is run in the order in which it is written. Ops of
  /// one level wait for nothing of the other kind of core but what came at lower levels; cube cores
  /// have even, vector cores odd levels.
  llvm::DenseMap<mlir::Operation *, int64_t> levels;
  int64_t preload = 0;
  int64_t lag = 0;
};

/// A tile on its way from one kind of core to the other.
struct Channel {
  mlir::Value tile;
  CoreKind to;
  /// The number of its block.
  size_t block;
  /// Slots in memory: iteration i uses slot i modulo this.
  int64_t slots = 1;
  /// Where the tile is made and where it is first taken, as positions: levels, or the order of ops.
  int64_t madeAt = 0;
  int64_t takenAt = 0;
  /// The op of the block before which it is taken.
  mlir::Operation *taker = nullptr;
  /// The flag that says that a slot is full.
  int64_t fullFlag = -1;
  /// The flag that says that a slot is free again; -1 where other channels say so.
  int64_t freeFlag = -1;
};

class ExchangePlan {
public:
  /// Plans the exchange of a kernel that needs cores of both kinds, and reports where that is not
  /// possible.
  static mlir::FailureOr<ExchangePlan> create(mlir::func::FuncOp kernel,
                                              const CoreAssignment &assignment,
                                              const tile::GroupChoice &choice);

  /// The blocks alone, which every kernel has: loops with a distance have one of 1.
  static llvm::SmallVector<ExchangeBlock> findBlocks(mlir::func::FuncOp kernel,
                                                     const CoreAssignment &assignment);

  llvm::ArrayRef<ExchangeBlock> getBlocks() const { return blocks; }
  llvm::ArrayRef<Channel> getChannels() const { return channels; }

private:
  friend class ExchangePlanner;

  llvm::SmallVector<ExchangeBlock> blocks;
  llvm::SmallVector<Channel> channels;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_EXCHANGEPLAN_H
