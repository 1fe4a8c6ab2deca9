// How bands are rewritten into tiles: their operations and arithmetic in BandForms.cpp, the rows of
// each tap in BandTaps.cpp.
#ifndef ATTN_LIB_DIALECT_TILE_TRANSFORMS_BANDREWRITER_H
#define ATTN_LIB_DIALECT_TILE_TRANSFORMS_BANDREWRITER_H

#include "attn/Dialect/Tile/Transforms/BandForms.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::tile {

/// Taps that one trip of a loop takes on the host.
constexpr int64_t fewestTapsOfGroup = 4, mostTapsOfGroup = 8;

inline TileType getTileType(mlir::Value value) { return mlir::cast<TileType>(value.getType()); }

TileType transpose(TileType type);

/// A window that is loaded, and the casts that lead from the load to it.
struct LoadedWindow {
  LoadOp load;
  MakeSpanOp span;
  /// The number of the load's operand that is the span.
  unsigned operand;
  llvm::SmallVector<CastOp, 1> casts;
};

class BandRewriter {
public:
  BandRewriter(mlir::func::FuncOp kernel, BandForm form, bool isHost)
      : kernel(kernel), form(form), isHost(isHost), isStraight(hasFewTaps()),
        builder(kernel.getLoc(), kernel.getContext()) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult rewrite(mlir::Operation *op);
  void rewriteDot(BandDotOp op);
  mlir::LogicalResult rewriteMix(BandMixOp op);
  mlir::LogicalResult rewriteSpread(BandSpreadOp op);
  void rewriteMask(BandMaskOp op);
  mlir::LogicalResult rewriteElementwise(mlir::Operation *op);
  mlir::LogicalResult rewriteReduce(ReduceOp op);
  bool isComputedFromRows(mlir::Operation *op);
  void rewriteRows(mlir::Operation *op);
  mlir::LogicalResult checkWeights(mlir::Operation *op, mlir::Value weights);

  mlir::Value index(int64_t number) {
    return mlir::arith::ConstantIndexOp::create(builder, number);
  }
  mlir::Value makeZeros(TileType type) {
    mlir::Value zero = mlir::arith::ConstantOp::create(builder, builder.getF32FloatAttr(0));
    return SplatOp::create(builder, type, zero);
  }
  /// A row as a column, and the other way round.
  mlir::Value turn(mlir::Value tile);
  /// What stands for `operand` beside bands.
  mlir::Value getBeside(mlir::Value operand);
  /// A tile of rows by taps that is not a band but computed from rows, columns and numbers, as one
  /// of taps by rows; null where it is neither.
  mlir::Value getTransposed(mlir::Value tile);
  /// Whether the taps of every band are straight code, with numbers for offsets and no loop to wait
  /// for.
  bool hasFewTaps();
  bool isLoop(int64_t taps) const { return !isStraight && taps > mostTapsOfGroup; }
  using BuildTap = llvm::function_ref<mlir::Value(mlir::Value tap, mlir::Value value)>;
  /// What `build` makes of `value` for one tap after the other, from `first` up to `taps`. Many
  /// taps are a loop.
  mlir::Value forEachTap(int64_t first, int64_t taps, mlir::Value value, BuildTap build);
  /// A loop that carries `value` through `build`.
  mlir::Value makeLoop(int64_t begin, int64_t end, mlir::Value value, BuildTap build);
  /// The weights of `tap` for each row, as a column.
  mlir::Value getTapWeights(mlir::Value weights, mlir::Value tap);
  /// The rows of the window that belong to `tap`.
  mlir::Value getTapRows(mlir::Value window, TileType type, mlir::Value tap);
  mlir::Value loadTapRows(const LoadedWindow &window, TileType type, mlir::Value tap);

  /// A band with one tap is a column already.
  static bool isBand(TileType type) { return type.getCols() != getDim(type.getContext(), 1); }
  static int64_t getTaps(TileType band) {
    return mlir::cast<mlir::IntegerAttr>(band.getCols()).getInt();
  }

  void replace(mlir::Operation *op, mlir::Value with) {
    op->getResult(0).replaceAllUsesWith(with);
    replaced.push_back(op);
  }
  /// Lets a row stand for the column that `op` gives.
  void replaceByRow(mlir::Operation *op, mlir::Value row) {
    mlir::Value column = turn(row);
    rows[column] = row;
    replace(op, column);
  }
  /// Lets `with`, taps by rows, stand for the band that `op` gives.
  void setBand(mlir::Operation *op, mlir::Value with) {
    bands[op->getResult(0)] = with;
    replaced.push_back(op);
  }

  mlir::func::FuncOp kernel;
  BandForm form;
  bool isHost;
  bool isStraight;
  mlir::ImplicitLocOpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> bands; // from rows by taps to taps by rows
  llvm::DenseMap<mlir::Value, mlir::Value> rows;  // columns that were made from a row, and that row
  llvm::DenseMap<mlir::Value, mlir::Value>
      transposes; // tiles that are not bands, and their transposes
  llvm::SmallVector<mlir::Operation *> transposedOps; // what defines them, in order
  llvm::SmallVector<mlir::Operation *> replaced;      // in order
  llvm::SmallVector<RangeOp> tapLoops;                // in order
};

} // namespace attn::tile

#endif // ATTN_LIB_DIALECT_TILE_TRANSFORMS_BANDREWRITER_H
