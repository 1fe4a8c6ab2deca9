// Which kind of core runs every op of a kernel with products, and which tiles go from one kind to
// the other.
#ifndef ATTN_TILEONCHIP_COREASSIGNMENT_H
#define ATTN_TILEONCHIP_COREASSIGNMENT_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "attn/Machine/Cores.h"
#include "attn/TileOnChip/SumsOutput.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace attn::onchip {

inline bool isTile(mlir::Value value) { return mlir::isa<tile::TileType>(value.getType()); }

/// A tile that one kind of core makes and the other takes.
struct Crossing {
  mlir::Value tile;
  CoreKind to;
};

/// Cube cores run products, take sums out of L0C to where they are stored or multiplied again, and
/// carry sums through loops. Vector cores run everything else that computes with tiles, and move
/// what cube cores cannot (rows by lists, single columns). What has no tiles for operands (other
/// loads, constants, indices) runs wherever it is needed.
///
/// For kernels without grids, bands and softmax states.
class CoreAssignment {
public:
  explicit CoreAssignment(mlir::func::FuncOp kernel);

  /// The kind of core that runs `op`; none where each that needs it does.
  std::optional<CoreKind> getCore(mlir::Operation *op) const;
  /// The kind of core that has a tile; none where each can make it.
  std::optional<CoreKind> getCore(mlir::Value tile) const;

  /// Whether the kernel needs cores of both kinds.
  bool usesBoth() const { return hasProducts && hasVectorWork; }

  /// Whether what a product adds to is something that cube cores have: zeros, a row that was
  /// loaded, or other sums. Anything else must be added by vector cores afterwards.
  bool isStart(mlir::Value accumulator) const;

  /// The tiles that cross, in the order in which they are made.
  llvm::SmallVector<Crossing> getCrossings() const;

private:
  /// A tile that a loop carries, by its position.
  using Carried = std::pair<mlir::Operation *, unsigned>;

  void findCarriedSums();
  bool staysSums(tile::RangeOp range, unsigned position) const;
  bool isCarriedSums(mlir::Value value) const;
  void findOutputs(mlir::Value tile, const SumsOutput &output);

  mlir::func::FuncOp kernel;
  llvm::DenseSet<Carried> carriedSums;
  /// Conversions of sums on their way out.
  llvm::DenseSet<mlir::Operation *> outputs;
  bool hasProducts = false;
  bool hasVectorWork = false;
};

/// Whether some columns of a tile that was loaded are multiplied and nothing else: in L1 they are
/// fractals of that tile that follow each other, so that products take them from there.
bool isOperandPart(tile::ExtractOp extract);

/// The same for rows. What is missing of the tile are zeros in all of its parts, so that only who
/// knows how many rows count may cut a tile this way: `cutProducts`.
bool isOperandRows(tile::ExtractOp extract);

/// The number of the carried value that an operand of a loop, or of its yield, becomes; none for
/// other operands.
std::optional<std::pair<tile::RangeOp, unsigned>> getCarriedPosition(mlir::OpOperand &use);

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_COREASSIGNMENT_H
