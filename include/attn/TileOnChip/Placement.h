// Which kind of core works on every tile of a kernel, and in which memory and layout it lies there.
#ifndef ATTN_TILEONCHIP_PLACEMENT_H
#define ATTN_TILEONCHIP_PLACEMENT_H

#include "attn/TileOnChip/ChipModel.h"
#include "attn/TileOnChip/SumsOutput.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace attn::onchip {

/// How a tile lies in the memory of a cube core.
enum class CubeLayout {
  Fractals, // column blocks of whole fractals (NZ)
  Row,      // a single row, one element after the other
};

/// The place of a tile of a cube core. Rows and columns are what it has room for, in whole
/// fractals.
struct CubePlace {
  LocalMemory memory;
  CubeLayout layout;
  int64_t rows;
  int64_t cols;
  int64_t elements;
  /// Rows from one column block to the next: those of the whole tile where this is a part of one.
  int64_t pitch;
};

/// Rows and columns of fractals come in multiples of this, whichever way round they are loaded: the
/// rows of a fractal or the columns, whatever is more.
int64_t getFractalUnit(mlir::Type elementType);

/// Products are computed by cube cores, everything else by vector cores. For every tile of a kernel
/// with products, or of the half of one that cube cores run:
/// - what is loaded as an operand lies in L1, in fractals, and a row that sums start from in L1 as
/// a row; columns or rows of it that are an operand lie inside it;
/// - sums lie in L0C: results of products, and the tiles of loops that carry them;
/// - the zeros and the broadcast row that sums start from are not written anywhere: the first
/// product does not add to what was there. The row goes from L1 to the bias table, where products
/// are not kept whole and do that themselves;
/// - a cast or a maximum with zero of sums happens on their way out, to an array or to L1, where
/// they are the operand of another product; so does a multiplication by a number, where they become
/// a type that the way out has a scale for.
///
/// Anything else needs vector cores, and is for the other half.
class Placement {
public:
  /// Of a bound kernel. Reports at its place what cube cores cannot do.
  static mlir::FailureOr<Placement> create(mlir::func::FuncOp kernel, const ChipModel &model);

  /// Whether cube cores run `op`.
  bool isOnCube(mlir::Operation *op) const { return cubeOps.contains(op); }
  /// The place of a tile that lies in the memory of a cube core.
  std::optional<CubePlace> getPlace(mlir::Value tile) const;
  /// Whether a tile is sums of products, in L0C.
  bool isSums(mlir::Value tile) const;
  /// Whether a tile is only what sums start from.
  bool isStart(mlir::Value tile) const { return starts.contains(tile); }
  /// Whether a tile only exists on the way of sums out of L0C.
  bool isOnTheWay(mlir::Value tile) const {
    return outputs.contains(tile) && !places.contains(tile);
  }
  /// Whether a tile is a row repeated that products take from where the row lies.
  bool isRepeatedRow(mlir::Value tile) const {
    return isStart(tile) && !places.contains(tile) && tile.getDefiningOp<tile::BroadcastOp>();
  }
  /// How a tile that is made of sums on their way out comes about; sums themselves go out as they
  /// are.
  SumsOutput getOutput(mlir::Value tile) const;

private:
  friend class Placer;

  llvm::DenseSet<mlir::Operation *> cubeOps;
  llvm::DenseMap<mlir::Value, CubePlace> places;
  llvm::DenseSet<mlir::Value> starts;
  llvm::DenseMap<mlir::Value, SumsOutput> outputs;
};

} // namespace attn::onchip

#endif // ATTN_TILEONCHIP_PLACEMENT_H
