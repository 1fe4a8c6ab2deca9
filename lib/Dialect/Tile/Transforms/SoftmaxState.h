// The arithmetic of softmax states on tiles, which all their forms share (tile stage).
#ifndef ATTN_LIB_DIALECT_TILE_TRANSFORMS_SOFTMAXSTATE_H
#define ATTN_LIB_DIALECT_TILE_TRANSFORMS_SOFTMAXSTATE_H

#include "attn/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::tile {

/// The lowest number that is a score. The one below it, the lowest of all, is what masks make of
/// scores that they exclude: beside this one it has no weight, not even where it is the largest.
constexpr float lowestScore = -0x1.fffffcp+127f;

/// What a state is made of. The accumulator is null where a form adds the values up later.
struct StateParts {
  mlir::Value maximum;
  mlir::Value sum;
  mlir::Value accumulator;
};

/// Makes the arithmetic of one state at the place of the op it replaces.
class StateBuilder : public mlir::ImplicitLocOpBuilder {
public:
  StateBuilder(mlir::Operation *op, mlir::Location stateLoc, SoftmaxStateType type);

  mlir::Value fill(float number, TileType type);

  /// Nothing pushed: the maximum is a number and not -inf, so that no difference is NaN.
  StateParts makeEmpty(bool withAccumulator);
  mlir::Value makeAccumulator() { return named("acc", fill(0, whole)); }

  /// The rows from `row` on of the parts of a larger state, as a state of this one's size.
  StateParts extract(StateParts all, mlir::Value row);
  /// The larger state with these rows replaced by `some`.
  StateParts insert(StateParts some, StateParts all, mlir::Value row);

  /// exp(a - b) of two columns.
  mlir::Value expDifference(mlir::Value a, mlir::Value b);

  /// The parts after scores, and values where there is an accumulator, have been pushed.
  StateParts push(StateParts old, mlir::Value scores, mlir::Value values);

  /// The parts after scores [m, k] have been pushed, with the accumulator rescaled and nothing
  /// added to it, and the weights of the scores. The sum is taken of the weights as they are.
  std::pair<StateParts, mlir::Value> weigh(StateParts old, mlir::Value scores);

  /// Adds weights [m, k] times values [k, d] that all rows share to sums. The product is of weights
  /// in the type of the values; row by row there is none, and weights are as they are.
  mlir::Value addShared(mlir::Value sums, mlir::Value weights, mlir::Value values, bool isRowByRow);

  mlir::Value accumulate(mlir::Value accumulator, mlir::Value values, mlir::Value weight);

  /// The log-sum-exp; -inf where nothing was pushed, as log(0) is.
  mlir::Value makeLse(StateParts parts);

  /// The accumulator divided by the sum; an empty sum gives 0 / tiny = 0.
  mlir::Value makeOutput(mlir::Value accumulator, mlir::Value sum);

  TileType column, whole, scalar;

private:
  mlir::Value addRowByRow(mlir::Value sums, mlir::Value weights, mlir::Value values);
  mlir::Value named(llvm::StringRef part, mlir::Value value);

  mlir::Location stateLoc;
};

} // namespace attn::tile

#endif // ATTN_LIB_DIALECT_TILE_TRANSFORMS_SOFTMAXSTATE_H
